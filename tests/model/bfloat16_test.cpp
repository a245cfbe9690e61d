// Products in bfloat16: the rounding against libtorch's, the products against float64 sums of what was rounded, and the
// model's rule that only what is learned from is computed in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "model/model.h"
#include "model/ops/activations.h"
#include "model/ops/feed_forward.h"
#include "model/ops/kernels/activation.h"
#include "model/ops/kernels/bfloat16.h"
#include "model/ops/kernels/row_norm.h"
#include "model/ops/linear.h"
#include "model/ops/linear_products.h"
#include "model/ops/matmul.h"
#include "model/ops/norms.h"
#include "model/ops/projected_loss.h"
#include "testing/fused.h"

namespace tinylm {
namespace {

using testing::at_each_instruction_set;
using testing::close_by_scale;
using testing::expect_reproducible;
using testing::products_agree_across_threads;
using testing::tensors_close;
using testing::tensors_equal;

/// Half of the distance between neighbouring numbers of 8 bits, relative to them: what rounding one may cost.
constexpr double kRoundingError = 1.0 / 256.0;

std::uint16_t rounded(float value) {
  ops::Bfloat16 result;
  ops::round_to_bfloat16(&value, 1, &result);
  return result.bits;
}

/// `count` numbers that lie at `numbers`, as a tensor of libtorch's bfloat16.
torch::Tensor as_tensor(std::vector<ops::Bfloat16>& numbers) {
  return torch::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, torch::kBFloat16);
}

TEST(RoundToBfloat16, GoesToTheNearestAndFromHalfwayToTheEven) {
  at_each_instruction_set([] {
    EXPECT_EQ(rounded(1.0F), 0x3F80);
    EXPECT_EQ(rounded(1.0F + 1.0F / 256.0F), 0x3F80) << "halfway, down to the even";
    EXPECT_EQ(rounded(1.0F + 3.0F / 256.0F), 0x3F82) << "halfway, up to the even";
    EXPECT_EQ(rounded(1.0F + 1.0F / 256.0F + 1e-6F), 0x3F81) << "just above halfway";
    EXPECT_EQ(rounded(-2.0F), 0xC000);
    EXPECT_EQ(rounded(-0.0F), 0x8000);
    EXPECT_EQ(rounded(std::numeric_limits<float>::max()), 0x7F80) << "beyond the largest";
    EXPECT_EQ(rounded(-std::numeric_limits<float>::infinity()), 0xFF80);
    EXPECT_EQ(rounded(std::numeric_limits<float>::denorm_min()), 0x0000);
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(std::uint32_t{rounded(std::bit_cast<float>(0x7F800001U))} << 16)))
        << "what is not a number must not become infinite";
  });
}

TEST(RoundToBfloat16, RoundsAsLibtorchDoes) {
  torch::manual_seed(1);
  const torch::Tensor values = torch::randn({70001}) * torch::pow(10.0, torch::randint(-30, 30, {70001}));
  at_each_instruction_set([&] {
    std::vector<ops::Bfloat16> found(70001);
    ops::round_to_bfloat16(values.data_ptr<float>(), values.numel(), found.data());
    EXPECT_TRUE(tensors_equal(as_tensor(found), values.to(torch::kBFloat16)));
  });
}

TEST(RoundedRows, OfANormAreItsFloat32RowsRounded) {
  torch::manual_seed(5);
  const std::int64_t rows = 37, C = 50;
  const torch::Tensor x = torch::randn({rows, C}), weight = torch::randn({C}), bias = torch::randn({C}),
                      statistics = torch::empty({2, rows}), expected = torch::empty({rows, C});
  const ops::RowNormStatistics kept{statistics.data_ptr<float>(), statistics.data_ptr<float>() + rows};
  at_each_instruction_set([&] {
    for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRmsNorm})
      for (const float* with_bias : {static_cast<const float*>(nullptr), static_cast<const float*>(bias.data_ptr())}) {
        const ops::RowNorm norm{kind, rows, C, ops::kNormEpsilon, weight.data_ptr<float>(), with_bias};
        std::vector<ops::Bfloat16> found(rows * C), again(rows * C);
        ops::row_norm_forward(norm, x.data_ptr<float>(), expected.data_ptr<float>(), kept);
        ops::row_norm_forward(norm, x.data_ptr<float>(), found.data(), kept);
        ops::row_norm_again(norm, x.data_ptr<float>(), kept, again.data());
        const torch::Tensor rounded_rows = expected.to(torch::kBFloat16).view({-1});
        EXPECT_TRUE(tensors_equal(as_tensor(found), rounded_rows));
        EXPECT_TRUE(tensors_equal(as_tensor(again), rounded_rows));
      }
  });
}

