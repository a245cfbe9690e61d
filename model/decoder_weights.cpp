#include "model/decoder_weights.h"

#include <string>

#include "core/parallel.h"

namespace tinylm {

using ops::kLanes;
using ops::whole_lanes;

/// Copies matrices one behind the other and remembers what was read.
class DecoderWeights::Packer {
 public:
  Packer(const torch::nn::Module& model, DecoderWeights& weights) : weights_(weights) {
    std::int64_t room = 0;  // every matrix and bias in whole panels, of each of two parts
    for (const auto& parameter : model.named_parameters()) {
      const torch::Tensor& tensor = parameter.value();
      weights_.sources_.push_back({tensor, tensor.contiguous(), tensor.data_ptr(), tensor._version()});
      parameters_.insert(parameter.key(), weights_.sources_.back().dense);
      room += (whole_lanes(tensor.size(0)) + 2 * kLanes) * (tensor.dim() == 2 ? tensor.size(1) : 1);
    }
    weights_.copy_ = BigBuffer(static_cast<std::size_t>(room));
    free_ = weights_.copy_.data();
  }

  /// The numbers of a parameter, or null when the model has none of this name.
  const float* numbers(const std::string& name) const {
    const torch::Tensor* found = parameters_.find(name);
    return found ? found->data_ptr<float>() : nullptr;
  }
  NormWeights norm(const std::string& name) const { return {numbers(name + ".weight"), numbers(name + ".bias")}; }

  /// The layer `name`; `gated`: a panel of its first half of outputs before each panel of its second half.
  ops::Panels matrix(const std::string& name, bool gated = false) {
    const torch::Tensor& weight = parameters_[name + ".weight"];
    return pack(weight, numbers(name + ".bias"), gated ? 2 : 1);
  }

 private:
  /// `parts`: into how many equal parts the outputs are cut, panels of which take turns.
  ops::Panels pack(const torch::Tensor& weight, const float* bias, std::int64_t parts) {
    const std::int64_t K = weight.size(1), N = weight.size(0) / parts, panels = whole_lanes(N) / kLanes * parts;
    const float* from = weight.data_ptr<float>();
    float *values = take(panels * kLanes * K), *biases = bias ? take(panels * kLanes) : nullptr;
    parallel_for(0, panels, std::max<std::int64_t>(1, 4096 / K), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t panel = begin; panel < end; ++panel) {
        const std::int64_t column = panel / parts * kLanes, first = panel % parts * N + column;
        const std::int64_t count = std::min(kLanes, N - column);
        ops::pack_panel(from + first * K, K, count, values + panel * kLanes * K);
        for (std::int64_t lane = 0; bias && lane < kLanes; ++lane)
          biases[panel * kLanes + lane] = lane < count ? bias[first + lane] : 0.0F;
      }
    });
    return {.values = values, .bias = biases, .inputs = K, .outputs = parts == 1 ? N : panels * kLanes};
  }

  float* take(std::int64_t size) {
    float* taken = free_;
    free_ += size;
    return taken;
  }

  DecoderWeights& weights_;
  torch::OrderedDict<std::string, torch::Tensor> parameters_;
  float* free_ = nullptr;
};

DecoderWeights::DecoderWeights(const ModelConfig& config, const torch::nn::Module& model) {
  const torch::NoGradGuard no_gradient;
  Packer packer(model, *this);
  embedding_ = packer.numbers("token_embedding.weight");
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const std::string block = "blocks." + std::to_string(layer) + ".", attention = block + "attention.",
                      feed_forward = block + "feed_forward.";
    BlockWeights& weights = blocks_.emplace_back();
    weights.attention_norm = packer.norm(block + "attention_norm");
    weights.query_key_value = packer.matrix(attention + "query_key_value");
    weights.query_norm = packer.numbers(attention + "query_norm.weight");
    weights.key_norm = packer.numbers(attention + "key_norm.weight");
    weights.projection = packer.matrix(attention + "projection");
    weights.feed_forward_norm = packer.norm(block + "feed_forward_norm");
    weights.expand = packer.matrix(feed_forward + "expand", config.activation == ActivationKind::kSwiGlu);
    weights.contract = packer.matrix(feed_forward + "contract");
  }
  final_norm_ = packer.norm("final_norm");
  output_ = packer.matrix(config.tied_embeddings ? "token_embedding" : "output");
}

bool DecoderWeights::current() const {
  for (const Source& source : sources_) {
    if (source.parameter.data_ptr() != source.data || source.parameter._version() != source.version) return false;
  }
  return true;
}

}  // namespace tinylm
