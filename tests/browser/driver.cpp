#include <fcntl.h>
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
#include <thread>

#include "core/files.h"
#include "webdriver.h"

namespace tinylm::test {

namespace {

constexpr std::chrono::seconds kStart(60), kEnd(10);

/// The child's side of fork(): never returns. What the driver says goes into a file, as nobody would empty a pipe.
[[noreturn]] void become_driver(const std::string& home, const std::string& log) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when the tests are killed
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::setenv("HOME", home.c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", (home + "/config").c_str(), 1);
  ::setenv("XDG_CACHE_HOME", (home + "/cache").c_str(), 1);
  ::execlp("chromedriver", "chromedriver", "--port=0", static_cast<char*>(nullptr));
  const std::string problem = std::string("chromedriver: ") + std::strerror(errno) + "\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, problem.data(), problem.size());
  ::_exit(127);
}

std::string said(const std::filesystem::path& log) {
  return std::filesystem::exists(log) ? read_file(log) : "";
}

}  // namespace

Driver::Driver(const std::filesystem::path& home) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what the driver leaves behind becomes our child
  const std::filesystem::path log = home / "driver.log";
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("the system gives no process");
  if (process_ == 0) become_driver(home.string(), log.string());
  const std::regex pattern("started successfully on port ([0-9]+)");
  const auto end = std::chrono::steady_clock::now() + kStart;
  for (std::smatch match; port_ == 0;) {
    const std::string text = said(log);
    if (std::regex_search(text, match, pattern)) {
      port_ = std::stoi(match[1]);
    } else if (::waitpid(process_, nullptr, WNOHANG) != 0 || std::chrono::steady_clock::now() > end) {
      stop();
      throw std::runtime_error("the browser's driver did not start, and said: " + said(log) +
                               "Install it with: scripts/setup.sh --tests");
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

Driver::~Driver() {
  stop();
}

void Driver::stop() {
  ::kill(-process_, SIGKILL);
  // Waits for the driver and for all that it started, which ends with it.
  const auto end = std::chrono::steady_clock::now() + kEnd;
  for (pid_t ended = 0; ended >= 0 && std::chrono::steady_clock::now() < end;) {
    ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace tinylm::test
