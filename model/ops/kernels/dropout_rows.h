// The draws of dropout, and dropout over rows in memory, alone or with a residual addition. Pointers and sizes only;
// ops/dropout.h has the operation.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/philox.h"

namespace tinylm {

/// Which samples a batch holds; passed through forward during training.
struct DropoutPlan {
  double probability = 0.0;
  std::uint64_t seed = 0;
  std::int64_t first_sample = 0;  // row b of the batch is sample first_sample + b
};

namespace ops {

/// Which elements of one sample are dropped at one place in the network: element i when its word, number i % 4 of
/// Philox(seed, kDropout, sample, place = site << 40 | i / 4), is below the threshold.
class DropoutDraws {
 public:
  static constexpr std::int64_t kSpan = 64;  // elements drawn together, so that loops become vector code

  DropoutDraws(const DropoutPlan& plan, std::int64_t site, std::int64_t row)
      : philox_(plan.seed, Purpose::kDropout),
        sample_(static_cast<std::uint64_t>(plan.first_sample + row)),
        place_(static_cast<std::uint64_t>(site) << 40),
        threshold_(static_cast<std::uint32_t>(std::llround(plan.probability * 0x1.0p32 - 0.5))) {}

  std::uint32_t threshold() const { return threshold_; }

  /// The words of elements first .. first + kSpan - 1; first is a multiple of 4.
  void draw(std::int64_t first, std::uint32_t* words) const {
    const std::uint64_t place = place_ + static_cast<std::uint64_t>(first / 4);
    const Philox philox = philox_;  // copies, because the stores below could change the originals
    const std::uint64_t sample = sample_;
#pragma omp simd
    for (std::int64_t lane = 0; lane < kSpan / 4; ++lane) {
      const Philox::Block block = philox.block(sample, place + static_cast<std::uint64_t>(lane));
      words[4 * lane] = block[0];
      words[4 * lane + 1] = block[1];
      words[4 * lane + 2] = block[2];
      words[4 * lane + 3] = block[3];
    }
  }

 private:
  Philox philox_;
  std::uint64_t sample_, place_;
  std::uint32_t threshold_;
};

/// out = residual + dropped in, for x [samples, length] without gaps: each element 0 with the plan's probability p,
/// else in / (1 - p). residual null: nothing is added. out may be in or residual. p = 0 draws nothing. float and
/// double.
template <class Scalar>
void drop_rows(const DropoutPlan& plan, std::int64_t site, std::int64_t samples, std::int64_t length, const Scalar* in,
               const Scalar* residual, Scalar* out);

}  // namespace ops
}  // namespace tinylm
