// What is built under a name of its own and renamed once it is whole, so that nobody takes a part for the whole.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace tinylm {

/// A name beside `target` that no other process uses. Whatever stands under it when this goes out of scope is removed.
class TemporaryPath {
 public:
  /// Creates the folder of `target` where missing. Throws FileError.
  explicit TemporaryPath(const std::filesystem::path& target);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Removes what killed processes left of TemporaryPath's names in `folder`: untouched for a day.
void remove_abandoned_temporaries(const std::filesystem::path& folder);

/// A file written in order, which appears under its name with publish(); without it, it is removed.
class TemporaryFile {
 public:
  /// Throws FileError when it cannot be made.
  explicit TemporaryFile(const std::filesystem::path& target);

  /// Appends. Throws FileError with the system's reason (disk full).
  void write(std::string_view bytes);
  /// Puts `bytes` over the file's beginning; no write() may follow.
  void overwrite_start(std::string_view bytes);
  /// Syncs the file to disk and gives it the name `target`, over what stands there.
  void publish(const std::filesystem::path& target);

 private:
  void require_written() const;

  TemporaryPath name_;
  std::ofstream stream_;
};

}  // namespace tinylm
