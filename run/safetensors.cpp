#include "run/safetensors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/errors.h"

namespace tinylm {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kHeaderAlignment = 8;
constexpr std::uint64_t kLargestHeader = 100'000'000;  // the limit of the format's own library
constexpr const char* kMetadataKey = "__metadata__";

struct DtypeName {
  const char* name;
  torch::Dtype dtype;
};
constexpr std::array<DtypeName, 7> kDtypes{{{"F32", torch::kFloat32},
                                            {"F64", torch::kFloat64},
                                            {"F16", torch::kFloat16},
                                            {"BF16", torch::kBFloat16},
                                            {"I32", torch::kInt32},
                                            {"I64", torch::kInt64},
                                            {"U8", torch::kUInt8}}};

const char* name_of(torch::Dtype dtype, const std::string& tensor) {
  for (const auto& known : kDtypes) {
    if (known.dtype == dtype) return known.name;
  }
  throw std::invalid_argument("tensor " + tensor + " has a type that a safetensors file does not hold here: " +
                              std::string(c10::toString(dtype)));
}

/// A file that counts its own checksum while it is written. Every failure is a FileError with the system's reason.
class CheckedWriter {
 public:
  explicit CheckedWriter(const std::filesystem::path& path)
      : path_(path), file_(std::fopen(path.c_str(), "wb"), &std::fclose) {
    if (!file_) fail();
  }
  void write(const void* bytes, std::size_t size) {
    if (size != 0 && std::fwrite(bytes, 1, size, file_.get()) != size) fail();
    checksum_.update(std::string_view(static_cast<const char*>(bytes), size));
  }
  /// Closes and syncs the file; its checksum.
  std::uint64_t finish() {
    if (std::fclose(file_.release()) != 0) fail();
    sync_file(path_);
    return checksum_.value();
  }

 private:
  [[noreturn]] void fail() const {
    throw FileError("cannot write " + path_.string() + ": " + std::strerror(errno) +
                    "; is there room on the disk, and may you write there?");
  }
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  Checksum checksum_;
};

/// The length field and the padded JSON header.
std::string header_bytes(const NamedTensors& tensors, const Metadata& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::size_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::size_t end = offset + tensor.numel() * tensor.element_size();
    header[name] = {{"dtype", name_of(tensor.scalar_type(), name)},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string json = header.dump();
  json.resize((json.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(json.size()) >> (8 * i) & 0xff);
  }
  return bytes + json;
}

/// Bytes of a tensor of this shape, or nothing when that does not fit into 63 bits.
std::optional<std::uint64_t> byte_count(const std::vector<std::int64_t>& shape, torch::Dtype dtype) {
  std::uint64_t bytes = c10::elementSize(dtype);
  for (const std::int64_t size : shape) {
    const unsigned __int128 product = static_cast<unsigned __int128>(bytes) * static_cast<std::uint64_t>(size);
    if (product >> 63 != 0) return std::nullopt;
    bytes = static_cast<std::uint64_t>(product);
  }
  return bytes;
}

}  // namespace

std::uint64_t write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                                const Metadata& metadata) {
  CheckedWriter writer(path);
  const std::string header = header_bytes(tensors, metadata);
  writer.write(header.data(), header.size());
  for (const auto& [name, tensor] : tensors) {
    const torch::Tensor bytes = tensor.detach().to(torch::kCPU).contiguous();
    writer.write(bytes.data_ptr(), bytes.numel() * bytes.element_size());
  }
  return writer.finish();
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  read_header();
  require_no_holes();
}

void SafetensorsFile::damaged(const std::string& what) const {
  throw FileError(file_.path().string() + " is damaged: " + what);
}