TEST(RoundedRows, OfAnActivationAreItsFloat32RowsRoundedAndItsSumsAreNot) {
  torch::manual_seed(6);
  const std::int64_t rows = 41, F = 33;
  at_each_instruction_set([&] {
    for (const ActivationKind kind : {ActivationKind::kGelu, ActivationKind::kSquaredRelu, ActivationKind::kSwiGlu}) {
      const std::int64_t expanded = ops::activation_inputs(kind) * F;
      const torch::Tensor h = torch::randn({rows, expanded}), da = torch::randn({rows, F}), a = torch::empty_like(da),
                          again = torch::empty_like(da), dh = torch::empty_like(h), dbias = torch::empty({expanded}),
                          same_dbias = torch::empty({expanded});
      const auto *hidden = h.data_ptr<float>(), *gradient = da.data_ptr<float>();
      ops::activation_forward({kind, rows, F}, hidden, a.data_ptr<float>());
      ops::activation_backward({kind, rows, F}, hidden, gradient, dh.data_ptr<float>(), again.data_ptr<float>(),
                               dbias.data_ptr<float>());
      std::vector<ops::Bfloat16> found_a(rows * F), found_again(rows * F), found_dh(rows * expanded);
      ops::activation_forward({kind, rows, F}, hidden, found_a.data());
      ops::activation_backward({kind, rows, F}, hidden, gradient, found_dh.data(), found_again.data(),
                               same_dbias.data_ptr<float>());
      EXPECT_TRUE(tensors_equal(as_tensor(found_a), a.to(torch::kBFloat16).view({-1})));
      EXPECT_TRUE(tensors_equal(as_tensor(found_again), again.to(torch::kBFloat16).view({-1})));
      EXPECT_TRUE(tensors_equal(as_tensor(found_dh), dh.to(torch::kBFloat16).view({-1})));
      EXPECT_TRUE(tensors_equal(same_dbias, dbias));
    }
  });
}

TEST(RoundedWeight, IsKeptUntilTheWeightChanges) {
  const torch::Tensor weight = torch::randn({5, 7});
  const auto first = ops::rounded_weight(weight);
  const torch::Tensor before = first->numbers().clone();
  EXPECT_TRUE(tensors_equal(before, weight.to(torch::kBFloat16)));
  EXPECT_EQ(ops::rounded_weight(weight), first);
  weight.add_(1.0);
  EXPECT_TRUE(tensors_equal(ops::rounded_weight(weight)->numbers(), weight.to(torch::kBFloat16)));
  EXPECT_TRUE(tensors_equal(first->numbers(), before)) << "what a product may still read must not change";
}

TEST(RoundedWeight, IsNotThatOfAnotherWeightWhichCameToLieThere) {
  float memory[6] = {};
  for (const float value : {1.0F, 2.0F}) {
    std::fill_n(memory, 6, value);
    const torch::Tensor weight = torch::from_blob(memory, {2, 3}, torch::kFloat32);
    EXPECT_TRUE(tensors_equal(ops::rounded_weight(weight)->numbers(), torch::full({2, 3}, value, torch::kBFloat16)));
  }
}

TEST(RoundedWeight, IsNotThatOfAnotherLivingTensorOverTheSameMemory) {
  float memory[6] = {};
  const torch::Tensor one = torch::from_blob(memory, {2, 3}, torch::kFloat32);
  ops::rounded_weight(one);
  std::fill_n(memory, 6, 3.0F);
  const torch::Tensor other = torch::from_blob(memory, {2, 3}, torch::kFloat32);
  EXPECT_TRUE(tensors_equal(ops::rounded_weight(other)->numbers(), torch::full({2, 3}, 3.0F, torch::kBFloat16)));
}

