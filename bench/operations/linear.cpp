// The products of a linear layer: alone, through the product engine against libtorch's; and as an operation with its
// two gradients.
#include "model/ops/linear.h"
#include "bench/operations/support.h"
#include "model/ops/linear_products.h"

namespace tinylm::bench {
namespace {

/// The feed-forward's first matrix: [rows, C] times [C, 4 C].
ops::LinearSizes linear_sizes(const Sizes& s) {
  return {s.rows(), s.C, 4 * s.C};
}

double products_of(const ops::LinearSizes& sizes, double products) {
  return 2.0 * products * static_cast<double>(sizes.rows * sizes.inputs * sizes.outputs);
}

void product(benchmark::State& state) {
  const ops::LinearSizes sizes = linear_sizes(sizes_of(state));
  const Ops ops = ops_of(state);
  const ops::MatmulShape shape = ops::linear_forward_shape(sizes);
  const torch::Tensor x = ops::operand(torch::randn({sizes.rows, sizes.inputs}), ops);
  const torch::Tensor weight = ops::operand(torch::randn({sizes.outputs, sizes.inputs}), ops);
  torch::Tensor y = torch::empty({sizes.rows, sizes.outputs});
  const auto numbers = [](const torch::Tensor& tensor) { return static_cast<const ops::Bfloat16*>(tensor.data_ptr()); };
  for (auto _ : state) {
    if (ops == Ops::kPlain) {
      torch::mm_out(y, x, weight.t());
    } else if (ops == Ops::kAuto) {
      ops::matmul_f32(shape, x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>());
    } else {
      ops::matmul_bf16(shape, numbers(x), numbers(weight), y.data_ptr<float>());
    }
  }
  report(state, {products_of(sizes, 1.0), bytes_of({x, weight, y})});
}

void linear(benchmark::State& state) {
  const Sizes& s = sizes_of(state);
  const ops::LinearSizes sizes = linear_sizes(s);
  const torch::Tensor x = trained({s.B, s.T, sizes.inputs}), weight = trained({sizes.outputs, sizes.inputs}, 0.05);
  time_passes(state, {x, weight}, products_of(sizes, 3.0),
              [&] { return ops::linear(x, weight, torch::Tensor(), ops_of(state)); });
}

BENCHMARK(product)->Apply(all_sizes_and_precisions);
BENCHMARK(linear)->Apply(all_sizes_and_precisions);

}  // namespace
}  // namespace tinylm::bench