void SafetensorsFile::read_header() {
  const std::string_view text = file_.text();
  if (text.size() < kLengthBytes) {
    damaged("it has " + std::to_string(text.size()) + " bytes, and the header's length alone takes 8");
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  if (length > kLargestHeader || length > text.size() - kLengthBytes) {
    damaged("its header should have " + std::to_string(length) + " bytes, but the file has " +
            std::to_string(text.size()));
  }
  data_begin_ = kLengthBytes + length;
  const auto header = nlohmann::json::parse(text.substr(kLengthBytes, length), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) damaged("its header is not a JSON object");
  for (const auto& [name, value] : header.items()) {
    try {
      if (name == kMetadataKey) {
        metadata_ = value.get<Metadata>();
        continue;
      }
      const auto dtype_name = value.at("dtype").get<std::string>();
      const auto dtype = std::find_if(kDtypes.begin(), kDtypes.end(), [&](auto& d) { return d.name == dtype_name; });
      if (dtype == kDtypes.end()) damaged("tensor " + name + " has the unknown type " + dtype_name);
      for (const auto& number : value.at("shape")) {
        if (!number.is_number_unsigned()) damaged("tensor " + name + " has a size that is not a whole number");
      }
      const auto offsets = value.at("data_offsets").get<std::array<std::size_t, 2>>();
      entries_[name] = {dtype->dtype, value.at("shape").get<std::vector<std::int64_t>>(), offsets[0], offsets[1]};
    } catch (const nlohmann::json::exception&) {
      damaged("the header's entry " + name + " lacks its type, shape or offsets");
    }
  }
}

void SafetensorsFile::require_no_holes() const {
  std::vector<std::pair<std::string, Entry>> in_order(entries_.begin(), entries_.end());
  std::sort(in_order.begin(), in_order.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.begin, a.second.end) < std::pair(b.second.begin, b.second.end);
  });
  std::size_t covered = 0;
  for (const auto& [name, entry] : in_order) {
    const auto bytes = byte_count(entry.shape, entry.dtype);
    if (entry.end < entry.begin || !bytes || entry.end - entry.begin != *bytes) {
      damaged("tensor " + name + " of shape " + shape_text(entry.shape) + " does not fit its bytes " +
              std::to_string(entry.begin) + " to " + std::to_string(entry.end));
    }
    if (entry.begin < covered) damaged("tensor " + name + " overlaps the one before it");
    if (entry.begin > covered) damaged("there is a hole before tensor " + name);
    covered = entry.end;
  }
  const std::size_t data_bytes = file_.bytes().size() - data_begin_;
  if (covered != data_bytes) {
    damaged("its tensors take " + std::to_string(covered) + " bytes, but " + std::to_string(data_bytes) +
            " follow the header");
  }
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

const SafetensorsFile::Entry& SafetensorsFile::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw FileError(file_.path().string() + " has no tensor " + name);
  return found->second;
}

torch::Tensor SafetensorsFile::tensor(const std::string& name) const {
  const Entry& entry = this->entry(name);
  torch::Tensor copy = torch::empty(entry.shape, entry.dtype);
  if (entry.end != entry.begin) {  // an empty tensor may have no memory
    std::memcpy(copy.data_ptr(), file_.bytes().data() + data_begin_ + entry.begin, entry.end - entry.begin);
  }
  return copy;
}

NamedTensors parameters_of(const torch::nn::Module& module) {
  NamedTensors parameters;
  for (const auto& item : module.named_parameters()) parameters.emplace_back(item.key(), item.value());
  return parameters;
}

void load_tensors(const NamedTensors& targets, const SafetensorsFile& file, const std::string& owner) {
  std::string problems;
  std::set<std::string> known;
  for (const auto& [name, target] : targets) {
    known.insert(name);
    if (!file.contains(name)) {
      problems += "\n  " + name + " is missing";
      continue;
    }
    if (file.shape(name) != target.sizes()) {
      problems += "\n  " + name + " has shape " + shape_text(file.shape(name)) + ", " + owner + " needs " +
                  shape_text(target.sizes());
    }
  }
  for (const std::string& name : file.names()) {
    if (known.count(name) == 0) problems += "\n  " + name + " is unknown to " + owner;
  }
  if (!problems.empty()) throw FileError(file.path().string() + " does not fit " + owner + ":" + problems);
  const torch::NoGradGuard no_gradients;
  for (const auto& [name, target] : targets) torch::Tensor(target).copy_(file.tensor(name));
}

void load_parameters(torch::nn::Module& module, const SafetensorsFile& file) {
  load_tensors(parameters_of(module), file, "the model");
}

std::string shape_text(torch::IntArrayRef shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

}  // namespace tinylm
