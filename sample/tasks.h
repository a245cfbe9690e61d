// A file of tasks: prompts, each with the texts that count as its answer.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/errors.h"

namespace tinylm {

/// One line of the file, {"prompt": text, "accepted": [text, ...], "kind": word}; docs/scoring.md says what they mean.
struct Task {
  std::string prompt;                 // may be empty
  std::vector<std::string> accepted;  // at least one, none empty; the first is the expected text
  std::string kind;                   // "task", "fact", "source" or a word of one's own; not empty
};

/// One line that works, for messages and help.
extern const char* const kExampleTask;

/// Notes what keeps a task from being used.
using TaskCheck = std::function<void(const Task& task, Problems& problems)>;

/// Reads `file`: JSON Lines, UTF-8; lines of nothing but spaces are passed over. A line that reads is given to `check`.
/// Throws FileError when the file cannot be read, BadInput with a line "FILE:LINE: ..." for each problem: no UTF-8, no
/// JSON object, a key that is missing, unknown or of a wrong type, nothing accepted, what `check` noted; and when there
/// is no task.
std::vector<Task> read_tasks(const std::filesystem::path& file, const TaskCheck& check);

}  // namespace tinylm
