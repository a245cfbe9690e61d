#include "cli/open_page.h"

#include <fcntl.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace tinylm {
namespace {

/// Runs `program` with one argument and nothing to say; whether it ended well.
bool run_silently(std::string program, std::string argument) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  char* const words[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  int status = -1;
  const bool started = posix_spawnp(&child, program.c_str(), &actions, nullptr, words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void open_page(const std::filesystem::path& file) {
  const std::string path = std::filesystem::absolute(file).string();
  if (!run_silently("xdg-open", path)) spdlog::warn("no browser could be started: open {} in one", path);
}

}  // namespace tinylm
