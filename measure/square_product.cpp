#include "measure/square_product.h"

#include "core/stop_watch.h"

namespace tinylm {
namespace {

constexpr ops::Bfloat16 kOneInBfloat16{0x3F80};

}  // namespace

SquareProduct::SquareProduct(std::int64_t size, ops::MatmulInputs inputs) : inputs_(inputs) {
  const ops::MatrixView dense{.row_stride = size};
  shape_ = {.m = size, .n = size, .k = size, .a = dense, .b = dense, .c = dense};
  const auto count = static_cast<std::size_t>(size * size);
  result_.resize(count);
  if (inputs == ops::MatmulInputs::kBfloat16) {
    halves_.assign(2 * count, kOneInBfloat16);
  } else {
    floats_.assign(2 * count, 1.0F);
  }
}

double SquareProduct::run_s() {
  const std::size_t second = result_.size();
  return seconds_of([&] {
    if (inputs_ == ops::MatmulInputs::kBfloat16) {
      ops::matmul_bf16(shape_, halves_.data(), halves_.data() + second, result_.data());
    } else {
      ops::matmul_f32(shape_, floats_.data(), floats_.data() + second, result_.data());
    }
  });
}

double SquareProduct::operations() const {
  return 2.0 * static_cast<double>(shape_.m) * static_cast<double>(shape_.n) * static_cast<double>(shape_.k);
}

double product_gflops(std::int64_t size, ops::MatmulInputs inputs) {
  SquareProduct product(size, inputs);
  return product.operations() / fastest_s(0.02, [&] { return product.run_s(); }) * 1e-9;
}

}  // namespace tinylm
