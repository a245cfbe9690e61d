// The safetensors format: 8 bytes little-endian header length, a JSON header (name -> dtype, shape, data_offsets), the data
// without holes. The header is padded with spaces to a multiple of 8.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/files.h"

namespace tinylm {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;
using Metadata = std::map<std::string, std::string>;

/// Writes tensors (made contiguous, on the processor; F32, F64, F16, BF16, I32, I64, U8) in the given order, and syncs the file. Returns the checksum
/// of its bytes. Not atomic by itself: checkpoints rename their whole folder. Throws FileError.
std::uint64_t write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors, const Metadata& metadata);

/// A mapped file; tensors are copied out on request.
class SafetensorsFile {
 public:
  /// Checks lengths, JSON, dtypes, offsets (in range, without holes or overlaps, matching shape). Throws FileError ("damaged: ...").
  explicit SafetensorsFile(const std::filesystem::path& path);
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;
  /// A copy. Throws FileError when there is no such tensor.
  torch::Tensor tensor(const std::string& name) const;
  const Metadata& metadata() const { return metadata_; }

 private:
  struct Entry {
    torch::Dtype dtype;
    std::vector<std::int64_t> shape;
    std::size_t begin, end;
  };
  MappedFile file_;
  std::size_t data_begin_ = 0;
  std::map<std::string, Entry> entries_;
  Metadata metadata_;
};

/// Copies every tensor into the parameter or buffer of the same name. Throws FileError naming what is missing, unknown or of
/// another shape.
void load_parameters(torch::nn::Module& module, const SafetensorsFile& file);

}  // namespace tinylm
