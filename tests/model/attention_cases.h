// Random sizes and choices of attention, for comparing the fused one with its twin.
#pragma once

#include <cstdint>
#include <string>

#include "model/config.h"
#include "model/ops/dropout.h"
#include "testing/fused.h"

namespace tinylm::ops {

/// Sizes and choices of one comparison.
struct Case {
  std::int64_t B, T, H, Hkv, D;
  std::string positions;
  bool query_key_norm, bias;
  NormKind norm;
  double dropout;

  std::string text() const {
    return "B " + std::to_string(B) + " T " + std::to_string(T) + " H " + std::to_string(H) + " Hkv " +
           std::to_string(Hkv) + " D " + std::to_string(D) + " " + positions + (query_key_norm ? " qk-norm" : "") +
           (bias ? " bias" : "") + (norm == NormKind::kRmsNorm ? " rmsnorm" : "") + " dropout " +
           std::to_string(dropout);
  }
  ModelConfig config() const {
    ModelConfig config;
    config.context = T + 3;
    config.heads = H;
    config.kv_heads = Hkv;
    config.width = H * D;
    config.positions = positions;
    config.query_key_norm = query_key_norm;
    config.bias = bias;
    config.norm = norm;
    return config;
  }
};

/// Mostly short texts, some over several tiles; one token, one head and odd head sizes among them.
inline Case random_case(tinylm::testing::Draw& draw) {
  constexpr const char* kPositions[] = {"learned", "rope", "alibi", "none", "rope"};
  Case c;
  c.B = draw.between(1, 3);
  c.Hkv = draw.between(1, 3);
  c.H = c.Hkv * draw.between(1, 3);
  const std::int64_t length = draw.between(0, 9);
  c.T = length == 0 ? 1 : length == 1 ? draw.between(64, 200) : draw.between(2, 70);
  c.D = draw.coin() ? 8 * draw.between(1, 16) : draw.between(8, 40);
  c.positions = kPositions[draw.between(0, 4)];
  if (c.positions == "rope") c.D += c.D % 2;
  c.query_key_norm = draw.between(0, 2) == 0;
  c.bias = draw.coin();
  c.norm = draw.coin() ? NormKind::kLayerNorm : NormKind::kRmsNorm;
  c.dropout = draw.between(0, 2) == 0 ? 0.3 : 0.0;
  return c;
}
inline constexpr int kCases = 220;

inline DropoutPlan plan_of(const Case& c) {
  return {.probability = c.dropout, .seed = 77, .first_sample = 12};
}

}  // namespace tinylm::ops
