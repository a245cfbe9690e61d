// Linear layers, batched products and the product engine over random shapes and layouts, against libtorch's products in
// float64.
#include <gtest/gtest.h>

#include <vector>

#include "core/torch.h"
#include "model/ops/linear.h"
#include "model/ops/matmul.h"
#include "model/ops/product.h"
#include "testing/fused.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::at_each_instruction_set;
using tinylm::testing::close_by_scale;
using tinylm::testing::Draw;

constexpr int kShapes = 240;
/// Of the largest number of a result: what sums of some hundred products in float32 are off by, times four or so.
constexpr double kSumError = 4e-6;

std::int64_t some_size(Draw& draw) {
  return draw.coin() ? draw.between(1, 40) : draw.one_of({1, 2, 7, 16, 33, 64, 65, 100, 128, 257});
}

/// The same numbers, or with the last two dimensions exchanged in memory, with gaps between rows, or between columns.
/// Gaps hold NaN.
torch::Tensor laid_out(Draw& draw, const torch::Tensor& x) {
  std::vector<std::int64_t> room = x.sizes().vec();
  const auto in_gaps = [&](std::int64_t step) {
    room.back() = x.size(-1) * step + 3;
    return torch::full(room, NAN, x.options()).slice(-1, 2, 2 + x.size(-1) * step, step).copy_(x);
  };
  switch (draw.between(0, 5)) {
    case 0:
      return x.dim() < 2 ? x : x.transpose(-2, -1).contiguous().transpose(-2, -1);
    case 1:
      return in_gaps(1);
    case 2:
      return in_gaps(2);
    default:
      return x;
  }
}

/// `function` of `inputs` (undefined ones stay so) in `dtype`, and the gradients of those that are defined.
template <class Function>
std::vector<torch::Tensor> pass_in(torch::ScalarType dtype, const std::vector<torch::Tensor>& inputs,
                                   const torch::Tensor& dy, const Function& function) {
  std::vector<torch::Tensor> leaves;
  for (const torch::Tensor& input : inputs)
    leaves.push_back(input.defined() ? input.detach().to(dtype).requires_grad_(true) : torch::Tensor());
  const torch::Tensor y = function(leaves);
  y.backward(dy.to(dtype));
  std::vector<torch::Tensor> results = {y.detach()};
  for (const torch::Tensor& leaf : leaves)
    if (leaf.defined()) results.push_back(leaf.grad());
  return results;
}

void expect_close(const std::vector<torch::Tensor>& found, const std::vector<torch::Tensor>& expected, int shape) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(close_by_scale(found[i].to(torch::kFloat64), expected[i], kSumError))
        << "shape " << shape << " result " << i;
}

TEST(LinearOperation, AgreesWithFloat64ForManyShapes) {
  at_each_instruction_set([] {
    torch::manual_seed(21);
    Draw draw(21);
    for (int i = 0; i < kShapes && !::testing::Test::HasFatalFailure(); ++i) {
      const std::int64_t inputs = some_size(draw), outputs = some_size(draw);
      std::vector<std::int64_t> x_shape;
      for (std::int64_t dimension = draw.between(0, 3); dimension > 0; --dimension)
        x_shape.push_back(draw.between(0, 12) == 0 ? 0 : draw.between(1, 9));
      std::vector<std::int64_t> y_shape = x_shape;
      x_shape.push_back(inputs);
      y_shape.push_back(outputs);
      const torch::Tensor x = laid_out(draw, torch::randn(x_shape)),
                          weight = laid_out(draw, torch::randn({outputs, inputs})),
                          bias = draw.coin() ? laid_out(draw, torch::randn({outputs})) : torch::Tensor(),
                          dy = laid_out(draw, torch::randn(y_shape));
      const auto of = [](Ops ops) {
        return [ops](const std::vector<torch::Tensor>& leaves) { return linear(leaves[0], leaves[1], leaves[2], ops); };
      };
      expect_close(pass_in(torch::kFloat32, {x, weight, bias}, dy, of(Ops::kAuto)),
                   pass_in(torch::kFloat64, {x, weight, bias}, dy, of(Ops::kPlain)), i);
    }
  });
}

TEST(BatchedProduct, AgreesWithFloat64ForManyShapes) {
  torch::manual_seed(22);
  Draw draw(22);
  for (int i = 0; i < kShapes && !::testing::Test::HasFatalFailure(); ++i) {
    const std::int64_t m = some_size(draw), k = some_size(draw), n = some_size(draw);
    std::vector<std::int64_t> leading;
    for (std::int64_t dimension = draw.between(0, 3); dimension > 0; --dimension)
      leading.push_back(draw.between(1, dimension == 1 ? 4 : 2));
    const bool inside = leading.size() == 2 && draw.coin();  // heads inside tokens
    const auto random = [&](std::int64_t rows, std::int64_t columns) {
      std::vector<std::int64_t> shape = leading;
      shape.insert(shape.end(), {rows, columns});
      if (!inside) return laid_out(draw, torch::randn(shape));
      return torch::randn({shape[0], rows, shape[1], columns}).transpose(1, 2);
    };
    const torch::Tensor a = random(m, k), b = random(k, n), dc = random(m, n);
    const double scale = draw.coin() ? 1.0 : 0.35;
    const auto of = [scale](Ops ops) {
      return [=](const std::vector<torch::Tensor>& leaves) { return product(leaves[0], leaves[1], scale, ops); };
    };
    expect_close(pass_in(torch::kFloat32, {a, b}, dc, of(Ops::kAuto)),
                 pass_in(torch::kFloat64, {a, b}, dc, of(Ops::kPlain)), i);
  }
}

