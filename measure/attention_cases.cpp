// The section "attention" of the suite.
#include <memory>

#include "core/stop_watch.h"
#include "measure/bare_products.h"
#include "measure/suite.h"
#include "model/ops/kernels/packed_attention.h"

namespace tinylm {
namespace {

/// One layer's attention of a step, forward and backward, as the fused attention sublayer calls it.
class LayerAttention {
 public:
  LayerAttention(const ModelConfig& config, std::int64_t B) {
    shape_.B = B;
    shape_.T = config.context;
    shape_.H = config.heads;
    shape_.Hkv = config.key_value_heads();
    shape_.D = config.head_size();
    const auto rows = static_cast<std::size_t>(B * config.context), width = static_cast<std::size_t>(config.width);
    packed_.resize(rows * static_cast<std::size_t>(shape_.packed_width()));
    for (std::size_t i = 0; i < packed_.size(); ++i) packed_[i] = 0.01F * static_cast<float>(i * 7919 % 200) - 1.0F;
    dpacked_.resize(packed_.size());
    output_.resize(rows * width);
    doutput_.assign(rows * width, 0.5F);
    largest_.resize(rows * static_cast<std::size_t>(config.heads));
    inverse_.resize(largest_.size());
  }

  double run_s() {
    const ops::SoftmaxRows rows{largest_.data(), inverse_.data()};
    return seconds_of([&] {
      ops::packed_attention_forward(shape_, packed_.data(), output_.data(), rows);
      ops::packed_attention_backward(shape_, packed_.data(), output_.data(), rows, doutput_.data(), dpacked_.data(),
                                     nullptr, nullptr);
    });
  }

 private:
  ops::PackedAttention shape_;
  std::vector<float> packed_, output_, doutput_, dpacked_, largest_, inverse_;
};

}  // namespace

void add_attention(Suite& suite, const BenchShape& shape) {
  const std::string attention = "attention_" + shape.name, bare = "bare_" + attention;
  const ModelConfig model = shape.model;
  const std::int64_t B = shape.train.batch;
  suite.cases.push_back({attention, [model, B] {
                           const auto layer = std::make_shared<LayerAttention>(model, B);
                           return [layer] { return layer->run_s(); };
                         }});
  suite.cases.push_back({bare, [model, B] {
                           const AttentionSizes sizes{B, model.context, model.heads, model.head_size()};
                           const auto products = std::make_shared<AttentionProducts>(sizes);
                           return [products] { return products->run_s(); };
                         }});
  suite.results.push_back({"attention", attention, "ms", attention, 1e3});
  suite.results.push_back({"attention", bare, "ms", bare, 1e3});
  suite.ratios.push_back({"attention", attention + "_over_bare_products", attention, bare,
                          "attention of a layer, forward and backward, over its oneDNN products (allowed half only)"});
}

}  // namespace tinylm
