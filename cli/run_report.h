// A run as its report and `compare` show it, from its folder.
#pragma once

#include "cli/configuration.h"
#include "inspect/report/report_page.h"

namespace tinylm {

/// What does not change while `run` is trained: all but course, samples, sessions and status.
RunReport report_of(const Run& run, const Configuration& configuration, const Tokenizer& tokenizer);

/// Everything, as the folder holds it now. Throws FileError, WrongUse for a configuration that does not read.
RunReport read_report(const Run& run);

}  // namespace tinylm
