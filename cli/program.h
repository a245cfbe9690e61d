// The command line as a whole: which command, which flags, and how every failure becomes a message and an exit code.
#pragma once

#include <string>

#include "core/errors.h"

namespace tinylm {

/// Parses the arguments and runs the command they name. Throws what the command throws, WrongUse for arguments that
/// cannot be meant (an unknown flag names the nearest known one).
ExitCode run_program(int argc, char** argv);

/// Puts /dev/null, for reading alone, where a standard stream is closed: else the next file that is opened would take
/// its place and receive what is meant for it. Writing there fails, as it should.
void occupy_closed_streams();

/// Writes out what stdout still holds. Throws FileError when any of it could not be written (a full disk, a closed
/// pipe): what a script reads must not end early without a word.
void finish_output();

/// What went wrong, in words for people.
struct Failure {
  ExitCode code;
  std::string message;
};
/// To be called in a catch block. The one place that translates the exceptions of libtorch and of the standard library.
Failure describe_current_exception();

/// To be called in a catch block: says on stderr what went wrong and gives the exit code.
ExitCode report_current_exception();

}  // namespace tinylm
