// tinylm: parses, dispatches, catches, returns an exit code (core/errors.h lists them).
#include "cli/program.h"
#include "core/logging.h"
#include "core/signals.h"

int main(int argc, char** argv) {
  tinylm::occupy_closed_streams();
  tinylm::ignore_file_size_signal();
  tinylm::start_logging(tinylm::Verbosity::kNormal);
  try {
    const tinylm::ExitCode code = tinylm::run_program(argc, argv);
    tinylm::finish_output();
    return static_cast<int>(code);
  } catch (...) {
    return static_cast<int>(tinylm::report_current_exception());
  }
}