TEST(RoundedWeight, HasTheSizesOfTheViewThatItIsMadeFor) {
  const torch::Tensor weight = torch::zeros({2, 3});
  EXPECT_EQ(ops::rounded_weight(weight)->numbers().sizes(), weight.sizes());
  EXPECT_EQ(ops::rounded_weight(weight.view({3, 2}))->numbers().sizes(), torch::IntArrayRef({3, 2}));
}

TEST(Bfloat16, IsRefusedWhereTheProcessorHasNoSuchProducts) {
  const torch::Tensor x = torch::full({1, 1}, 1.0F), weight = torch::full({1, 1}, 2.0F);
  if (ops::has_bf16_matmul()) {
    EXPECT_EQ(ops::linear(x.requires_grad_(), weight, {}, Ops::kBfloat16).item<float>(), 2.0F);
  } else {
    EXPECT_THROW(ops::linear(x.requires_grad_(), weight, {}, Ops::kBfloat16), std::runtime_error);
  }
}

/// The tests below multiply in bfloat16.
class Bfloat16Products : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!ops::has_bf16_matmul()) GTEST_SKIP() << "this processor has no bfloat16 products";
    torch::manual_seed(2);
  }
};

torch::Tensor as_rounded(const torch::Tensor& x) {
  return x.to(torch::kBFloat16).to(torch::kFloat64);
}

TEST_F(Bfloat16Products, OfALinearLayerAreThoseOfTheRoundedMatrices) {
  for (const std::int64_t rows : {1, 7, 130}) {
    const torch::Tensor x = torch::randn({rows, 33}).requires_grad_(true),
                        weight = torch::randn({50, 33}).requires_grad_(true),
                        bias = torch::randn({50}).requires_grad_(true), dy = torch::randn({rows, 50});
    const torch::Tensor y = ops::linear(x, weight, bias, Ops::kBfloat16);
    y.backward(dy);
    const auto close = [](const torch::Tensor& found, const torch::Tensor& expected) {
      return tensors_close(found.to(torch::kFloat64), expected, 1e-4);
    };
    EXPECT_TRUE(close(y, as_rounded(x).matmul(as_rounded(weight).t()) + bias.to(torch::kFloat64)));
    EXPECT_TRUE(close(x.grad(), as_rounded(dy).matmul(as_rounded(weight))));
    EXPECT_TRUE(close(weight.grad(), as_rounded(dy).t().matmul(as_rounded(x))));
    EXPECT_TRUE(close(bias.grad(), dy.to(torch::kFloat64).sum(0)));
  }
}

TEST_F(Bfloat16Products, ReadAPackedWeightAsAPlainOne) {
  for (const auto& [rows, inputs, outputs] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {0, 33, 50}, {7, 33, 50}, {130, 128, 65}, {64, 384, 128}}) {
    const torch::Tensor x = torch::randn({rows, inputs}).to(torch::kBFloat16),
                        dy = torch::randn({rows, outputs}).to(torch::kBFloat16),
                        weight = torch::randn({outputs, inputs}), bias = torch::randn({outputs});
    const auto products = [&](ops::WeightLayout layout) {
      const ops::WeightOperand read = ops::weight_operand(weight, Ops::kBfloat16, layout);
      torch::Tensor y = torch::empty({rows, outputs}), biased = torch::empty({rows, outputs}),
                    dx = torch::empty({rows, inputs});
      ops::linear_forward(x, read, {}, y);
      ops::linear_forward(x, read, bias, biased);
      ops::linear_input_gradient(dy, read, dx);
      return std::vector<torch::Tensor>{y, biased, dx};
    };
    for (int step = 0; step < 2; ++step) {
      const auto plain = products(ops::WeightLayout::kPlain), packed = products(ops::WeightLayout::kPacked);
      for (std::size_t i = 0; i < plain.size(); ++i)
        EXPECT_TRUE(close_by_scale(packed[i], plain[i], 1e-5)) << rows << " rows, result " << i;
      weight.mul_(-2.0);  // as an optimizer's step: packed again
    }
  }
}

