// tinylm: parses, dispatches, catches, returns an exit code (core/errors.h lists them).
#include "cli/program.h"
#include "core/logging.h"

int main(int argc, char** argv) {
  tinylm::start_logging(tinylm::Verbosity::kNormal);
  try {
    return static_cast<int>(tinylm::run_program(argc, argv));
  } catch (...) {
    return static_cast<int>(tinylm::report_current_exception());
  }
}
