#include "data/temporary.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>
#include <string>
#include <system_error>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-";

std::string random_digits() {
  std::random_device device;
  return to_hex((std::uint64_t{device()} << 32) | device());
}

/// Whether a name ends as TemporaryPath's do: the mark and 16 hexadecimal digits.
bool is_temporary(const std::string& name) {
  constexpr std::size_t kDigits = 16;
  if (name.size() < kMark.size() + kDigits) return false;
  const std::size_t digits = name.size() - kDigits;
  return name.compare(digits - kMark.size(), kMark.size(), kMark) == 0 &&
         name.find_first_not_of("0123456789abcdef", digits) == std::string::npos;
}

/// When anything at `path`, a file or a folder of files, was last written.
fs::file_time_type last_touched(const fs::path& path) {
  fs::file_time_type last = fs::last_write_time(path);
  if (!fs::is_directory(path)) return last;
  for (const auto& entry : fs::directory_iterator(path)) last = std::max(last, entry.last_write_time());
  return last;
}

}  // namespace

TemporaryPath::TemporaryPath(const fs::path& target) : path_(target.string() + std::string(kMark) + random_digits()) {
  if (!target.has_parent_path()) return;
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) throw FileError(target.parent_path().string() + ": the folder cannot be made: " + error.message());
}

TemporaryPath::~TemporaryPath() {
  std::error_code ignored;  // there is nobody to tell, and the name is never taken for a whole
  fs::remove_all(path_, ignored);
}

void remove_abandoned_temporaries(const fs::path& folder) {
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  std::error_code gone;  // other processes may be tidying up too
  for (const auto& entry : fs::directory_iterator(folder, gone)) {
    if (!is_temporary(entry.path().filename().string())) continue;
    try {
      if (last_touched(entry.path()) < long_ago) fs::remove_all(entry.path());
    } catch (const fs::filesystem_error&) {
      continue;
    }
  }
}

TemporaryFile::TemporaryFile(const fs::path& target)
    : name_(target), stream_(name_.path(), std::ios::binary | std::ios::trunc) {
  if (!stream_) {
    throw FileError(name_.path().string() + ": cannot be made: " + std::generic_category().message(errno));
  }
}

void TemporaryFile::write(std::string_view bytes) {
  stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  require_written();
}

void TemporaryFile::overwrite_start(std::string_view bytes) {
  stream_.seekp(0);
  write(bytes);
}

void TemporaryFile::publish(const fs::path& target) {
  stream_.close();
  require_written();
  sync_file(name_.path());
  std::error_code error;
  fs::rename(name_.path(), target, error);
  if (error) throw FileError(target.string() + ": cannot be put in place: " + error.message());
  sync_folder(fs::absolute(target).parent_path());
}

void TemporaryFile::require_written() const {
  if (stream_) return;
  throw FileError(name_.path().string() + ": cannot be written: " + std::generic_category().message(errno));
}

}  // namespace tinylm
