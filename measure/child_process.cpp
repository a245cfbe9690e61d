#include "measure/child_process.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/errors.h"

namespace tinylm {
namespace {

std::string system_reason(int code) {
  return std::generic_category().message(code);
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// This program's environment with what it lacks of `variables`.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) lines.emplace_back(*line);
  for (const auto& [name, value] : variables)
    if (::getenv(name.c_str()) == nullptr) lines.push_back(name + "=" + value);
  return lines;
}

/// 0 or the system's code for what went wrong.
int spawn(std::vector<std::string> words, std::vector<std::string> environment, int socket, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) posix_spawn_file_actions_adddup2(&actions, socket, fd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const std::vector<char*> argv = pointers_to(words), envp = pointers_to(environment);
  const int code = ::posix_spawn(&process, words.front().c_str(), &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables)
    : program_(words.front()) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw FileError("cannot connect to '" + program_ + "': " + system_reason(errno));
  const int code = spawn(words, environment_with(variables), ends[1], process_);
  ::close(ends[1]);
  socket_ = ends[0];
  if (code == 0) return;
  ::close(socket_);
  throw FileError("cannot start '" + program_ + "': " + system_reason(code));
}

ChildProcess::~ChildProcess() {
  ::close(socket_);
  if (process_ < 0) return;
  ::kill(-process_, SIGKILL);  // with what it started; it has nothing to save
  ::waitpid(process_, nullptr, 0);
}

std::string ChildProcess::ask(const std::string& question) {
  const std::string line = question + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t now = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) throw_ended();
    sent += static_cast<std::size_t>(now);
  }
  return read_line();
}

std::string ChildProcess::read_line() {
  std::size_t end = 0;
  while ((end = unread_.find('\n')) == std::string::npos) {
    char piece[256];
    const ssize_t now = ::recv(socket_, piece, sizeof piece, 0);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) throw_ended();
    unread_.append(piece, static_cast<std::size_t>(now));
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

void ChildProcess::throw_ended() {
  ::kill(-process_, SIGKILL);  // what has closed its stdout alone; what is at its end keeps its exit code
  int status = 0;
  ::waitpid(std::exchange(process_, -1), &status, 0);
  throw FileError("'" + program_ + "' " + how_it_ended(status) + " where an answer was expected");
}

}  // namespace tinylm
