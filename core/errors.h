// The ways in which tinylm says no. Each error type carries the exit code that the program ends with, so that a
// script can tell wrong use from bad input from a full disk. Files are named by path; a message says what was
// expected, what was found and what to do.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tinylm {

enum class ExitCode : int {
  kDone = 0,
  kCheckFailed = 1,
  kWrongUse = 2,
  kBadInput = 3,
  kFile = 4,
  kNotFinite = 5,
  kMemory = 6,
  kHungUp = 129,       // SIGHUP, after the step was finished and saved
  kInterrupted = 130,  // SIGINT, likewise
  kTerminated = 143,   // SIGTERM, likewise
};

/// Base of all errors that tinylm throws on purpose.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// A check the user asked for found a difference.
struct CheckFailed : Error {
  explicit CheckFailed(const std::string& message) : Error(ExitCode::kCheckFailed, message) {}
};
/// Flags or configuration that cannot be meant: unknown, contradictory, out of range.
struct WrongUse : Error {
  explicit WrongUse(const std::string& message) : Error(ExitCode::kWrongUse, message) {}
};
/// Text, tokens or prompts that cannot be used.
struct BadInput : Error {
  explicit BadInput(const std::string& message) : Error(ExitCode::kBadInput, message) {}
};
/// A file or folder that is missing, damaged, unreadable, or a disk that is full.
struct FileError : Error {
  explicit FileError(const std::string& message) : Error(ExitCode::kFile, message) {}
};
/// A loss, gradient or weight that is NaN or infinite.
struct NotFinite : Error {
  explicit NotFinite(const std::string& message) : Error(ExitCode::kNotFinite, message) {}
};
/// Not enough memory, found out beforehand or from a failed allocation.
struct MemoryError : Error {
  explicit MemoryError(const std::string& message) : Error(ExitCode::kMemory, message) {}
};

/// Collects everything that is wrong with a set of options, so that a user learns all of it at once.
class Problems {
 public:
  /// Notes `message` unless `ok`.
  void require(bool ok, const std::string& message) {
    if (!ok) messages_.push_back(message);
  }
  void add(const std::string& message) { messages_.push_back(message); }
  const std::vector<std::string>& messages() const { return messages_; }
  /// Throws WrongUse with one line a problem, if there is any.
  void throw_if_any() const;

 private:
  std::vector<std::string> messages_;
};

}  // namespace tinylm
