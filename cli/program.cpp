#include "cli/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <regex>

#include "cli/command.h"
#include "cli/help_formatter.h"
#include "core/logging.h"
#include "core/numbers.h"

namespace tinylm {
namespace {

/// Flags that every command understands.
struct GlobalFlags {
  bool quiet = false;
  bool verbose = false;

  Verbosity verbosity() const { return quiet ? Verbosity::kQuiet : verbose ? Verbosity::kVerbose : Verbosity::kNormal; }
};

void add_global_flags(CLI::App& app, GlobalFlags& flags) {
  app.add_flag("--quiet", flags.quiet, "only warnings and errors on stderr");
  app.add_flag("--verbose", flags.verbose, "more on stderr");
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_fnames()) names.push_back("--" + name);
  }
  return names;
}

/// What CLI11 could not place. It collects them instead of failing, so that the message can name the nearest flag.
void refuse_extras(const CLI::App& app, const std::vector<std::string>& extras) {
  if (extras.empty()) return;
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const std::string where = app.get_parent() == nullptr ? "tinylm --help" : "tinylm " + app.get_name() + " --help";
  if (word.rfind("-", 0) != 0) {
    throw WrongUse("unexpected argument '" + word + "'; '" + where + "' lists what this command takes");
  }
  const std::string near = nearest(word, flag_names(app));
  throw WrongUse("unknown flag " + word + (near.empty() ? "" : "; did you mean " + near + "?") + " ('" + where +
                 "' lists all flags)");
}

/// CLI11's message about a flag, said as people would: "--steps: At Most 1 required but received 2".
std::string in_words(const std::string& message) {
  const std::string flag = message.substr(0, message.find(':'));
  if (message.find("At Most 1 required") != std::string::npos) return flag + " is given more than once: give it once";
  if (message.find("1 required") != std::string::npos && message.ends_with("missing"))
    return flag + " needs a value after it";
  // "--compare: At least 2 required but received 1", of flags that take so many and no more
  std::smatch counts;
  if (std::regex_search(message, counts, std::regex(": At least (\\d+) required but received (\\d+)")))
    return flag + " takes " + counts[1].str() + " values after it, and was given " + counts[2].str();
  return message;
}

void refuse_unknown_command(const std::vector<std::unique_ptr<Command>>& commands, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command->name());
  const std::string near = nearest(word, names);
  throw WrongUse("unknown command '" + word + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?") +
                 " ('tinylm --help' lists the commands)");
}

ExitCode parse_and_run(CLI::App& app, int argc, char** argv) {
  GlobalFlags flags;
  add_global_flags(app, flags);
  std::vector<std::unique_ptr<Command>> commands = make_commands();
  for (const auto& command : commands) {
    CLI::App* subcommand = app.add_subcommand(command->name(), command->summary() + "\n" + command->introduction());
    subcommand->footer("\nExamples:\n" + command->examples());
    subcommand->allow_extras();
    add_global_flags(*subcommand, flags);
    command->describe(*subcommand);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const std::vector<std::string> words = app.remaining();
    if (app.get_subcommands().empty() && !words.empty()) {
      if (words.front().front() != '-') refuse_unknown_command(commands, words.front());
      refuse_extras(app, words);
    }
    throw;
  }
  for (const auto& command : commands) {
    const CLI::App* subcommand = app.get_subcommand(command->name());
    if (!subcommand->parsed()) continue;
    refuse_extras(*subcommand, subcommand->remaining());
    start_logging(flags.verbosity());
    return command->run();
  }
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty() && extras.front().rfind("-", 0) != 0) refuse_unknown_command(commands, extras.front());
  refuse_extras(app, extras);
  std::cout << app.help();
  return ExitCode::kDone;
}

}  // namespace

void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1) ::open("/dev/null", O_RDONLY);  // takes the lowest free number, which is this
  }
}

void finish_output() {
  std::cout.flush();
  if (!std::cout)
    throw FileError("the results could not be written to standard output: is the disk full, or is it closed?");
}

ExitCode run_program(int argc, char** argv) {
  CLI::App app(
      "tinylm trains a small transformer language model on a text, continues prompts from it, and shows what its\n"
      "attention looks at.");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", std::string("tinylm ") + TINYLM_VERSION);
  app.allow_extras();
  app.footer(
      "\nBegin with:  tinylm train            learns from the bundled text, about a minute\n"
      "             tinylm sample           continues a prompt\n"
      "             tinylm inspect          shows attention\n"
      "'tinylm COMMAND --help' explains each flag.");
  std::vector<char*> words(argv, argv + argc);
  std::string help = "--help";
  if (argc >= 2 && std::string(argv[1]) == "help") {  // tinylm help COMMAND
    words.erase(words.begin() + 1);
    words.push_back(help.data());
  }
  try {
    return parse_and_run(app, static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& request) {  // --help, --version
    app.exit(request);
    return ExitCode::kDone;
  } catch (const CLI::ParseError& error) {
    throw WrongUse(in_words(error.what()));
  }
}

}  // namespace tinylm
