// Which processor this is, as the kernel names it.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace tinylm {

struct Processor {
  std::string name;                // "Intel(R) Xeon(R) Processor, family 6 model 207"; "unknown" when nobody says
  std::set<std::string> features;  // "avx2", "avx512f", "avx512_bf16", "amx_bf16", ... as in /proc/cpuinfo
  std::string vendor;              // "GenuineIntel", "AuthenticAMD", ...

  /// Whether its kind multiplies matrices of bfloat16 clearly faster than of float32: with AMX, and AMD's with
  /// AVX-512's bfloat16 products, which run at twice the rate. On Intel's without AMX these run at half of it.
  bool favours_bfloat16() const;
  bool has(const std::string& feature) const { return features.count(feature) > 0; }
};

/// From proc/cpuinfo under `root`, its first processor. Virtual machines often hide the model's name, so its numbers
/// stand beside it.
Processor read_processor(const std::filesystem::path& root = "/");

}  // namespace tinylm
