#include "model/ops/kernels/cached_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/instruction_set.h"

namespace tinylm::ops {
namespace {

/// One key head's work with every number drawn, and the formula of each step in double.
class CacheCase {
 public:
  explicit CacheCase(std::uint32_t seed) : random_(seed) {
    D = 2 * between(1, 64);
    G = between(1, 4);
    T = between(1, 80);
    first = between(0, T - 1);
    normed = between(0, 1) == 1;
    rotary = between(0, 1) == 1;
    sloped = between(0, 1) == 1;
    q = drawn(T * G * D);
    k = drawn(T * D);
    v = drawn(T * D);
    query_norm = drawn(D);
    key_norm = drawn(D);
    slopes = drawn(G);
    for (std::int64_t i = 0; i < T * D / 2; ++i) {
      const double angle = 0.1 * static_cast<double>(between(0, 1000));
      cosines.push_back(static_cast<float>(std::cos(angle)));
      sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }

  /// The kernel's output for tokens [first, T), after the ones before were put into the cache one by one.
  std::vector<float> computed() const {
    const std::int64_t width = (G + 2) * D;
    std::vector<float> rows(T * width), keys(D * whole_lanes(T)), values(T * whole_lanes(D)), scores(whole_lanes(T)),
        output(T * G * D);
    for (std::int64_t t = 0; t < T; ++t) {
      std::copy_n(q.begin() + t * G * D, G * D, rows.begin() + t * width);
      std::copy_n(k.begin() + t * D, D, rows.begin() + t * width + G * D);
      std::copy_n(v.begin() + t * D, D, rows.begin() + t * width + (G + 1) * D);
    }
    CachedAttention a{.G = G, .D = D};
    a.token_stride = width;
    a.keys = keys.data();
    a.values = values.data();
    if (normed) a.query_norm = query_norm.data(), a.key_norm = key_norm.data();
    if (rotary) a.cosines = cosines.data(), a.sines = sines.data();
    if (sloped) a.slopes = slopes.data();
    a.epsilon = 1e-5F;
    a.scale = 0.2F;
    a.scores = scores.data();
    a.output_stride = G * D;
    for (std::int64_t t = 0; t < T; t += a.tokens) {
      a.first = t;
      a.tokens = t < first ? 1 : T - first;
      a.q = rows.data() + t * width;
      a.k = a.q + G * D;
      a.v = a.k + D;
      a.output = output.data() + t * G * D;
      cached_attention(a);
    }
    return output;
  }

  double expected(std::int64_t t, std::int64_t g, std::int64_t d) const {
    std::vector<double> scores;
    double sum = 0.0, result = 0.0;
    for (std::int64_t s = 0; s <= t; ++s) {
      double dot = 0.0;
      const std::vector<double> query = prepared(q.data() + (t * G + g) * D, query_norm, t);
      const std::vector<double> key = prepared(k.data() + s * D, key_norm, s);
      for (std::int64_t i = 0; i < D; ++i) dot += query[i] * key[i];
      const double weight = std::exp(0.2 * dot - (sloped ? slopes[g] * static_cast<double>(t - s) : 0.0));
      sum += weight;
      result += weight * v[s * D + d];
    }
    return result / sum;
  }

  std::int64_t D, G, T, first;
  bool normed, rotary, sloped;

 private:
  std::vector<double> prepared(const float* x, const std::vector<float>& norm, std::int64_t t) const {
    std::vector<double> result(x, x + D);
    double squares = 0.0;
    for (const double value : result) squares += value * value;
    for (std::int64_t i = 0; normed && i < D; ++i) result[i] *= norm[i] / std::sqrt(squares / D + 1e-5);
    const std::vector<double> before = result;
    for (std::int64_t i = 0; rotary && i < D / 2; ++i) {
      const double cosine = cosines[t * D / 2 + i], sine = sines[t * D / 2 + i];
      result[i] = before[i] * cosine - before[i + D / 2] * sine;
      result[i + D / 2] = before[i] * sine + before[i + D / 2] * cosine;
    }
    return result;
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  std::vector<float> drawn(std::int64_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = std::uniform_real_distribution<float>(-1.0F, 1.0F)(random_);
    return values;
  }

  std::mt19937 random_;
  std::vector<float> q, k, v, query_norm, key_norm, slopes, cosines, sines;
};

TEST(CachedAttention, EqualsTheFormulas) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const CacheCase c(seed);
    for (const InstructionSet set : available_instruction_sets()) {
      const InstructionSetLimit limit(set);
      const std::vector<float> output = c.computed();
      for (std::int64_t t = 0; t < c.T; t += 1 + c.T / 5)
        for (std::int64_t g = 0; g < c.G; ++g)
          for (std::int64_t d = 0; d < c.D; d += 1 + c.D / 7)
            ASSERT_NEAR(output[(t * c.G + g) * c.D + d], c.expected(t, g, d), 2e-6)
                << "seed " << seed << " " << name_of(set) << " t " << t << " of " << c.T << " g " << g << " d " << d;
    }
  }
}

}  // namespace
}  // namespace tinylm::ops
