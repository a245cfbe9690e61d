// Makes libtorch use this machine well, and says when it cannot.
#pragma once

#include "run/run.h"

namespace tinylm {

/// Sets the number of threads and checks TINYLM_MAX_ISA (core/instruction_set.h); with Ops::kPlain, where products go
/// through BLAS, measures its rate for some 20 ms and warns when the library does not know this processor.
void set_up_machine(const MachineOptions& options);

}  // namespace tinylm
