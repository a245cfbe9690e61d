#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <stdexcept>

#include "webdriver.h"

namespace tinylm::test {

namespace {

constexpr int kStart_s = 60;

/// The child's side of fork(): never returns.
[[noreturn]] void become_driver(const std::string& home, int output) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when the tests are killed
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::setenv("HOME", home.c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", (home + "/config").c_str(), 1);
  ::setenv("XDG_CACHE_HOME", (home + "/cache").c_str(), 1);
  ::execlp("chromedriver", "chromedriver", "--port=0", static_cast<char*>(nullptr));
  const std::string problem = std::string("chromedriver cannot be started: ") + std::strerror(errno) + "\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, problem.data(), problem.size());
  ::_exit(127);
}

/// What the child says, until `pattern` is in it: its first group. Throws with all that it said otherwise.
std::string said(int input, const std::regex& pattern) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kStart_s);
  std::string text;
  char buffer[4096];
  std::smatch match;
  while (!std::regex_search(text, match, pattern)) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    struct pollfd wait {
      input, POLLIN, 0
    };
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) <= 0)
      throw std::runtime_error("chromedriver did not start within " + std::to_string(kStart_s) +
                               " s, and said: " + text);
    const ssize_t got = ::read(input, buffer, sizeof buffer);
    if (got <= 0)
      throw std::runtime_error("the browser's driver ended at once, and said: " + text +
                               "Install it with: scripts/setup.sh --browser");
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return match[1];
}

}  // namespace

Driver::Driver(const std::filesystem::path& home) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("the system gives no pipe");
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("the system gives no process");
  if (process_ == 0) become_driver(home.string(), ends[1]);
  ::close(ends[1]);
  port_ = std::stoi(said(ends[0], std::regex("started successfully on port ([0-9]+)")));
  // The pipe stays open: a driver that still writes must not be stopped by that.
}

Driver::~Driver() {
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace tinylm::test
