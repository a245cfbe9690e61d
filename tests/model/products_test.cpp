// The product engine against libtorch's own products and against sums in float64.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/processor.h"
#include "core/torch.h"
#include "model/ops/linear.h"
#include "model/ops/matmul.h"
#include "model/ops/multiply.h"
#include "model/ops/product.h"
#include "testing/tensors.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::tensors_close;
using tinylm::testing::tensors_equal;

using Shape = std::vector<std::int64_t>;

/// Relative to the size that sums of k products of standard normal numbers have.
double tolerance(std::int64_t k) {
  return 2e-6 * std::sqrt(static_cast<double>(k) + 1.0) * 4.0;
}

/// Gradients of x, weight and bias (when there is one), and the output, under `ops`.
std::vector<torch::Tensor> linear_pass(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                                       const torch::Tensor& dy, Ops ops) {
  std::vector<torch::Tensor> inputs = {x.detach().requires_grad_(true), weight.detach().requires_grad_(true)};
  if (bias.defined()) inputs.push_back(bias.detach().requires_grad_(true));
  const torch::Tensor y = linear(inputs[0], inputs[1], bias.defined() ? inputs[2] : torch::Tensor(), ops);
  y.backward(dy);
  std::vector<torch::Tensor> result = {y.detach()};
  for (const torch::Tensor& input : inputs) result.push_back(input.grad());
  return result;
}

struct LinearCase {
  Shape leading;
  std::int64_t inputs, outputs;
  bool bias;
};

class LinearShapes : public ::testing::TestWithParam<LinearCase> {};

TEST_P(LinearShapes, FastAndPlainAgreeForwardAndBackward) {
  torch::manual_seed(1);
  const LinearCase& c = GetParam();
  Shape x_shape = c.leading, y_shape = c.leading;
  x_shape.push_back(c.inputs);
  y_shape.push_back(c.outputs);
  const torch::Tensor x = torch::randn(x_shape), weight = torch::randn({c.outputs, c.inputs}),
                      dy = torch::randn(y_shape);
  const torch::Tensor bias = c.bias ? torch::randn({c.outputs}) : torch::Tensor();
  const auto fast = linear_pass(x, weight, bias, dy, Ops::kAuto), plain = linear_pass(x, weight, bias, dy, Ops::kPlain);
  const std::int64_t terms = std::max({c.inputs, c.outputs, dy.numel() / std::max<std::int64_t>(1, c.outputs)});
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(tensors_close(fast[i], plain[i], tolerance(terms))) << i;
}

INSTANTIATE_TEST_SUITE_P(Shapes, LinearShapes,
                         ::testing::Values(LinearCase{{12, 64}, 128, 384, false}, LinearCase{{12, 64}, 128, 65, true},
                                           LinearCase{{3, 5}, 7, 11, true}, LinearCase{{1, 1}, 128, 128, true},
                                           LinearCase{{1}, 1, 1, false}, LinearCase{{2, 3, 4}, 33, 17, false},
                                           LinearCase{{0, 4}, 8, 6, true}, LinearCase{{257}, 512, 128, true}));

TEST(LinearOperation, TakesStridedOperands) {
  torch::manual_seed(2);
  const torch::Tensor x = torch::randn({6, 5, 40}).slice(2, 3, 30).transpose(0, 1);  // [5, 6, 27]
  const torch::Tensor weight = torch::randn({27, 9}).t(), dy = torch::randn({9, 5, 6}).permute({1, 2, 0});
  const auto fast = linear_pass(x, weight, {}, dy, Ops::kAuto), plain = linear_pass(x, weight, {}, dy, Ops::kPlain);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(tensors_close(fast[i], plain[i], tolerance(30))) << i;
}

TEST(LinearOperation, ComputesFloat64WithLibtorch) {
  torch::manual_seed(2);
  const torch::Tensor x = torch::randn({4, 5}, torch::kFloat64), weight = torch::randn({3, 5}, torch::kFloat64);
  EXPECT_TRUE(tensors_equal(linear(x, weight, {}, Ops::kAuto), linear(x, weight, {}, Ops::kPlain)));
}

