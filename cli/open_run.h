// The [RUN] argument that sample, inspect and info share: which run, which of its checkpoints.
#pragma once

#include <string>

#include "run/run.h"

namespace CLI {
class App;
}

namespace tinylm {

class RunArgument {
 public:
  /// Adds [RUN] and --checkpoint.
  void describe(CLI::App& app);
  /// The run named, else the newest under runs/, and says which.
  Run open() const;
  const std::string& checkpoint() const { return checkpoint_; }

 private:
  std::string folder_;
  std::string checkpoint_ = "best";
};

/// The prompt flags that sample and inspect share.
class PromptArgument {
 public:
  /// Adds --prompt and --prompt-file.
  void describe(CLI::App& app);
  /// The prompt's text; empty when none was given. A file is taken as it stands, its last newline included.
  std::string text() const;

 private:
  std::string prompt_, file_;
};

}  // namespace tinylm