TEST_F(Bfloat16Products, RefuseAWeightThatWasPackedForOthers) {
  const ops::MatmulShape shape = ops::linear_forward_shape({4, 48, 32}), other = ops::linear_forward_shape({4, 32, 48});
  const torch::Tensor numbers = torch::zeros({32, 48}, torch::kBFloat16);
  const auto* halves = static_cast<const ops::Bfloat16*>(numbers.data_ptr());
  float y[4 * 48];
  EXPECT_THROW(ops::matmul_bf16(shape, halves, ops::PackedMatrix(), y), std::invalid_argument);
  EXPECT_THROW(ops::matmul_bf16(other, halves, ops::PackedMatrix(shape, halves), y), std::invalid_argument);
  EXPECT_TRUE(ops::PackedMatrix(shape, halves).fits(shape));
}

/// Of one model: its loss on random tokens with all gradients, under `ops`.
std::vector<torch::Tensor> loss_and_gradients(const ModelConfig& config, Ops ops) {
  LanguageModel model(config, /*seed=*/3, ops);
  torch::manual_seed(4);
  const torch::Tensor ids = torch::randint(config.vocabulary_size, {3, config.context + 1}, torch::kInt64);
  const DropoutPlan dropout{config.dropout, 1, 0};
  const torch::Tensor hidden = model->hidden(ids.slice(1, 0, config.context), {.dropout = &dropout});
  const torch::Tensor loss =
      ops::projected_loss(hidden, model->output_weight(), ids.slice(1, 1, config.context + 1), model->ops());
  loss.backward();
  std::vector<torch::Tensor> results = {loss.detach()};
  for (const torch::Tensor& parameter : model->parameters()) results.push_back(parameter.grad());
  return results;
}

std::vector<ModelConfig> configurations() {
  ModelConfig gpt2;
  gpt2.vocabulary_size = 37;
  gpt2.context = 24;
  gpt2.layers = 2;
  gpt2.heads = 4;
  gpt2.width = 64;
  gpt2.bias = true;
  gpt2.dropout = 0.1;
  ModelConfig llama = gpt2;
  llama.bias = false;
  llama.kv_heads = 2;
  llama.norm = NormKind::kRmsNorm;
  llama.activation = ActivationKind::kSwiGlu;
  llama.positions = "rope";
  llama.query_key_norm = true;
  llama.tied_embeddings = false;
  return {gpt2, llama};
}

TEST_F(Bfloat16Products, ChangeLossAndGradientsByLittle) {
  for (const ModelConfig& config : configurations()) {
    const auto found = loss_and_gradients(config, Ops::kBfloat16), expected = loss_and_gradients(config, Ops::kAuto);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_NEAR(found[0].item<double>(), expected[0].item<double>(), kRoundingError * expected[0].item<double>());
    bool differs = false;
    for (std::size_t i = 1; i < found.size(); ++i) {
      const double size = expected[i].norm().item<double>();
      EXPECT_LT((found[i] - expected[i]).norm().item<double>(), 4 * kRoundingError * size + 1e-9) << i;
      differs = differs || !found[i].equal(expected[i]);
    }
    EXPECT_TRUE(differs) << "nothing was rounded";
  }
}

TEST_F(Bfloat16Products, GiveTheSameEveryTime) {
  for (const ModelConfig& config : configurations())
    expect_reproducible([&] { return loss_and_gradients(config, Ops::kBfloat16); },
                        products_agree_across_threads(ops::MatmulInputs::kBfloat16));
}

TEST_F(Bfloat16Products, AreForLearningAlone) {
  for (const ModelConfig& config : configurations()) {
    const torch::Tensor ids = torch::randint(config.vocabulary_size, {2, config.context}, torch::kInt64);
    LanguageModel rounding(config, 3, Ops::kBfloat16), exact(config, 3, Ops::kAuto);
    const torch::Tensor learned_from = rounding->forward(ids);
    const torch::NoGradGuard no_gradients;
    EXPECT_TRUE(tensors_equal(rounding->forward(ids), exact->forward(ids)));
    EXPECT_FALSE(learned_from.detach().equal(exact->forward(ids)));
    KvCache rounding_cache(config, 2, config.context), exact_cache(config, 2, config.context);
    EXPECT_TRUE(tensors_equal(rounding->forward(ids, {.cache = &rounding_cache}),
                              exact->forward(ids, {.cache = &exact_cache})));
  }
}

}  // namespace
}  // namespace tinylm
