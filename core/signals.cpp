#include "core/signals.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace tinylm {
namespace {

std::atomic<int> first_signal = 0;  // a signal handler can reach nothing but a global
static_assert(std::atomic<int>::is_always_lock_free, "needed in a signal handler");

extern "C" void note_stop_signal(int signal) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, signal)) return;
  if (signal != SIGHUP) ::_exit(128 + signal);  // a closing terminal hangs up twice: the shell does, then the system
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = note_stop_signal;
  action.sa_flags = SA_RESTART;  // a save in progress is not disturbed
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up {};
  ::sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
}

void release_stop_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == note_stop_signal) ::signal(signal, SIG_DFL);
  }
  first_signal.store(0);
}

void ignore_closed_pipes() {
  ::signal(SIGPIPE, SIG_IGN);
}

void ignore_file_size_signal() {
  ::signal(SIGXFSZ, SIG_IGN);
}

int stop_signal() {
  return first_signal.load();
}

}  // namespace tinylm
