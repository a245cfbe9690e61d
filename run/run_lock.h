// One training at a time in a run folder.
#pragma once

#include <filesystem>

namespace tinylm {

/// Held by the process that trains in `folder`, until it goes out of scope or the process ends, however it ends. A lock
/// of the system on the folder itself: nothing is left behind.
class RunLock {
 public:
  /// Throws FileError when another process holds it. File systems without locks are taken as they are.
  explicit RunLock(const std::filesystem::path& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace tinylm
