// Random numbers of dropout, many at once. Included like level_vectors.h, after multiply_low_halves() has been defined.
#pragma once

#include "model/ops/kernels/level_vectors.h"

/// As many blocks of Philox as 64-bit lanes, four words each.
inline constexpr std::int64_t kBlocksDrawn = kLanes / 2, kWordsDrawn = 2 * kLanes;

using Wide [[gnu::vector_size(4 * kLanes)]] = std::uint64_t;
using Words [[gnu::vector_size(4 * kLanes)]] = std::uint32_t;

template <int... kLane>
Wide wide_count_up(std::integer_sequence<int, kLane...>) {
  return Wide{static_cast<std::uint64_t>(kLane)...};
}
/// Lanes kFirst, kFirst + 1, ... of a and b in turn.
template <int kFirst, int... kLane>
Wide take_turns(Wide a, Wide b, std::integer_sequence<int, kLane...>) {
  return __builtin_shuffle(a, b, Wide{static_cast<std::uint64_t>(kFirst + kLane / 2 + kLane % 2 * (kLanes / 2))...});
}

template <int... kLane>
Wide move_down(Wide a, std::integer_sequence<int, kLane...>) {
  return reinterpret_cast<Wide>(
      __builtin_shuffle(reinterpret_cast<Words>(a), Words{static_cast<std::uint32_t>(kLane | 1)...}));
}
/// The upper halves of the lanes in their lower ones; a shuffle, because shifts wait for the multiplications' port.
inline Wide upper_halves(Wide a) {
  return move_down(a, std::make_integer_sequence<int, kLanes>());
}

/// The draws of one row at one place of dropout: DropoutDraws (dropout_rows.h), several times as fast.
class FactorDraws {
 public:
  FactorDraws(const DropoutPlan& plan, std::int64_t site, std::int64_t row)
      : first_place_(static_cast<std::uint64_t>(site) << 40),
        threshold_(DropoutDraws(plan, site, row).threshold()),
        factor_(static_cast<float>(1.0 / (1.0 - plan.probability))) {
    const Philox philox(plan.seed, Purpose::kDropout);
    const Philox::Block counter = philox.counter(static_cast<std::uint64_t>(plan.first_sample + row), 0);
    sample_[0] = counter[2];
    sample_[1] = counter[3];
    std::uint32_t key[2] = {philox.key()[0], philox.key()[1]};
    for (int round = 0; round < Philox::kRounds; ++round)
      for (int i = 0; i < 2; ++i) {
        keys_[round][i] = key[i];
        key[i] += Philox::kKeySteps[i];
      }
  }

  /// What dropout multiplies elements 4 first_block .. 4 first_block + kWordsDrawn - 1 with: 0 or the factor.
  void draw(std::int64_t first_block, float* factors) const {
    constexpr auto kAll = std::make_integer_sequence<int, kLanes / 2>();
    const Wide place = wide_count_up(kAll) + (first_place_ + static_cast<std::uint64_t>(first_block));
    // The upper halves of the lanes hold whatever the steps leave there.
    Wide c0 = place, c1 = place >> 32, c2 = Wide{} + sample_[0], c3 = Wide{} + sample_[1];
    for (int round = 0; round < Philox::kRounds; ++round) {
      const Wide product0 = low_product(c0, Philox::kMultipliers[0]),
                 product1 = low_product(c2, Philox::kMultipliers[1]);
      c0 = upper_halves(product1) ^ c1 ^ keys_[round][0];
      c1 = product1;
      c2 = upper_halves(product0) ^ c3 ^ keys_[round][1];
      c3 = product0;
    }
    const Wide first = (c0 & 0xFFFFFFFFU) | (c1 << 32), second = (c2 & 0xFFFFFFFFU) | (c3 << 32);
    store(factors, factors_of(take_turns<0>(first, second, kAll)));
    store(factors + kLanes, factors_of(take_turns<kLanes / 4>(first, second, kAll)));
  }

 private:
  static Wide low_product(Wide a, std::uint64_t b) {
    return reinterpret_cast<Wide>(
        multiply_low_halves(reinterpret_cast<WideInteger>(a), reinterpret_cast<WideInteger>(Wide{} + b)));
  }
  Vector factors_of(Wide words) const {
    return reinterpret_cast<Words>(words) < threshold_ ? Vector{} : broadcast(factor_);
  }

  std::uint64_t first_place_, sample_[2], keys_[Philox::kRounds][2];
  std::uint32_t threshold_;
  float factor_;
};

/// 0 for what is dropped, even where it is not a number.
inline float kept(float x, float factor) {
  return factor == 0.0F ? 0.0F : x * factor;
}

inline void drop_range(const DropoutPlan& plan, const DropoutRange<float>& range) {
  const FactorDraws draws(plan, range.site, range.sample);
  const DropoutRange<float> r = range;  // a copy, because the stores could change the original
  alignas(64) float factors[kWordsDrawn];
  for (std::int64_t begin = r.first; begin < r.last; begin += kWordsDrawn) {
    draws.draw(begin / 4, factors);
    const std::int64_t count = smaller(kWordsDrawn, r.last - begin);
    const float *in = r.in + begin, *residual = r.residual ? r.residual + begin : nullptr;
    float* out = r.out + begin;
    if (residual == nullptr) {
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) out[i] = kept(in[i], factors[i]);
    } else {
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) out[i] = residual[i] + kept(in[i], factors[i]);
    }
  }
}
