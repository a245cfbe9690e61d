// tinylm sample --interactive: prompts line by line, and commands that change the settings or go back.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/sample_settings.h"
#include "core/option_table.h"
#include "run/run.h"

namespace tinylm {

/// What is done with each line. A line is a prompt that the model continues; an empty one has it go on; one that begins
/// with ':' is a command. Knows nothing of terminals: texts and answers go to `out`.
class SampleSession {
 public:
  /// `loaded` must outlive the session. The first text is the same as that of `tinylm sample` with these settings.
  /// Throws BadInput for settings that name what is no token.
  SampleSession(const LoadedModel& loaded, const SampleSettings& settings, std::ostream& out);
  SampleSession(const SampleSession&) = delete;  // the table of options is bound to its settings
  SampleSession& operator=(const SampleSession&) = delete;

  /// False when it was told to end. What cannot be done is said on standard error and changes nothing.
  bool handle(const std::string& line);
  /// Continues `prompt`, a new text, whose characters are taken as they are.
  void start(const std::string& prompt);

  /// The text so far, prompt included.
  const std::string& text() const { return text_; }

 private:
  struct CommandOfLine {
    const char* name;
    const char* arguments;
    const char* help;
    void (SampleSession::*run)(const std::string& argument);
  };
  /// A prompt or an addition and what the model made of it.
  struct Turn {
    std::string before;  // the text it was added to
    std::string added;
    Generated generated;
  };
  static const std::vector<CommandOfLine>& commands();

  void continue_text(std::string before, const std::string& added);
  void run_command(const std::string& name, const std::string& argument);
  void show_or_set(const std::string& name, const std::string& argument);
  const Option* option_named(const std::string& name) const;
  void set(const Option& option, const OptionValue& value);
  Generator generator() const;

  void add(const std::string& text);
  void new_text(const std::string& none);
  void undo(const std::string& none);
  void retry(const std::string& none);
  void show_alternatives(const std::string& count);
  void explain(const std::string& none);
  void show_text(const std::string& none);
  void show_settings(const std::string& none);
  void reset(const std::string& name);
  void help(const std::string& none);
  void quit(const std::string& none);

  const LoadedModel& loaded_;
  SampleSettings settings_;
  std::ostream& out_;
  OptionTable table_;
  std::vector<OptionValue> at_first_;  // of the options, as the session began
  std::string text_;
  std::vector<Turn> turns_;
  std::uint64_t next_sample_ = 0;
  bool ended_ = false, slid_ = false;
};

/// `line` with \n, \t and \\ as what they stand for.
std::string unescaped(const std::string& line);

}  // namespace tinylm
