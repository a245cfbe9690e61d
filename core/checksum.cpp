#include "core/checksum.h"

#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <new>

#include "core/errors.h"
#include "core/files.h"

namespace tinylm {

Checksum::Checksum() : state_(XXH3_createState(), [](XXH3_state_s* state) { XXH3_freeState(state); }) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}
Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::update(std::string_view bytes) {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

void Checksum::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const {
  return XXH3_64bits_digest(state_.get());
}

std::uint64_t checksum_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t checksum_of_file(const std::filesystem::path& path) {
  return checksum_of_files({path});
}

std::uint64_t checksum_of_files(const std::vector<std::filesystem::path>& paths) {
  constexpr std::size_t kPiece = std::size_t{64} << 20;  // read between two releases of pages
  Checksum checksum;
  for (const std::filesystem::path& path : paths) {
    const MappedFile file(path);
    for (std::size_t begin = 0; begin < file.bytes().size(); begin += kPiece) {
      checksum.update(file.bytes().subspan(begin, std::min(kPiece, file.bytes().size() - begin)));
      file.release_pages();
    }
  }
  return checksum.value();
}

std::string to_hex(std::uint64_t value) {
  constexpr std::size_t kDigits = 16;
  char buffer[kDigits];
  char* const end = std::to_chars(buffer, buffer + kDigits, value, 16).ptr;
  const std::string digits(buffer, end);
  return std::string(kDigits - digits.size(), '0') + digits;
}

std::uint64_t from_hex(std::string_view digits) {
  constexpr std::string_view kLowerCase = "0123456789abcdef";
  if (digits.size() != 16 || digits.find_first_not_of(kLowerCase) != std::string_view::npos) {
    throw BadInput("'" + std::string(digits) + "' is no checksum: expected 16 lower-case hexadecimal digits");
  }
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

}  // namespace tinylm
