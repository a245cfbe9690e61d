// Files that survive a kill at any moment, and files read without copying them into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tinylm {

/// Writes `bytes` to a temporary file beside `path`, syncs it, renames it over `path` and syncs the folder: a reader
/// sees the old file or the new one, never a part. A link stays, and the file that it leads to is replaced; what is no
/// file, such as a pipe or /dev/stdout, is written to. Creates missing parent folders. Throws FileError with the
/// system's reason.
void write_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Syncs a folder's entries (after a rename) to disk. Throws FileError.
void sync_folder(const std::filesystem::path& folder);

/// Syncs a file's content to disk. Throws FileError.
void sync_file(const std::filesystem::path& file);

/// The whole file. Throws FileError when it cannot be opened or read.
std::string read_file(const std::filesystem::path& path);

/// Atomically points the symbolic link `link` at `target` (relative targets stay relative) and syncs its folder. Throws
/// FileError.
void replace_link(const std::filesystem::path& link, const std::filesystem::path& target);

/// Bytes free for this user on the file system that holds `path` (or its nearest existing parent). Throws FileError.
std::uint64_t free_disk_bytes(const std::filesystem::path& path);

/// A file mapped read-only. Pages come and go with use, so a file larger than memory can be read. Movable.
class MappedFile {
 public:
  MappedFile() = default;
  /// Throws FileError when the file cannot be opened or mapped. An empty file gives an empty span.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }
  const std::filesystem::path& path() const { return path_; }
  /// Tells the system that pages read so far are not needed again soon, so resident memory stays bounded.
  void release_pages() const;
  /// Tells the system that these bytes are needed soon: it reads their pages from the disk while the caller goes on.
  void will_need(std::size_t first, std::size_t count) const;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace tinylm
