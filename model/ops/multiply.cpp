#include "model/ops/multiply.h"

#include <algorithm>
#include <numeric>

#include "core/torch.h"
#include "model/ops/matmul.h"

namespace tinylm::ops {
namespace {

/// `x` with at most two leading dimensions, none of them walked with stride 0, and rows or columns that are contiguous.
torch::Tensor engine_form(const torch::Tensor& x) {
  const std::int64_t dims = x.dim();
  bool fits = x.stride(-1) == 1 || x.stride(-2) == 1;
  for (std::int64_t i = 0; i < dims; ++i) fits = fits && (x.size(i) == 1 || x.stride(i) > 0);
  const torch::Tensor usable = fits ? x : x.contiguous();
  return dims <= 4 ? usable : usable.reshape({-1, x.size(-2), x.size(-1)});
}

MatrixView view_of(const torch::Tensor& x, bool exchanged = false) {
  const std::int64_t dims = x.dim();
  return {.outer_stride = dims > 3 ? x.stride(0) : 0,
          .batch_stride = dims > 2 ? x.stride(-3) : 0,
          .row_stride = x.stride(exchanged ? -1 : -2),
          .column_stride = x.stride(exchanged ? -2 : -1)};
}

}  // namespace

void multiply(const Operand& a, const Operand& b, const torch::Tensor& c, double scale, const torch::Tensor& bias) {
  const torch::Tensor left = engine_form(a.tensor), right = engine_form(b.tensor);
  const torch::Tensor result = c.dim() <= 4 ? c : c.view({-1, c.size(-2), c.size(-1)});
  const torch::Tensor row = bias.defined() ? bias.contiguous() : bias;
  const MatmulShape shape{.outer = result.dim() > 3 ? result.size(0) : 1,
                          .batch = result.dim() > 2 ? result.size(-3) : 1,
                          .m = result.size(-2),
                          .n = result.size(-1),
                          .k = left.size(a.exchanged ? -2 : -1),
                          .a = view_of(left, a.exchanged),
                          .b = view_of(right, b.exchanged),
                          .c = view_of(result),
                          .has_bias = row.defined(),
                          .scale = static_cast<float>(scale)};
  matmul_f32(shape, left.data_ptr<float>(), right.data_ptr<float>(), result.data_ptr<float>(),
             row.defined() ? row.data_ptr<float>() : nullptr);
}

torch::Tensor empty_ordered_like(torch::IntArrayRef sizes, const torch::Tensor& model) {
  std::vector<std::int64_t> order(sizes.size()), strides(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end() - 1,
                   [&](std::int64_t i, std::int64_t j) { return model.stride(i) > model.stride(j); });
  std::int64_t stride = 1;
  for (auto dimension = order.rbegin(); dimension != order.rend(); ++dimension) {
    strides[*dimension] = stride;
    stride *= std::max<std::int64_t>(1, sizes[*dimension]);
  }
  return at::empty_strided(sizes, strides, model.options());
}

}  // namespace tinylm::ops
