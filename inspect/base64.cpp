#include "inspect/base64.h"

#include <sodium.h>

#include <bit>
#include <cstdint>

namespace tinylm {
namespace {

template <class Number>
std::string little_endian(const torch::Tensor& values) {
  const torch::Tensor dense = values.contiguous();
  const Number* numbers = dense.data_ptr<Number>();
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(dense.numel()) * 4);
  for (std::int64_t i = 0; i < dense.numel(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(numbers[i]);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFF);
  }
  return bytes;
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                    kVariant);
  text.pop_back();  // the C string's end
  return text;
}

std::string base64(const torch::Tensor& values) {
  const bool whole = values.scalar_type() == torch::kInt32;
  return base64(whole ? little_endian<std::int32_t>(values) : little_endian<float>(values.to(torch::kFloat32)));
}

}  // namespace tinylm
