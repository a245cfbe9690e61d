#include "cli/open_run.h"

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "core/errors.h"
#include "core/files.h"

namespace tinylm {

void RunArgument::describe(CLI::App& app) {
  app.add_option("RUN", folder_, "folder of a run; default: the newest under runs/")->type_name("");
  app.add_option("--checkpoint", checkpoint_, "best, last or step-N")->capture_default_str();
}

Run RunArgument::open() const {
  if (!folder_.empty()) return Run::open(folder_);
  Run run = Run::newest();
  spdlog::info("run {}", run.folder().string());
  return run;
}

void PromptArgument::describe(CLI::App& app) {
  app.add_option("--prompt", prompt_, "text to begin from");
  app.add_option("--prompt-file", file_, "file with the text to begin from");
}

std::string PromptArgument::text() const {
  if (!prompt_.empty() && !file_.empty()) throw WrongUse("--prompt and --prompt-file both name the prompt: give one");
  return file_.empty() ? prompt_ : read_file(file_);
}

}  // namespace tinylm
