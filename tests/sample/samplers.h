// Ways to sample that several tests take.
#pragma once

#include <cstdint>

#include "sample/generator.h"

namespace tinylm::test {

constexpr double kLikely = 30.0;  // a logit that makes its token all but certain

inline Sampler greedy() {
  SamplerOptions options;
  options.greedy = true;
  return Sampler(options);
}

/// At temperature 1.
inline Sampler drawing(std::uint64_t seed) {
  SamplerOptions options;
  options.temperature = 1.0;
  options.seed = seed;
  return Sampler(options);
}

inline GenerateOptions at_most(std::int64_t tokens) {
  GenerateOptions options;
  options.max_tokens = tokens;
  return options;
}

}  // namespace tinylm::test
