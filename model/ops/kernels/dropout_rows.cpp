#include "model/ops/kernels/dropout_rows.h"

#include <algorithm>

#include "core/parallel.h"
#include "core/vectorised.h"
#include "model/ops/kernels/kernel_levels.h"

namespace tinylm::ops {
namespace {

constexpr std::int64_t kSpan = DropoutDraws::kSpan;
constexpr std::int64_t kSpansPerThread = 64;  // fewer are not worth waking another thread

/// float32, drawn by the code for the instruction set in use.
void drop_range(const DropoutPlan& plan, const DropoutRange<float>& range) {
  kernel_level().drop_range(plan, range);
}

void drop_range(const DropoutPlan& plan, const DropoutRange<double>& range) {
  const DropoutDraws draws(plan, range.site, range.sample);
  const double factor = 1.0 / (1.0 - plan.probability);
  std::uint32_t words[kSpan];
  for (std::int64_t begin = range.first; begin < range.last; begin += kSpan) {
    draws.draw(begin, words);
    for (std::int64_t i = begin; i < std::min(begin + kSpan, range.last); ++i) {
      const double kept = words[i - begin] < draws.threshold() ? 0.0 : range.in[i] * factor;
      range.out[i] = range.residual ? range.residual[i] + kept : kept;
    }
  }
}

/// Elements [first, last) when nothing is dropped.
template <class Scalar>
void keep_range(const Scalar* in, const Scalar* residual, Scalar* out, std::int64_t first, std::int64_t last) {
  if (residual == nullptr) {
    std::copy(in + first, in + last, out + first);
  } else {
#pragma omp simd
    for (std::int64_t i = first; i < last; ++i) out[i] = residual[i] + in[i];
  }
}

}  // namespace

template <class Scalar>
void drop_rows(const DropoutPlan& plan, std::int64_t site, std::int64_t samples, std::int64_t length, const Scalar* in,
               const Scalar* residual, Scalar* out) {
  if (plan.probability == 0.0) {
    parallel_for(0, samples * length, kSpan * kSpansPerThread * 4, [&](std::int64_t first, std::int64_t last) {
      vectorised<keep_range<Scalar>>(in, residual, out, first, last);
    });
    return;
  }
  const std::int64_t spans = (length + kSpan - 1) / kSpan;
  parallel_for(0, samples * spans, kSpansPerThread, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t sample = begin / spans, first = begin % spans, offset = sample * length;
      const std::int64_t last = std::min(spans, first + end - begin);
      drop_range(plan, DropoutRange<Scalar>{site, sample, first * kSpan, std::min(length, last * kSpan), in + offset,
                                            residual ? residual + offset : nullptr, out + offset});
      begin += last - first;
    }
  });
}

template void drop_rows(const DropoutPlan&, std::int64_t, std::int64_t, std::int64_t, const float*, const float*,
                        float*);
template void drop_rows(const DropoutPlan&, std::int64_t, std::int64_t, std::int64_t, const double*, const double*,
                        double*);

}  // namespace tinylm::ops
