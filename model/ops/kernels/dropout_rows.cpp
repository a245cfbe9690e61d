#include "model/ops/kernels/dropout_rows.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "core/parallel.h"
#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

constexpr std::int64_t kSpan = DropoutDraws::kSpan;
constexpr std::int64_t kSpansPerThread = 64;  // fewer are not worth waking another thread

/// `value`, or 0 for a word below the threshold: by its bits, so that loops over it become vector code.
template <class Scalar>
Scalar kept(Scalar value, std::uint32_t word, std::uint32_t threshold) {
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  const Bits mask = Bits{0} - static_cast<Bits>(word >= threshold);
  return std::bit_cast<Scalar>(std::bit_cast<Bits>(value) & mask);
}

/// Elements [first, last) of a sample, first a multiple of kSpan.
template <class Scalar>
void drop_range(DropoutDraws draws, Scalar factor, const Scalar* in, const Scalar* residual, Scalar* out,
                std::int64_t first, std::int64_t last) {
  std::uint32_t words[kSpan];
  const std::uint32_t threshold = draws.threshold();
  for (std::int64_t begin = first; begin < last; begin += kSpan) {
    draws.draw(begin, words);
    const std::int64_t count = std::min(kSpan, last - begin);
    if (residual == nullptr) {
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) out[begin + i] = kept(in[begin + i] * factor, words[i], threshold);
    } else {
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i)
        out[begin + i] = residual[begin + i] + kept(in[begin + i] * factor, words[i], threshold);
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
  const auto factor = static_cast<Scalar>(1.0 / (1.0 - plan.probability));
  parallel_for(0, samples * spans, kSpansPerThread, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t sample = begin / spans, first = begin % spans, offset = sample * length;
      const std::int64_t last = std::min(spans, first + end - begin);
      vectorised<drop_range<Scalar>>(DropoutDraws(plan, site, sample), factor, in + offset,
                                     residual ? residual + offset : nullptr, out + offset, first * kSpan,
                                     std::min(length, last * kSpan));
      begin += last - first;
    }
  });
}

template void drop_rows(const DropoutPlan&, std::int64_t, std::int64_t, std::int64_t, const float*, const float*,
                        float*);
template void drop_rows(const DropoutPlan&, std::int64_t, std::int64_t, std::int64_t, const double*, const double*,
                        double*);

}  // namespace tinylm::ops
