// A module with parameters of random shapes, for tests of what optimizers do with all of them at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/torch.h"
#include "testing/fused.h"

namespace tinylm {

/// One to six parameters of one to three dimensions, some longer than the slices that threads share; some, with names
/// as in a model, inside a block.
class RandomParameters : public torch::nn::Module {
 public:
  explicit RandomParameters(testing::Draw& draw) {
    const auto block = std::make_shared<torch::nn::Module>(), blocks = std::make_shared<torch::nn::Module>();
    blocks->register_module("0", block);
    register_module("blocks", blocks);
    for (std::int64_t i = 0, count = draw.between(1, 6); i < count; ++i)
      (draw.coin() ? *block : *this).register_parameter("p" + std::to_string(i), torch::randn(random_shape(draw)));
  }

 private:
  static std::vector<std::int64_t> random_shape(testing::Draw& draw) {
    switch (draw.between(0, 4)) {
      case 0:
        return {draw.one_of({1, 2, 7, 16, 33, 1000, 16383, 16384, 16385, 40000})};
      case 1:
        return {draw.between(1, 5), draw.between(1, 20), draw.between(1, 20)};
      case 2:
        return {draw.between(100, 200), draw.between(100, 200)};
      default:
        return {draw.between(1, 70), draw.between(1, 70)};
    }
  }
};

/// Random numbers like `parameter`, now and then in another order of memory.
inline torch::Tensor random_gradient(testing::Draw& draw, const torch::Tensor& parameter) {
  if (parameter.dim() != 2 || draw.coin()) return torch::randn(parameter.sizes());
  return torch::randn({parameter.size(1), parameter.size(0)}).t();
}

}  // namespace tinylm
