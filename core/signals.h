// Ctrl-C and SIGTERM: the first asks the work to stop at the next safe place, a second one ends the process at once.
#pragma once

namespace tinylm {

/// Installs the handlers for SIGINT and SIGTERM. Called once, by commands that have something to save.
void catch_stop_signals();

/// The signal that asked to stop (SIGINT or SIGTERM), 0 while none has.
int stop_signal();

}  // namespace tinylm
