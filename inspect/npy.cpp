#include "inspect/npy.h"

#include <algorithm>
#include <bit>
#include <set>

#include <spdlog/fmt/ranges.h>

#include "core/errors.h"
#include "core/files.h"
#include "core/numbers.h"
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

namespace {

/// One of the tensors of every shown layer, [layers, heads, T, D], of the heads that `heads` names.
torch::Tensor of_layers(const View& view, torch::Tensor TracedHeads::*part, const std::vector<std::int64_t>& heads) {
  std::vector<torch::Tensor> layers;
  for (const std::int64_t layer : view.shown.layers)
    layers.push_back((view.heads[static_cast<std::size_t>(layer)].*part).index_select(0, torch::tensor(heads)));
  return torch::stack(layers);
}

/// The key/value heads of the heads shown.
std::vector<std::int64_t> key_value_heads(const View& view) {
  const ModelConfig& config = view.model.config;
  std::set<std::int64_t> heads;
  for (const std::int64_t head : view.shown.heads) heads.insert(head / (config.heads / config.key_value_heads()));
  return {heads.begin(), heads.end()};
}

struct NpyArray {
  const char* name;
  torch::Tensor (*values)(const View& view);
};

const std::vector<NpyArray>& npy_table() {
  static const std::vector<NpyArray> table = {
      {"attention", [](const View& view) { return view.shown.of(view.text.attention); }},
      {"q", [](const View& view) { return of_layers(view, &TracedHeads::q, view.shown.heads); }},
      {"k", [](const View& view) { return of_layers(view, &TracedHeads::k, key_value_heads(view)); }},
      {"v", [](const View& view) { return of_layers(view, &TracedHeads::v, key_value_heads(view)); }},
      {"heads", [](const View& view) { return of_layers(view, &TracedHeads::output, view.shown.heads); }},
      {"residual", [](const View& view) { return torch::stack(view.residuals); }},
  };
  return table;
}

}  // namespace

std::vector<std::string> npy_arrays() {
  std::vector<std::string> names;
  for (const NpyArray& array : npy_table()) names.emplace_back(array.name);
  return names;
}

bool is_npy_array(const std::string& name) {
  const std::vector<std::string> names = npy_arrays();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string no_npy_array(const std::string& name) {
  return "--what names \"" + name + "\", expected some of " + fmt::format("{}", fmt::join(npy_arrays(), ", ")) +
         did_you_mean(name, npy_arrays());
}

void write_npy(const View& view, const std::vector<std::string>& what, const std::filesystem::path& folder) {
  const std::filesystem::path tokens = folder / "tokens.json";
  const std::string now = tokens_json(view.text) + "\n";
  if (std::filesystem::exists(tokens) && read_file(tokens) != now)  // the arrays there are of another text
    for (const NpyArray& array : npy_table()) std::filesystem::remove(folder / (std::string(array.name) + ".npy"));
  for (const std::string& name : what) {
    const auto found =
        std::find_if(npy_table().begin(), npy_table().end(), [&](const NpyArray& array) { return name == array.name; });
    if (found == npy_table().end()) throw WrongUse(no_npy_array(name));
    write_atomically(folder / (name + ".npy"), npy_bytes(found->values(view)));
  }
  write_atomically(tokens, now);
}

}  // namespace tinylm