std::vector<torch::Tensor> product_pass(const torch::Tensor& a, const torch::Tensor& b, double scale, Ops ops) {
  const torch::Tensor left = a.detach().requires_grad_(true), right = b.detach().requires_grad_(true);
  const torch::Tensor c = product(left, right, scale, ops);
  torch::manual_seed(11);
  c.backward(torch::randn(c.sizes()));
  return {c.detach(), left.grad(), right.grad()};
}

void expect_same_products(const torch::Tensor& a, const torch::Tensor& b, double scale) {
  const auto fast = product_pass(a, b, scale, Ops::kAuto), plain = product_pass(a, b, scale, Ops::kPlain);
  const std::int64_t terms = std::max({a.size(-1), a.size(-2), b.size(-1)});
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_TRUE(tensors_close(fast[i], plain[i], tolerance(terms))) << "result " << i;
}

TEST(BatchedProduct, AgreesForContiguousOperands) {
  torch::manual_seed(3);
  expect_same_products(torch::randn({12, 4, 64, 32}), torch::randn({12, 4, 32, 64}), 0.25);
  expect_same_products(torch::randn({3, 5, 7}), torch::randn({3, 7, 2}), 1.0);
  expect_same_products(torch::randn({5, 7}), torch::randn({7, 2}), 3.0);
  expect_same_products(torch::randn({2, 2, 3, 4, 5}), torch::randn({2, 2, 3, 5, 6}), 0.5);
}

TEST(BatchedProduct, AgreesForHeadsInsideTokens) {
  torch::manual_seed(4);
  const torch::Tensor parts = torch::randn({3, 20, 6, 8});  // [B, T, 2 query, 2 key, 2 value heads, D]
  const auto heads = [&](std::int64_t first) { return parts.slice(2, first, first + 2).transpose(1, 2); };
  expect_same_products(heads(0), heads(2).transpose(-2, -1), 0.35);   // scores
  expect_same_products(torch::randn({3, 2, 20, 20}), heads(4), 1.0);  // output
}

TEST(BatchedProduct, AgreesForOddOnesAndEmptyOnes) {
  torch::manual_seed(5);
  expect_same_products(torch::randn({2, 3, 1, 8}), torch::randn({2, 3, 8, 5}), 0.5);
  expect_same_products(torch::randn({2, 3, 5, 1}), torch::randn({2, 3, 1, 1}), 0.5);
  expect_same_products(torch::randn({1, 1, 1, 1}), torch::randn({1, 1, 1, 1}), 2.0);
  expect_same_products(torch::randn({0, 3, 4, 5}), torch::randn({0, 3, 5, 2}), 1.0);
  expect_same_products(torch::randn({2, 3, 4, 0}), torch::randn({2, 3, 0, 2}), 1.0);
  expect_same_products(torch::randn({1, 1, 4, 6}).expand({2, 3, 4, 6}), torch::randn({2, 3, 6, 2}), 1.0);
  expect_same_products(torch::randn({2, 3, 4, 12}).slice(3, 0, 12, 2), torch::randn({2, 3, 6, 9}).slice(3, 0, 9, 3),
                       1.0);
}

TEST(BatchedProduct, BroadcastsLikeLibtorch) {
  torch::manual_seed(6);
  expect_same_products(torch::randn({2, 3, 4, 5}), torch::randn({5, 6}), 0.5);
}

TEST(BatchedProduct, LaysHeadsInsideTokensWhenTheValuesDo) {
  const torch::Tensor values = torch::randn({2, 9, 3, 4}).transpose(1, 2);  // [B, H, T, D] in the order B, T, H, D
  const torch::Tensor output = product(torch::randn({2, 3, 9, 9}), values, 1.0, Ops::kAuto);
  EXPECT_TRUE(output.transpose(1, 2).is_contiguous());
}

