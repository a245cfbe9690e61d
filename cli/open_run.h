// How commands that read a run are told which one, and which of its checkpoints.
#pragma once

#include <string>
#include <vector>

#include "run/run.h"

namespace CLI {
class App;
}

namespace tinylm {

class RunArgument {
 public:
  /// Adds [RUN] and --checkpoint.
  void describe(CLI::App& app);
  /// Adds --run RUN and --checkpoint, for a command whose own arguments are something else.
  void describe_as_flag(CLI::App& app);
  /// Whether a run was named.
  bool given() const { return !folder_.empty(); }
  /// The run named, else the newest under runs/, and says which.
  Run open() const;
  const std::string& checkpoint() const { return checkpoint_; }

 private:
  void add(CLI::App& app, const std::string& name, const std::string& value_name);

  std::string folder_;
  std::string checkpoint_ = "best";
};

/// The prompt flags that sample and inspect share.
class PromptArgument {
 public:
  /// `most`: how many prompts may be given.
  explicit PromptArgument(std::size_t most = 1) : most_(most) {}
  /// Adds --prompt and --prompt-file.
  void describe(CLI::App& app);
  /// Notes a prompt too many.
  void validate(Problems& problems) const;
  /// Whether standard input is read for it.
  bool from_input() const { return file_ == "-"; }
  /// The first prompt's text, its last newline included; empty when none was given. Read as the run's own text was:
  /// without a byte-order mark, and CR LF as LF unless `keep_crlf`, said so. Throws FileError for a file that cannot be
  /// read, BadInput for one that does not end within 16 MB.
  std::string text(bool keep_crlf) const;
  /// How many were given.
  std::size_t count() const { return file_.empty() ? prompts_.size() : 1; }
  /// The texts of all prompts, in the order of the flags; none when none was given.
  std::vector<std::string> texts(bool keep_crlf) const;

 private:
  std::size_t most_;
  std::vector<std::string> prompts_;
  std::string file_;
};

}  // namespace tinylm
