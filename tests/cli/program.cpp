#include "cli/program.h"

#include <sstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <thread>

#include "core/files.h"
#include "core/philox.h"
#include "core/stop_watch.h"

namespace tinylm::testing {
namespace {

namespace fs = std::filesystem;

/// The files through which a child's streams go; files rather than pipes, so that neither side can block the other.
struct Streams {
  fs::path folder = fs::path(fresh_folder("streams"));
  fs::path in = folder / "in", out = folder / "out", err = folder / "err";
};

void redirect(const fs::path& file, int flags, int descriptor) {
  const int opened = ::open(file.c_str(), flags, 0644);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

/// What a terminal of 256 colours has in the environment.
void set_terminal_variables() {
  ::setenv("TERM", "xterm-256color", 1);
  ::unsetenv("NO_COLOR");
  ::unsetenv("COLORTERM");
}

/// `words`: the program and its arguments. `terminal`: its standard output, where it is not a file.
pid_t start(const std::string& folder, std::vector<std::string> words, const Streams& streams, int terminal = -1) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child > 0) return child;
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  redirect(streams.in, O_RDONLY, 0);
  redirect(streams.out, O_WRONLY | O_CREAT | O_TRUNC, 1);
  if (terminal >= 0) {
    set_terminal_variables();
    if (::dup2(terminal, 1) < 0) ::_exit(126);
  }
  redirect(streams.err, O_WRONLY | O_CREAT | O_TRUNC, 2);
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

Outcome outcome_of(int status, const Streams& streams) {
  Outcome outcome;
  outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.out = read_file(streams.out);
  outcome.err = read_file(streams.err);
  fs::remove_all(streams.folder);
  return outcome;
}

std::vector<std::string> with_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TINYLM_PROGRAM);
  return arguments;
}

Outcome run_words(const std::string& folder, const std::vector<std::string>& words, const std::string& input) {
  const Streams streams;
  write_atomically(streams.in, input);
  int status = 0;
  ::waitpid(start(folder, words, streams), &status, 0);
  return outcome_of(status, streams);
}

}  // namespace

Outcome run_program(const std::string& folder, const std::vector<std::string>& arguments, const std::string& input) {
  return run_words(folder, with_program(arguments), input);
}

Outcome run_shell(const std::string& folder, const std::string& line) {
  return run_words(folder, {"/bin/sh", "-c", "tinylm() { " TINYLM_PROGRAM " \"$@\"; }; " + line}, "");
}

Outcome run_on_terminal(const std::string& folder, const std::vector<std::string>& arguments) {
  PseudoTerminal pseudo(80);
  const Streams streams;
  write_atomically(streams.in, "");
  const pid_t child = start(folder, with_program(arguments), streams, pseudo.terminal());
  const std::string seen = pseudo.seen();
  int status = 0;
  ::waitpid(child, &status, 0);
  Outcome outcome = outcome_of(status, streams);
  outcome.out = seen;
  return outcome;
}

TypedSession::TypedSession(const std::string& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = with_program(arguments);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  child_ = ::fork();
  if (child_ < 0) throw std::runtime_error("fork failed");
  if (child_ > 0) {
    terminal_.close_terminal();
    return;
  }
  set_terminal_variables();
  const int terminal = terminal_.terminal();
  const bool ready = ::chdir(folder.c_str()) == 0 && ::setsid() >= 0 && ::ioctl(terminal, TIOCSCTTY, 0) == 0 &&
                     ::dup2(terminal, 0) >= 0 && ::dup2(terminal, 1) >= 0 && ::dup2(terminal, 2) >= 0;
  if (ready) ::execv(argv.front(), argv.data());
  ::_exit(126);
}

TypedSession::~TypedSession() {
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

int TypedSession::exit_code() {
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Outcome run_and_signal(const std::string& folder, const std::vector<std::string>& arguments,
                       const std::function<bool()>& now, int signal) {
  const Streams streams;
  write_atomically(streams.in, "");
  const pid_t child = start(folder, with_program(arguments), streams);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (now()) {
      ::kill(child, signal);
      ::waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return outcome_of(status, streams);
}

Outcome run_and_signal(const std::string& folder, const std::vector<std::string>& arguments, double after_s,
                       int signal) {
  const StopWatch watch;
  return run_and_signal(
      folder, arguments, [&] { return watch.seconds() >= after_s; }, signal);
}

std::string fresh_folder(const std::string& name) {
  std::string pattern = ::testing::TempDir() + "tinylm-" + name + "-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  return pattern;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

void train_small_run(const std::string& folder, const std::string& out, const std::vector<std::string>& more) {
  std::map<std::string, std::string> flags = {{"--layers", "1"}, {"--heads", "2"},  {"--width", "16"},
                                              {"--batch", "4"},  {"--warmup", "2"}, {"--context", "16"},
                                              {"--steps", "10"}, {"--out", out},    {"--sample-every", "0"}};
  for (std::size_t i = 0; i + 1 < more.size(); i += 2) flags[more[i]] = more[i + 1];
  std::vector<std::string> arguments = {"train", "text.txt"};
  for (const auto& [flag, value] : flags) arguments.insert(arguments.end(), {flag, value});
  const Outcome trained = run_program(folder, arguments);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
}

std::string words(std::size_t bytes) {
  static const char* const kWords[] = {"the", "ferry", "waits", "river", "bread", "clock",
                                       "fox", "mill",  "a",     "late",  "slow",  "and"};
  const Philox random(7, Purpose::kWindow);
  std::string text;
  for (std::uint64_t n = 0; text.size() < bytes; ++n) {
    text += kWords[random.below(std::size(kWords), n, 0)];
    text += random.below(6, n, 1) == 0 ? ".\n" : " ";
  }
  return text;
}

}  // namespace tinylm::testing
