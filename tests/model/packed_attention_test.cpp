// Attention in tiles against its plain twin, which is computed in float64, at every instruction set that the machine
// has.
#include "model/ops/kernels/packed_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "model/attention_cases.h"
#include "model/ops/attention.h"
#include "model/ops/norms.h"
#include "model/positions.h"
#include "testing/fused.h"
#include "testing/tensors.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::at_each_instruction_set;
using tinylm::testing::close_by_scale;
using tinylm::testing::tensors_equal;

/// The inputs and outputs of the kernel; leaves of the graph in float64, for the twin.
struct Packed {
  explicit Packed(const Case& c)
      : packed(torch::randn({c.B, c.T, (c.H + 2 * c.Hkv) * c.D})), doutput(torch::randn({c.B, c.T, c.H * c.D})) {
    if (c.query_key_norm) {
      query_weight = torch::randn({c.D});
      key_weight = torch::randn({c.D});
    }
  }
  torch::Tensor packed, doutput, query_weight, key_weight;
};

/// Output and gradients.
struct Results {
  torch::Tensor output, dpacked, dquery_weight, dkey_weight;
};

Results run_kernel(const Case& c, const Packed& in) {
  const auto pointer = [](const torch::Tensor& x) { return x.defined() ? x.data_ptr<float>() : nullptr; };
  const auto positions = find_position_kind(c.positions)->make(c.config());
  const AttentionPositions numbers = positions->in_numbers(c.T, in.packed).value();
  const PackedAttention shape{.B = c.B,
                              .T = c.T,
                              .H = c.H,
                              .Hkv = c.Hkv,
                              .D = c.D,
                              .query_weight = pointer(in.query_weight),
                              .key_weight = pointer(in.key_weight),
                              .epsilon = static_cast<float>(kNormEpsilon),
                              .cosines = pointer(numbers.cosines),
                              .sines = pointer(numbers.sines),
                              .slopes = pointer(numbers.slopes),
                              .dropout = plan_of(c),
                              .dropout_site = 4};
  Results out{torch::full_like(in.doutput, NAN), torch::full_like(in.packed, NAN), {}, {}};
  if (c.query_key_norm) {
    out.dquery_weight = torch::full({c.D}, NAN);
    out.dkey_weight = torch::full({c.D}, NAN);
  }
  const torch::Tensor rows = torch::empty({2, c.B * c.H * c.T});
  const SoftmaxRows softmax_rows{pointer(rows[0]), pointer(rows[1])};
  packed_attention_forward(shape, pointer(in.packed), pointer(out.output), softmax_rows);
  packed_attention_backward(shape, pointer(in.packed), pointer(out.output), softmax_rows, pointer(in.doutput),
                            pointer(out.dpacked), pointer(out.dquery_weight), pointer(out.dkey_weight));
  return out;
}

Results run_twin(const Case& c, const Packed& in) {
  const auto leaf = [](const torch::Tensor& x) { return x.defined() ? x.to(torch::kFloat64).requires_grad_(true) : x; };
  const torch::Tensor packed = leaf(in.packed), query_weight = leaf(in.query_weight), key_weight = leaf(in.key_weight);
  const auto parts =
      packed.view({c.B, c.T, c.H + 2 * c.Hkv, c.D}).transpose(1, 2).split_with_sizes({c.H, c.Hkv, c.Hkv}, 1);
  const auto positions = find_position_kind(c.positions)->make(c.config());
  const auto prepared = [&](const torch::Tensor& x, const torch::Tensor& weight) {
    return positions->rotate(weight.defined() ? rms_norm(x, weight) : x, 0);
  };
  const DropoutPlan plan = plan_of(c);
  const AttentionOptions options{
      .mask = attention_mask(c.T, c.T, true, positions->score_bias(0, c.T, packed.options()), packed.options()),
      .dropout = &plan,
      .dropout_site = 4};
  const torch::Tensor output =
      attention(prepared(parts[0], query_weight), prepared(parts[1], key_weight), parts[2], options)
          .output.transpose(1, 2)
          .reshape({c.B, c.T, c.H * c.D});
  output.backward(in.doutput.to(torch::kFloat64));
  return {output.detach(), packed.grad(), query_weight.defined() ? query_weight.grad() : query_weight,
          key_weight.defined() ? key_weight.grad() : key_weight};
}

TEST(PackedAttention, EqualsItsTwinForwardAndBackward) {
  torch::manual_seed(1);
  tinylm::testing::Draw draw(1);
  for (int n = 0; n < kCases; ++n) {
    const Case c = random_case(draw);
    const Packed in(c);
    const Results expected = run_twin(c, in);
    at_each_instruction_set([&] {
      const Results found = run_kernel(c, in);
      EXPECT_TRUE(close_by_scale(found.output, expected.output, 3e-6)) << c.text();
      EXPECT_TRUE(close_by_scale(found.dpacked, expected.dpacked, 1e-5)) << c.text();
      EXPECT_TRUE(close_by_scale(found.dquery_weight, expected.dquery_weight, 1e-5)) << c.text();
      EXPECT_TRUE(close_by_scale(found.dkey_weight, expected.dkey_weight, 1e-5)) << c.text();
    });
  }
}

