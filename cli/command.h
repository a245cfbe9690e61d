// A subcommand of the program, and the table of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/errors.h"

namespace CLI {
class App;
}

namespace tinylm {

/// One subcommand: its flags, and what it does with them.
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  /// One line for the list of commands.
  virtual std::string summary() const = 0;
  /// Shown above the flags: what happens without any, in a sentence or two.
  virtual std::string introduction() const = 0;
  /// Shown below the flags, a line each: an example or two that work as they stand.
  virtual std::string examples() const = 0;
  /// Adds positionals and flags to `app`.
  virtual void describe(CLI::App& app) = 0;
  /// Does the work after parsing. Errors are thrown (core/errors.h).
  virtual ExitCode run() = 0;
};

/// Every command, in the order of the help text. A new one is a file of its own plus a line in commands.cpp.
std::vector<std::unique_ptr<Command>> make_commands();

std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_sample_command();
std::unique_ptr<Command> make_inspect_command();
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_attend_command();
std::unique_ptr<Command> make_score_command();
std::unique_ptr<Command> make_plan_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_info_command();
std::unique_ptr<Command> make_bench_command();

}  // namespace tinylm
