#include "model/ops/dropout.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/philox.h"
#include "core/torch.h"
#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

constexpr std::int64_t kPerBlock = 4;  // elements that share a Philox block
constexpr std::int64_t kLanes = 16;    // blocks drawn together, so that the compiler can use vectors
constexpr std::int64_t kSpan = kLanes * kPerBlock;
constexpr std::int64_t kSiteShift = 40;

/// Where the random numbers of one row come from.
struct RowDraws {
  std::uint64_t seed, sample, place;
  std::uint32_t threshold;  // words below it drop their element
};

/// A word for each of the kSpan elements that begin with block `first_block`.
TINYLM_VECTORISED void draw_span(const RowDraws& draws, std::int64_t first_block, std::uint32_t* words) {
  const Philox philox(draws.seed, Purpose::kDropout);
  const std::uint64_t sample = draws.sample, place = draws.place + static_cast<std::uint64_t>(first_block);
#pragma omp simd
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const Philox::Block block = philox.block(sample, place + static_cast<std::uint64_t>(lane));
    words[kPerBlock * lane] = block[0];
    words[kPerBlock * lane + 1] = block[1];
    words[kPerBlock * lane + 2] = block[2];
    words[kPerBlock * lane + 3] = block[3];
  }
}

/// Elements [first, last) of a row, first a multiple of kSpan.
template <class Scalar>
void drop_range(const RowDraws& draws, Scalar factor, const Scalar* in, Scalar* out, std::int64_t first,
                std::int64_t last) {
  std::uint32_t words[kSpan];
  for (std::int64_t begin = first; begin < last; begin += kSpan) {
    draw_span(draws, begin / kPerBlock, words);
    const std::int64_t count = std::min(kSpan, last - begin);
    for (std::int64_t i = 0; i < count; ++i)
      out[begin + i] = words[i] < draws.threshold ? Scalar(0) : in[begin + i] * factor;
  }
}

template <class Scalar>
void drop_rows(const DropoutPlan& plan, std::int64_t site, const torch::Tensor& in, torch::Tensor& out) {
  const std::int64_t rows = in.size(0), length = in.numel() / std::max<std::int64_t>(1, rows);
  const std::int64_t spans = (length + kSpan - 1) / kSpan;
  const auto factor = static_cast<Scalar>(1.0 / (1.0 - plan.probability));
  const auto threshold = static_cast<std::uint32_t>(std::llround(plan.probability * 0x1.0p32 - 0.5));
  const Scalar* source = in.data_ptr<Scalar>();
  Scalar* target = out.data_ptr<Scalar>();
  parallel_for(0, rows * spans, 64, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t row = begin / spans, first = begin % spans;
      const std::int64_t last = std::min(spans, first + end - begin);
      const RowDraws draws{plan.seed, static_cast<std::uint64_t>(plan.first_sample + row),
                           static_cast<std::uint64_t>(site) << kSiteShift, threshold};
      drop_range(draws, factor, source + row * length, target + row * length, first * kSpan,
                 std::min(length, last * kSpan));
      begin += last - first;
    }
  });
}

torch::Tensor dropped(const torch::Tensor& x, const DropoutPlan& plan, std::int64_t site) {
  if (!x.device().is_cpu() || (x.scalar_type() != torch::kFloat32 && x.scalar_type() != torch::kFloat64)) {
    const torch::Tensor factors = dropped(torch::ones(x.sizes(), torch::kFloat32), plan, site);
    return x * factors.to(x.options());
  }
  const torch::Tensor in = x.contiguous();
  torch::Tensor out = torch::empty_like(in);
  if (x.scalar_type() == torch::kFloat64)
    drop_rows<double>(plan, site, in, out);
  else
    drop_rows<float>(plan, site, in, out);
  return out;
}

/// Draws again in the backward pass instead of keeping a mask.
struct Dropout : torch::autograd::Function<Dropout> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, double probability,
                               std::int64_t seed, std::int64_t first_sample, std::int64_t site) {
    context->saved_data["probability"] = probability;
    context->saved_data["seed"] = seed;
    context->saved_data["first_sample"] = first_sample;
    context->saved_data["site"] = site;
    return dropped(x, {probability, static_cast<std::uint64_t>(seed), first_sample}, site);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    auto& saved = context->saved_data;
    const DropoutPlan plan{saved["probability"].toDouble(), static_cast<std::uint64_t>(saved["seed"].toInt()),
                           saved["first_sample"].toInt()};
    return {dropped(gradients[0], plan, saved["site"].toInt()), {}, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor dropout(const torch::Tensor& x, const DropoutPlan& plan, std::int64_t site) {
  if (plan.probability == 0.0) return x;
  return Dropout::apply(x, plan.probability, static_cast<std::int64_t>(plan.seed), plan.first_sample, site);
}

}  // namespace tinylm::ops
