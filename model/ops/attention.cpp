#include "model/ops/attention.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "core/errors.h"
#include "core/torch.h"
#include "model/ops/product.h"

namespace tinylm::ops {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

std::string shape_of(const torch::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

std::int64_t heads_of(const torch::Tensor& tensor) {
  return tensor.dim() >= 3 ? tensor.size(-3) : 1;
}

void check_shapes(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v) {
  const std::string found = "queries " + shape_of(q) + ", keys " + shape_of(k) + ", values " + shape_of(v);
  if (q.dim() < 2 || q.dim() != k.dim() || k.dim() != v.dim())
    throw BadInput("attention needs three tensors [..., T, d] with equally many dimensions, found " + found);
  if (q.size(-1) != k.size(-1))
    throw BadInput("attention needs queries and keys of one size d_k (the last dimension), found " + found);
  if (k.sizes().slice(0, k.dim() - 1) != v.sizes().slice(0, v.dim() - 1))
    throw BadInput("attention needs one value a key, found " + found);
  const bool leading_fit = q.dim() <= 3 || q.sizes().slice(0, q.dim() - 3) == k.sizes().slice(0, k.dim() - 3);
  if (!leading_fit || heads_of(k) == 0 || heads_of(q) % heads_of(k) != 0)
    throw BadInput("attention needs queries whose heads are a multiple of the keys' heads, found " + found);
}

/// Softmax over the keys; a row whose scores are all minus infinity gives zeros, and zero gradients, instead of NaN.
torch::Tensor masked_softmax(torch::Tensor scores, const AttentionMask& mask) {
  if (mask.bias.defined()) scores = scores + mask.bias;
  if (!mask.empty_rows.defined()) return torch::softmax(scores, -1);
  return torch::softmax(scores.masked_fill(mask.empty_rows, 0.0), -1).masked_fill(mask.empty_rows, 0.0);
}

}  // namespace

AttentionMask attention_mask(std::int64_t Tq, std::int64_t Tk, bool causal, const torch::Tensor& mask,
                             torch::TensorOptions options) {
  AttentionMask result;
  if (mask.defined() && mask.scalar_type() == torch::kBool)
    result.bias = torch::zeros(mask.sizes(), options).masked_fill(mask.logical_not(), kMinusInfinity);
  else if (mask.defined())
    result.bias = mask.to(options);
  if (causal) {
    const torch::Tensor later = torch::ones({Tq, Tk}, options.dtype(torch::kBool)).triu(Tk - Tq + 1);
    const torch::Tensor allowed = result.bias.defined() ? result.bias : torch::zeros({Tq, Tk}, options);
    result.bias = allowed.masked_fill(later, kMinusInfinity);
  }
  if (result.bias.defined()) {
    const torch::Tensor empty = (result.bias == kMinusInfinity).all(-1, /*keepdim=*/true);  // [..., Tq, 1]
    if (empty.any().item<bool>()) result.empty_rows = empty;
  }
  return result;
}

Attention attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                    const AttentionOptions& options) {
  check_shapes(q, k, v);
  const double scale = options.scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(-1))));
  const std::int64_t groups = heads_of(q) / heads_of(k);
  std::vector<std::int64_t> by_query = q.sizes().vec();  // [..., H, Tq, .]
  std::vector<std::int64_t> by_key_head = by_query;  // [..., Hkv, H / Hkv * Tq, .]: the queries that share a key head
  if (groups > 1) {
    by_key_head[q.dim() - 3] = heads_of(k);
    by_key_head[q.dim() - 2] = groups * q.size(-2);
  }
  const auto shaped = [&](const torch::Tensor& x, std::vector<std::int64_t> shape) {
    shape.back() = x.size(-1);
    return groups > 1 ? x.reshape(shape) : x;
  };
  const torch::Tensor scores = product(shaped(q, by_key_head), k.transpose(-2, -1), scale, options.ops);
  const torch::Tensor weights = masked_softmax(shaped(scores, by_query), options.mask);  // [..., H, Tq, Tk]
  const torch::Tensor kept = options.dropout ? dropout(weights, *options.dropout, options.dropout_site) : weights;
  return {shaped(product(shaped(kept, by_key_head), v, 1.0, options.ops), by_query), weights};
}

}  // namespace tinylm::ops