TEST(PackedAttention, EqualsItsTwinForHeadsOf128OverManyTiles) {
  torch::manual_seed(2);
  for (const Case& c : {Case{1, 333, 2, 1, 128, "rope", true, false, NormKind::kLayerNorm, 0.2},
                        Case{1, 257, 1, 1, 128, "alibi", false, false, NormKind::kLayerNorm, 0.0},
                        Case{1, 130, 1, 1, 144, "none", false, false, NormKind::kLayerNorm, 0.0}}) {
    const Packed in(c);
    const Results found = run_kernel(c, in), expected = run_twin(c, in);
    EXPECT_TRUE(close_by_scale(found.output, expected.output, 3e-6)) << c.text();
    EXPECT_TRUE(close_by_scale(found.dpacked, expected.dpacked, 1e-5)) << c.text();
  }
}

TEST(PackedAttention, KeepsItsPrecisionWhereScoresAreLarge) {
  // Scores up to some hundreds, of which one takes nearly all the weight; also ones that fall from tile to tile.
  torch::manual_seed(3);
  const Case c{1, 200, 2, 2, 32, "alibi", false, false, NormKind::kLayerNorm, 0.0};
  Packed in(c);
  in.packed.narrow(2, 0, 4 * 32).mul_(8.0);
  in.packed.narrow(1, 0, 10).mul_(3.0);
  const Results found = run_kernel(c, in), expected = run_twin(c, in);
  EXPECT_TRUE(close_by_scale(found.output, expected.output, 3e-4));  // a score of 1000 is exact to 6e-5
  EXPECT_TRUE(torch::isfinite(found.dpacked).all().item<bool>());
}

TEST(PackedAttention, IsNotANumberWhereItSeesOneThatIsNot) {
  torch::manual_seed(4);
  const Case c{1, 100, 1, 1, 16, "none", false, false, NormKind::kLayerNorm, 0.0};
  for (const std::int64_t column : {16, 32}) {  // in a key, in a value
    at_each_instruction_set([&] {
      Packed in(c);
      in.packed[0][40][column] = NAN;
      const torch::Tensor seen = torch::isnan(run_kernel(c, in).output[0]).any(-1);  // [T]
      EXPECT_EQ(seen.narrow(0, 40, 60).sum().item<std::int64_t>(), 60);
      EXPECT_EQ(seen.narrow(0, 0, 32).sum().item<std::int64_t>(), 0);
    });
  }
}

TEST(PackedAttention, GivesTheSameBitsWhateverFollows) {
  torch::manual_seed(5);
  const Case c{2, 150, 4, 2, 24, "rope", true, false, NormKind::kLayerNorm, 0.0};
  at_each_instruction_set([&] {
    for (const std::int64_t cut : {1, 37, 64, 100, 149}) {
      Packed in(c);
      const torch::Tensor before = run_kernel(c, in).output.narrow(1, 0, cut).clone();
      in.packed.narrow(1, cut, c.T - cut).normal_(0.0, 5.0);
      EXPECT_TRUE(tensors_equal(run_kernel(c, in).output.narrow(1, 0, cut), before)) << cut;
    }
  });
}

TEST(PackedAttention, GivesTheSameBitsAgainAndForEveryNumberOfThreads) {
  torch::manual_seed(6);
  for (const Case& c : {Case{1, 200, 2, 1, 24, "rope", true, false, NormKind::kLayerNorm, 0.1},
                        Case{5, 70, 4, 4, 32, "alibi", true, false, NormKind::kLayerNorm, 0.1}}) {
    const Packed in(c);
    tinylm::testing::expect_reproducible([&]() -> std::vector<torch::Tensor> {
      const Results r = run_kernel(c, in);
      return {r.output, r.dpacked, r.dquery_weight, r.dkey_weight};
    });
  }
}

/// The most memory this process has had so far, in MB.
double peak_memory_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024.0;
  return 0.0;
}

TEST(PackedAttention, NeedsMemoryForRowsAloneAndNoMatrixOfScores) {
  const Case c{1, 8192, 1, 1, 8, "none", false, false, NormKind::kLayerNorm, 0.0};
  const Packed in(c);
  const double before_mb = peak_memory_mb();
  run_kernel(c, in);
  EXPECT_LT(peak_memory_mb() - before_mb, 100.0);  // a matrix of scores has 256 MB
}

}  // namespace
}  // namespace tinylm::ops
