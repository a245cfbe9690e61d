// The processor as products may use it.
#pragma once

#include "core/processor.h"

namespace tinylm::ops {

/// This processor without the bfloat16 instructions that oneDNN may not use: what `--precision auto` goes by.
Processor matmul_processor();

}  // namespace tinylm::ops