/// Matrices [outer, batch, rows, columns] in memory that holds NaN elsewhere.
struct Matrices {
  torch::Tensor memory, numbers;  // numbers: a view of memory
  MatrixView view() const { return {numbers.stride(0), numbers.stride(1), numbers.stride(2), numbers.stride(3)}; }
};

Matrices random_matrices(Draw& draw, at::IntArrayRef sizes, bool may_be_by_columns) {
  const bool by_columns = may_be_by_columns && draw.coin(), batch_inside = draw.coin();
  const std::int64_t outer = sizes[0], batch = sizes[1], longer = sizes[by_columns ? 3 : 2],
                     dense = sizes[by_columns ? 2 : 3], gap = draw.coin() ? draw.between(1, 9) : 0;
  Matrices m;
  m.memory = batch_inside ? torch::full({outer, longer, batch, dense + gap}, NAN)
                          : torch::full({outer, batch, longer, dense + gap}, NAN);
  m.numbers = m.memory.narrow(-1, 0, dense);
  if (batch_inside) m.numbers = m.numbers.transpose(1, 2);
  if (by_columns) m.numbers = m.numbers.transpose(2, 3);
  m.numbers.normal_();
  return m;
}

/// One product of the engine, its operands of `dtype`, against float64.
void check_engine(Draw& draw, torch::ScalarType dtype, int number) {
  const std::int64_t outer = draw.between(1, 3), batch = draw.between(1, 4), m = some_size(draw), n = some_size(draw),
                     k = draw.between(0, 20) == 0 ? 0 : some_size(draw);
  const Matrices a = random_matrices(draw, {outer, batch, m, k}, true),
                 b = random_matrices(draw, {outer, batch, k, n}, true),
                 c = random_matrices(draw, {outer, batch, m, n}, false);
  const torch::Tensor bias = draw.coin() ? torch::randn({n}) : torch::Tensor();
  const MatmulShape shape{.outer = outer,
                          .batch = batch,
                          .m = m,
                          .n = n,
                          .k = k,
                          .a = a.view(),
                          .b = b.view(),
                          .c = c.view(),
                          .has_bias = bias.defined(),
                          .scale = draw.coin() ? 1.0F : -0.25F,
                          .accumulate = draw.coin()};
  const auto in_float64 = [&](const Matrices& x) { return x.numbers.to(dtype).to(torch::kFloat64); };
  torch::Tensor expected = torch::matmul(in_float64(a), in_float64(b));
  if (bias.defined()) expected += bias.to(torch::kFloat64);
  expected *= shape.scale;
  if (shape.accumulate) expected += c.numbers.to(torch::kFloat64);

  const torch::Tensor left = a.memory.to(dtype), right = b.memory.to(dtype);
  const float* row = bias.defined() ? bias.data_ptr<float>() : nullptr;
  if (dtype == torch::kFloat32) {
    matmul_f32(shape, left.data_ptr<float>(), right.data_ptr<float>(), c.memory.data_ptr<float>(), row);
  } else {
    matmul_bf16(shape, static_cast<const Bfloat16*>(left.data_ptr()), static_cast<const Bfloat16*>(right.data_ptr()),
                c.memory.data_ptr<float>(), row);
  }
  ASSERT_TRUE(close_by_scale(c.numbers, expected, kSumError))
      << number << ": " << outer << " x " << batch << " products of " << m << " x " << k << " x " << n;
  ASSERT_EQ(c.memory.isnan().sum().item<std::int64_t>(), c.memory.numel() - c.numbers.numel())
      << number << ": wrote between the rows of the result";
}

TEST(MatmulEngine, AgreesWithFloat64ForManyShapesAndStrides) {
  torch::manual_seed(23);
  Draw draw(23);
  for (int i = 0; i < kShapes && !::testing::Test::HasFatalFailure(); ++i) check_engine(draw, torch::kFloat32, i);
}

TEST(MatmulEngine, AgreesWithFloat64ForManyShapesInBfloat16) {
  if (!has_bf16_matmul()) GTEST_SKIP() << "this processor has no bfloat16 products";
  torch::manual_seed(24);
  Draw draw(24);
  for (int i = 0; i < kShapes && !::testing::Test::HasFatalFailure(); ++i) check_engine(draw, torch::kBFloat16, i);
}

}  // namespace
}  // namespace tinylm::ops