TEST(MatmulEngine, ChoosesNoReferenceKernelForAnyLayoutOfTheModel) {
  const std::int64_t B = 12, H = 4, T = 64, D = 32, C = 128;
  const MatrixView by_token{3 * T * C, D, 3 * C, 1}, by_token_turned{3 * T * C, D, 1, 3 * C}, joined{T * C, D, C, 1};
  const MatrixView square{H * T * T, T * T, T, 1}, square_turned{H * T * T, T * T, 1, T};
  const auto flat = [](std::int64_t columns) { return MatrixView{.row_stride = columns}; };
  const auto turned = [](std::int64_t columns) { return MatrixView{.row_stride = 1, .column_stride = columns}; };
  const std::vector<MatmulShape> shapes = {
      {.m = B * T, .n = 3 * C, .k = C, .a = flat(C), .b = turned(C), .c = flat(3 * C), .has_bias = true},
      {.m = B * T, .n = C, .k = 3 * C, .a = flat(3 * C), .b = flat(C), .c = flat(C)},
      {.m = 3 * C, .n = C, .k = B * T, .a = turned(3 * C), .b = flat(C), .c = flat(C)},
      {.m = 1, .n = C, .k = C, .a = flat(C), .b = turned(C), .c = flat(C)},
      {.outer = B, .batch = H, .m = T, .n = T, .k = D, .a = by_token, .b = by_token_turned, .c = square, .scale = 0.2F},
      {.outer = B, .batch = H, .m = T, .n = D, .k = T, .a = square, .b = by_token, .c = joined},
      {.outer = B, .batch = H, .m = T, .n = T, .k = D, .a = joined, .b = by_token_turned, .c = square},
      {.outer = B, .batch = H, .m = T, .n = D, .k = T, .a = square_turned, .b = joined, .c = joined},
      {.outer = B, .batch = H, .m = T, .n = D, .k = T, .a = square, .b = by_token, .c = joined, .scale = 0.2F}};
  for (std::size_t i = 0; i < shapes.size(); ++i)
    EXPECT_EQ(matmul_implementation(shapes[i]).find("ref"), std::string::npos)
        << "shape " << i << " runs on " << matmul_implementation(shapes[i]);
}

TEST(MatmulEngine, ScalesTheProductWithItsBias) {
  // (1 2) (3 4)^T = 11, plus a bias of 4, times a half.
  const float a[] = {1.0F, 2.0F}, b[] = {3.0F, 4.0F}, bias[] = {4.0F};
  float c[] = {0.0F};
  const MatmulShape shape{.m = 1,
                          .n = 1,
                          .k = 2,
                          .a = {.row_stride = 2},
                          .b = {.row_stride = 1},
                          .c = {.row_stride = 1},
                          .has_bias = true,
                          .scale = 0.5F};
  matmul_f32(shape, a, b, c, bias);
  EXPECT_EQ(c[0], 7.5F);
}

TEST(MatmulEngine, GivesTheBiasAloneWithoutTerms) {
  const float bias[] = {4.0F, 6.0F};
  float c[] = {1.0F, 1.0F, 1.0F, 1.0F};
  const MatmulShape shape{.m = 2, .n = 2, .k = 0, .c = {.row_stride = 2}, .has_bias = true, .scale = 0.5F};
  matmul_f32(shape, nullptr, nullptr, c, bias);
  EXPECT_EQ((std::vector<float>{c, c + 4}), (std::vector<float>{2.0F, 3.0F, 2.0F, 3.0F}));
}

