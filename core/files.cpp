#include "core/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "core/errors.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

std::string advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose a folder on another disk";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose a path that you have the rights for";
    case ENOENT:
      return "; check the path";
    default:
      return "";
  }
}

[[noreturn]] void fail(const std::string& action, const fs::path& path, int error) {
  throw FileError("cannot " + action + " '" + path.string() + "': " + std::strerror(error) + advice(error));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  /// Closes early, because a network file system reports a failed write only then.
  int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

Descriptor open_for_reading(const fs::path& path, const std::string& action) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) fail(action, path, errno);
  return Descriptor(number);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void create_folder_of(const fs::path& path) {
  std::error_code error;
  fs::create_directories(folder_of(path), error);
  if (error) fail("create the folder", folder_of(path), error.value());
}

/// A name beside the file, so that a rename never crosses file systems; no two threads of the machine share it.
fs::path temporary_beside(const fs::path& path, int attempt) {
  return folder_of(path) /
         (path.filename().string() + ".tmp-" + std::to_string(::gettid()) + "-" + std::to_string(attempt));
}

/// Makes something new beside `path` with `create(temporary)`, a system call's 0 or -1, passing over names that a
/// killed process left behind.
template <class Create>
fs::path create_beside(const fs::path& path, const std::string& action, const Create& create) {
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fs::path temporary = temporary_beside(path, attempt);
    if (create(temporary) >= 0) return temporary;
    if (errno != EEXIST) fail(action, path, errno);
  }
  fail(action, path, EEXIST);
}

/// Renames over `path`; on failure removes the temporary file and throws.
void rename_over(const fs::path& temporary, const fs::path& path, const std::string& action) {
  if (::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  ::unlink(temporary.c_str());
  fail(action, path, error);
}

/// 0, or the system's error number.
int write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_and_sync(Descriptor& file, std::string_view bytes) {
  if (const int error = write_all(file, bytes)) return error;
  if (::fsync(file.number()) != 0) return errno;
  return file.close() == 0 ? 0 : errno;
}

/// Whether `path` leads to a pipe, a device or the like, which a rename would put an ordinary file in place of.
bool is_no_file(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void write_into(const fs::path& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  int error = file.number() < 0 ? errno : write_all(file, bytes);
  if (error == 0 && file.close() != 0) error = errno;
  if (error != 0) fail("write", path, error);
}

/// The place that a chain of links leads to, whether or not a file is there.
fs::path behind_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as the system has it
  std::error_code none;
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, none); ++links)
    path = folder_of(path) / fs::read_symlink(path);  // an absolute target replaces the folder
  if (fs::is_symlink(path, none)) fail("write", path, ELOOP);
  return path;
}

}  // namespace

void write_atomically(const fs::path& given, std::string_view bytes) {
  if (is_no_file(given)) return write_into(given, bytes);
  const fs::path path = behind_links(given);
  create_folder_of(path);
  int number = -1;
  const fs::path temporary = create_beside(path, "write", [&](const fs::path& name) {
    return number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  });
  Descriptor file(number);
  const int error = write_and_sync(file, bytes);
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail("write", path, error);
  }
  rename_over(temporary, path, "write");
  sync_folder(folder_of(path));
}

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor = open_for_reading(folder.empty() ? "." : folder, "sync the folder");
  // Some file systems do not sync folders and answer EINVAL: there is nothing to wait for then.
  if (::fsync(descriptor.number()) != 0 && errno != EINVAL) fail("sync the folder", folder, errno);
}

void sync_file(const fs::path& file) {
  const Descriptor descriptor = open_for_reading(file, "sync");
  if (::fsync(descriptor.number()) != 0) fail("sync", file, errno);
}

std::string read_file(const fs::path& path) {
  const Descriptor descriptor = open_for_reading(path, "read");
  struct stat status {};
  std::string content;
  if (::fstat(descriptor.number(), &status) == 0 && status.st_size > 0) {
    content.reserve(static_cast<std::size_t>(status.st_size) + 1);
  }
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::string chunk(kChunk, '\0');
  while (true) {
    const ssize_t got = ::read(descriptor.number(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path, errno);
    if (got == 0) return content;
    content.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

void replace_link(const fs::path& link, const fs::path& target) {
  create_folder_of(link);
  const fs::path temporary =
      create_beside(link, "link", [&](const fs::path& name) { return ::symlink(target.c_str(), name.c_str()); });
  rename_over(temporary, link, "link");
  sync_folder(folder_of(link));
}

std::uint64_t free_disk_bytes(const fs::path& path) {
  std::error_code error;
  fs::path existing = fs::absolute(path);
  while (!fs::exists(existing, error) && existing.has_relative_path()) existing = existing.parent_path();
  const fs::space_info space = fs::space(existing, error);
  if (error) fail("ask for the free space of", existing, error.value());
  // What has no size, such as /proc, is no disk: making a file there says better what is wrong.
  return space.capacity == 0 ? std::numeric_limits<std::uint64_t>::max() : space.available;
}

MappedFile::MappedFile(const fs::path& path) : path_(path) {
  const Descriptor descriptor = open_for_reading(path, "read");
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) fail("read", path, errno);
  if (S_ISDIR(status.st_mode)) fail("read", path, EISDIR);
  if (!S_ISREG(status.st_mode)) throw FileError("cannot map '" + path.string() + "': it is no regular file");
  if (status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
  if (memory == MAP_FAILED) fail("map", path, errno);
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release_pages() const {
  if (!bytes_.empty()) ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

void MappedFile::will_need(std::size_t first, std::size_t count) const {
  if (first >= bytes_.size()) return;
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = first / page * page, end = first + std::min(count, bytes_.size() - first);
  ::madvise(const_cast<std::byte*>(bytes_.data() + begin), end - begin, MADV_WILLNEED);
}

}  // namespace tinylm
