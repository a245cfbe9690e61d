// Which processor this is, as the kernel names it.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace tinylm {

struct Processor {
  std::string name;                // "Intel(R) Xeon(R) Processor, family 6 model 207"; "unknown" when nobody says
  std::set<std::string> features;  // "avx2", "avx512f", "avx512_bf16", "amx_bf16", ... as in /proc/cpuinfo

  bool has(const std::string& feature) const { return features.count(feature) > 0; }
};

/// From proc/cpuinfo under `root`, its first processor. Virtual machines often hide the model's name, so its numbers
/// stand beside it.
Processor read_processor(const std::filesystem::path& root = "/");

}  // namespace tinylm
