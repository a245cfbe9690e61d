#include "inspect/npy.h"

#include <bit>

#include "core/files.h"
#include "inspect/json_export.h"

namespace tinylm {

namespace {

/// A Python tuple: "()", "(3,)", "(2, 3)".
std::string tuple(torch::IntArrayRef sizes) {
  std::string text = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  return text + (sizes.size() == 1 ? ",)" : ")");
}

std::string header(torch::IntArrayRef sizes) {
  constexpr std::size_t kPrefix = 10;  // magic, version, length
  constexpr std::size_t kAlignment = 64;
  const std::string order = std::endian::native == std::endian::little ? "<" : ">";
  std::string text = "{'descr': '" + order + "f4', 'fortran_order': False, 'shape': " + tuple(sizes) + ", }";
  const std::size_t used = kPrefix + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size() & 0xFF);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

}  // namespace

std::string npy_bytes(const torch::Tensor& values) {
  const torch::Tensor data = values.to(torch::kCPU, torch::kFloat32).contiguous();
  std::string bytes = header(data.sizes());
  bytes.append(reinterpret_cast<const char*>(data.data_ptr<float>()), static_cast<std::size_t>(data.numel()) * 4);
  return bytes;
}

void write_npy(const Inspection& inspection, const std::filesystem::path& folder) {
  write_atomically(folder / "attention.npy", npy_bytes(inspection.attention));
  write_atomically(folder / "tokens.json", tokens_json(inspection) + "\n");
}

}  // namespace tinylm
