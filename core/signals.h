// Ctrl-C, SIGTERM and a terminal that goes away: the first asks the work to stop at the next safe place, a second one,
// unless it is the terminal's, ends the process at once.
#pragma once

namespace tinylm {

/// Installs the handlers for SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup). To be called where the
/// work that stop_signal() ends begins: before that a signal ends the process as usual.
void catch_stop_signals();

/// Takes the handlers away again and forgets a signal that came: from here on one ends the process as usual.
void release_stop_signals();

/// Makes writing beyond a limit on the size of files an error, instead of the end of the process without a word.
void ignore_file_size_signal();

/// Lets the work go on when nobody reads its messages any more; writing to a closed pipe is an error then.
void ignore_closed_pipes();

/// The signal that asked to stop (SIGINT, SIGTERM or SIGHUP), 0 while none has.
int stop_signal();

}  // namespace tinylm
