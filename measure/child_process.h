// A program that is kept running beside this one and answers questions, a line each.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace tinylm {

/// Ends with its owner: what waits for a question sees its stdin closed, even when this program is killed.
class ChildProcess {
 public:
  /// Starts words[0], a file, with the other words as its arguments; `variables` are for its environment, where that
  /// has none of their names. It has a process group of its own, which Ctrl-C does not reach: what it means is for its
  /// owner to say. Throws FileError when it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& words,
                        const std::map<std::string, std::string>& variables = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Gives it a line on its stdin and waits for a line on its stdout; both without their ends. Throws FileError with
  /// its name when it ends instead.
  std::string ask(const std::string& question);
  /// Waits for a line that it writes unasked; throws as ask() does.
  std::string read_line();

 private:
  [[noreturn]] void throw_ended();

  std::string program_;
  pid_t process_ = -1;
  int socket_ = -1;     // its stdin and its stdout
  std::string unread_;  // what it wrote behind the last line that was taken
};

}  // namespace tinylm
