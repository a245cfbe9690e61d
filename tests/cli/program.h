// Runs the real program as its users do, and gives back what it said.
#pragma once

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/pseudo_terminal.h"

namespace tinylm::testing {

struct Outcome {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

/// Runs build/tinylm with `arguments` in `folder`; `input` is its standard input.
Outcome run_program(const std::string& folder, const std::vector<std::string>& arguments,
                    const std::string& input = "");

/// Runs a line of the shell in `folder`, in which `tinylm` is the program.
Outcome run_shell(const std::string& folder, const std::string& line);

/// Runs it with a terminal of 80 columns and 256 colours as its standard output.
Outcome run_on_terminal(const std::string& folder, const std::vector<std::string>& arguments);

/// The program at work on a terminal of its own, which is all its streams, with somebody who types.
class TypedSession {
 public:
  TypedSession(const std::string& folder, const std::vector<std::string>& arguments);
  ~TypedSession();
  void type(const std::string& keys) { terminal_.type(keys); }
  /// Types them once it reads a line.
  void type_at_the_prompt(const std::string& keys) {
    terminal_.wait_for_editor();
    terminal_.type(keys);
  }
  /// What it writes until `text` appears, or for a minute.
  std::string seen_until(const std::string& text) { return terminal_.seen_until(text); }
  /// Waits for its end and gives its exit code.
  int exit_code();

 private:
  PseudoTerminal terminal_{80};
  pid_t child_ = -1;
};

/// Starts it, waits until `now()`, asked every few milliseconds, or it ended, and sends `signal` if it has not.
Outcome run_and_signal(const std::string& folder, const std::vector<std::string>& arguments,
                       const std::function<bool()>& now, int signal);

/// Starts it, waits until `after_s` seconds have passed or it ended, and sends `signal` if it has not.
Outcome run_and_signal(const std::string& folder, const std::vector<std::string>& arguments, double after_s,
                       int signal);

/// An empty folder of its own for one test, under the folder for temporary files.
std::string fresh_folder(const std::string& name);

bool contains(const std::string& text, const std::string& part);

/// Each line of a text as JSON.
std::vector<nlohmann::json> json_lines(const std::string& text);

/// Trains a run of one layer with two heads, 16 wide, context 16, on text.txt in `folder` for some steps. `more`:
/// further flags, each with its value; one of the flags here takes its place. Fails the test when it cannot.
void train_small_run(const std::string& folder, const std::string& out, const std::vector<std::string>& more = {});

/// Text for tests: lines of a few words, different ones for each line, about `bytes` long.
std::string words(std::size_t bytes);

}  // namespace tinylm::testing
