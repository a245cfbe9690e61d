// XXH3 (64 bits) from xxHash: finds damage and changes, is no defence against forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct XXH3_state_s;

namespace tinylm {

/// Checksum of bytes fed piece by piece; the pieces' borders do not matter.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) noexcept;

  void update(std::string_view bytes);
  void update(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  std::unique_ptr<XXH3_state_s, void (*)(XXH3_state_s*)> state_;
};

std::uint64_t checksum_of(std::string_view bytes);
/// Reads the file through a map. Throws FileError.
std::uint64_t checksum_of_file(const std::filesystem::path& path);
/// Of the files' bytes one after another. Throws FileError.
std::uint64_t checksum_of_files(const std::vector<std::filesystem::path>& paths);
/// 16 lower-case hexadecimal digits, and back. `from_hex` throws BadInput for anything else.
std::string to_hex(std::uint64_t value);
std::uint64_t from_hex(std::string_view digits);

}  // namespace tinylm