TEST(MatmulEngine, RefusesMatricesWithoutAContiguousDimension) {
  const float a[8] = {}, b[8] = {};
  float c[8] = {};
  const MatrixView bad{.row_stride = 4, .column_stride = 2}, good{.row_stride = 2};
  const auto message = [&](const MatmulShape& shape) -> std::string {
    try {
      matmul_f32(shape, a, b, c);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({.m = 2, .n = 2, .k = 2, .a = bad, .b = good, .c = good}),
            "matrix A of a product needs a row or column stride of 1");
  EXPECT_EQ(message({.m = 2, .n = 2, .k = 2, .a = good, .b = bad, .c = good}),
            "matrix B of a product needs a row or column stride of 1");
  EXPECT_EQ(message({.m = 2, .n = 2, .k = 2, .a = good, .b = good, .c = {.row_stride = 1, .column_stride = 2}}),
            "matrix C of a product needs a column stride of 1");
}

TEST(MatmulEngine, MayBeUsedByManyThreads) {
  torch::manual_seed(8);
  const torch::Tensor a = torch::randn({40, 30}), b = torch::randn({30, 20});
  const torch::Tensor expected = torch::matmul(a.to(torch::kFloat64), b.to(torch::kFloat64)).to(torch::kFloat32);
  std::vector<torch::Tensor> found(8);
  std::vector<std::thread> threads;
  for (auto& result : found)
    threads.emplace_back([&] {
      for (std::int64_t columns = 1; columns <= 20; ++columns) {
        result = torch::empty({40, columns});
        multiply(a, b.slice(1, 0, columns), result);
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& result : found) EXPECT_TRUE(tensors_close(result, expected, tolerance(30)));
}

TEST(MatmulEngine, RowsDoNotDependOnOtherRows) {
  torch::manual_seed(9);
  torch::Tensor a = torch::randn({64, 48}), one = torch::empty({64, 24}), other = torch::empty({64, 24});
  const torch::Tensor b = torch::randn({48, 24});
  multiply(a, b, one);
  a.slice(0, 32).copy_(torch::randn({32, 48}));
  multiply(a, b, other);
  EXPECT_TRUE(tensors_equal(one.slice(0, 0, 32), other.slice(0, 0, 32)));
}

TEST(MatmulEngine, MeasuresItsRateAndNamesItsVersion) {
  EXPECT_EQ(std::string(matmul_engine_version()).find_first_not_of("0123456789."), std::string::npos);
}

/// The upper halves of its float32 numbers, and those numbers.
std::vector<Bfloat16> to_bfloat16(torch::Tensor& matrix) {
  const torch::Tensor halves = matrix.to(torch::kBFloat16).contiguous();
  matrix = halves.to(torch::kFloat32);
  const auto* first = static_cast<const Bfloat16*>(halves.data_ptr());
  return {first, first + halves.numel()};
}

/// Whether there must be bfloat16 products, by the kernel's word and not oneDNN's own. It asks for the AVX-512 of
/// Skylake-X (has_data_type_support() in its src/cpu/platform.cpp); with avx512_bf16 or amx_bf16 they are quick.
/// Nothing where newer ones may have them without AVX-512, by instructions for which the kernel has no flag.
std::optional<bool> bf16_products_by_flags() {
  const Processor processor = read_processor();
  const char* most = std::getenv("ONEDNN_MAX_CPU_ISA");
  if (most == nullptr) most = std::getenv("DNNL_MAX_CPU_ISA");  // its older name
  const std::string limit = most == nullptr ? "" : most;
  const bool limited = limit.starts_with("SSE") || limit == "AVX" || limit.starts_with("AVX2");
  bool avx512 = !limited;
  for (const char* flag : {"avx512f", "avx512bw", "avx512dq", "avx512vl"}) avx512 = avx512 && processor.has(flag);
  if (!avx512 && processor.has("avx_vnni")) return std::nullopt;
  return avx512;
}

TEST(ProductEngine, MultipliesBfloat16WithSumsInFloat32WhereTheProcessorHasAvx512) {
  const bool found = has_bf16_matmul();
  EXPECT_EQ(found, bf16_products_by_flags().value_or(found));
  if (!found) {
    const Bfloat16 one{0x3F80};
    float c = 0.0F;
    const MatrixView single{.row_stride = 1};
    EXPECT_ANY_THROW(matmul_bf16({.m = 1, .n = 1, .k = 1, .a = single, .b = single, .c = single}, &one, &one, &c));
    return;
  }
  torch::manual_seed(11);
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1}, {5, 7, 33}, {64, 48, 300}}) {
    torch::Tensor a = torch::randn({m, k}), b = torch::randn({k, n});
    const std::vector<Bfloat16> halves_of_a = to_bfloat16(a), halves_of_b = to_bfloat16(b);
    torch::Tensor c = torch::empty({m, n});
    matmul_bf16({.m = m, .n = n, .k = k, .a = {.row_stride = k}, .b = {.row_stride = n}, .c = {.row_stride = n}},
                halves_of_a.data(), halves_of_b.data(), c.data_ptr<float>());
    const torch::Tensor expected = torch::mm(a.to(torch::kFloat64), b.to(torch::kFloat64)).to(torch::kFloat32);
    EXPECT_TRUE(tensors_close(c, expected, tolerance(k))) << m << " " << n << " " << k;
  }
}

TEST(ProductEngine, FillsABfloat16ProductWithoutTermsWithZeros) {
  float c[] = {7.0F, 7.0F};
  matmul_bf16({.m = 1, .n = 2, .k = 0, .c = {.row_stride = 2}}, nullptr, nullptr, c);
  EXPECT_EQ(c[0], 0.0F);
  EXPECT_EQ(c[1], 0.0F);
}

}  // namespace
}  // namespace tinylm::ops
