// The safetensors format: 8 bytes little-endian header length, a JSON header (name -> dtype, shape, data_offsets), the
// data without holes. The header is padded with spaces to a multiple of 8. Source: the format's description in
// https://github.com/huggingface/safetensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/torch.h"

namespace tinylm {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;
using Metadata = std::map<std::string, std::string>;

/// Writes tensors (made contiguous, on the processor; F32, F64, F16, BF16, I32, I64, U8) in the given order, and syncs
/// the file. Returns the checksum of its bytes. Not atomic by itself: checkpoints rename their whole folder. Throws
/// FileError.
std::uint64_t write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                                const Metadata& metadata);

/// A mapped file; tensors are copied out on request.
class SafetensorsFile {
 public:
  /// Checks lengths, JSON, dtypes, offsets (in range, without holes or overlaps, matching shape). Throws FileError
  /// ("damaged: ...").
  explicit SafetensorsFile(const std::filesystem::path& path);
  /// In alphabetical order.
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const { return entries_.count(name) != 0; }
  /// Both throw FileError when there is no such tensor.
  torch::IntArrayRef shape(const std::string& name) const { return entry(name).shape; }
  /// A copy.
  torch::Tensor tensor(const std::string& name) const;
  const Metadata& metadata() const { return metadata_; }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  struct Entry {
    torch::Dtype dtype;
    std::vector<std::int64_t> shape;
    std::size_t begin, end;  // of its bytes, from the end of the header
  };
  const Entry& entry(const std::string& name) const;
  void read_header();
  void require_no_holes() const;
  [[noreturn]] void damaged(const std::string& what) const;

  MappedFile file_;
  std::size_t data_begin_ = 0;
  std::map<std::string, Entry> entries_;
  Metadata metadata_;
};

/// The parameters of a module under the names they are stored by. They share memory with the module.
NamedTensors parameters_of(const torch::nn::Module& module);

/// Copies the file's tensors into those of the same names, which belong to `owner` (for messages: "the model"). Throws
/// FileError naming all that is missing, unknown or of another shape, before anything is copied.
void load_tensors(const NamedTensors& targets, const SafetensorsFile& file, const std::string& owner);
/// The same for the parameters of a model.
void load_parameters(torch::nn::Module& module, const SafetensorsFile& file);

/// "[2, 3]", for messages.
std::string shape_text(torch::IntArrayRef shape);

}  // namespace tinylm
