#include "measure/bare_products.h"

#include <algorithm>

#include "core/stop_watch.h"
#include "model/ops/activations.h"
#include "model/ops/kernels/bfloat16.h"
#include "model/ops/linear_products.h"

namespace tinylm {
namespace {

constexpr std::int64_t kStrip = 128;  // queries; the fastest on the machines that were tried
constexpr float kSmall = 0.01F;       // keeps sums of many products finite

std::size_t size_of(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

/// The rows [first, ...) of every matrix [rows, columns] of a batch.
ops::MatrixView matrices(std::int64_t rows, std::int64_t columns) {
  return {.batch_stride = rows * columns, .row_stride = columns};
}
ops::MatrixView transposed(std::int64_t rows, std::int64_t columns) {
  return {.batch_stride = rows * columns, .row_stride = 1, .column_stride = columns};
}

}  // namespace

AttentionProducts::AttentionProducts(const AttentionSizes& sizes) : sizes_(sizes) {
  const std::size_t all = size_of(sizes.B * sizes.H * sizes.T * sizes.D);
  for (std::vector<float>* matrix : {&q_, &k_, &v_, &doutput_, &output_, &dq_, &dk_, &dv_}) matrix->assign(all, kSmall);
  const std::size_t strips = size_of(sizes.B * sizes.H * std::min(kStrip, sizes.T) * sizes.T);
  for (std::vector<float>* matrix : {&scores_, &dscores_}) matrix->assign(strips, kSmall);
}

void AttentionProducts::run_strip(std::int64_t first, std::int64_t last) {
  const std::int64_t T = sizes_.T, D = sizes_.D, m = last - first, n = last, strip = std::min(kStrip, T);
  const ops::MatrixView rows = matrices(T, D), scores = matrices(strip, T);
  const std::int64_t place = first * D;  // of the strip's first query
  const ops::MatmulShape to_scores{
      .batch = sizes_.B * sizes_.H, .m = m, .n = n, .k = D, .a = rows, .b = transposed(T, D), .c = scores};
  const ops::MatmulShape to_queries{
      .batch = sizes_.B * sizes_.H, .m = m, .n = D, .k = n, .a = scores, .b = rows, .c = rows};
  const ops::MatmulShape to_keys{.batch = sizes_.B * sizes_.H,
                                 .m = n,
                                 .n = D,
                                 .k = m,
                                 .a = transposed(strip, T),
                                 .b = rows,
                                 .c = rows,
                                 .accumulate = true};
  ops::matmul_f32(to_scores, q_.data() + place, k_.data(), scores_.data());
  ops::matmul_f32(to_queries, scores_.data(), v_.data(), output_.data() + place);
  ops::matmul_f32(to_keys, scores_.data(), doutput_.data() + place, dv_.data());
  ops::matmul_f32(to_scores, doutput_.data() + place, v_.data(), dscores_.data());
  ops::matmul_f32(to_queries, dscores_.data(), k_.data(), dq_.data() + place);
  ops::matmul_f32(to_keys, dscores_.data(), q_.data() + place, dk_.data());
}

double AttentionProducts::run_s() {
  const std::int64_t T = sizes_.T;
  std::int64_t computed = 0;  // scores of a head
  const double seconds = seconds_of([&] {
    for (std::int64_t first = 0; first < T; first += kStrip) {
      const std::int64_t last = std::min(T, first + kStrip);
      run_strip(first, last);
      computed += (last - first) * last;
    }
  });
  return seconds * static_cast<double>(T * (T + 1) / 2) / static_cast<double>(computed);
}

double AttentionProducts::operations(const AttentionSizes& sizes) {
  const std::int64_t allowed = sizes.T * (sizes.T + 1) / 2;
  return 6.0 * 2.0 * static_cast<double>(sizes.B * sizes.H * sizes.D * allowed);
}

std::vector<BareProducts::Linear> BareProducts::linear_layers(const ModelConfig& config) {
  const std::int64_t C = config.width, F = config.hidden_width();
  std::vector<Linear> layers;
  for (std::int64_t i = 0; i < config.layers; ++i) {
    layers.push_back({C, C + 2 * config.key_value_heads() * config.head_size()});
    layers.push_back({C, C});
    layers.push_back({C, ops::activation_inputs(config.activation) * F});
    layers.push_back({F, C});
  }
  layers.push_back({C, config.vocabulary_size});
  return layers;
}

std::int64_t BareProducts::widest(const std::vector<Linear>& layers) {
  std::int64_t widest = 0;
  for (const Linear& layer : layers) widest = std::max({widest, layer.inputs, layer.outputs});
  return widest;
}

std::uint64_t BareProducts::memory_bytes(const ModelConfig& config, std::int64_t B) {
  const std::vector<Linear> layers = linear_layers(config);
  std::int64_t floats = 4 * B * config.context * widest(layers);
  for (const Linear& layer : layers) floats += 2 * layer.inputs * layer.outputs;
  floats += B * config.heads * config.context * (8 * config.head_size() + 2 * kStrip);
  return sizeof(float) * static_cast<std::uint64_t>(floats);
}

BareProducts::BareProducts(const ModelConfig& config, std::int64_t B, ops::MatmulInputs type)
    : type_(type),
      rows_(B * config.context),
      layers_(config.layers),
      linear_(linear_layers(config)),
      attention_({B, config.context, config.heads, config.head_size()}) {
  std::int64_t parameters = 0;
  for (const Linear& layer : linear_) parameters += layer.inputs * layer.outputs;
  fill(weights_, parameters);
  gradients_.assign(size_of(parameters), kSmall);
  for (Operand* rows : {&x_, &dy_}) fill(*rows, rows_ * widest(linear_));
  for (std::vector<float>* rows : {&y_, &dx_}) rows->assign(size_of(rows_ * widest(linear_)), kSmall);
  packed_ = type == ops::MatmulInputs::kBfloat16 && ops::weight_layout() == ops::WeightLayout::kPacked;
  if (packed_) pack_weights();
}

void BareProducts::pack_weights() {
  std::int64_t place = 0;
  for (Linear& layer : linear_) {
    const ops::LinearSizes sizes{rows_, layer.inputs, layer.outputs};
    const ops::Bfloat16* weight = weights_.bfloat16.data() + place;
    layer.forward = ops::PackedMatrix(ops::linear_forward_shape(sizes), weight);
    layer.input_gradient = ops::PackedMatrix(ops::linear_input_gradient_shape(sizes), weight);
    place += layer.inputs * layer.outputs;
  }
}

void BareProducts::fill(Operand& operand, std::int64_t count) const {
  if (type_ == ops::MatmulInputs::kFloat32) {
    operand.float32.assign(size_of(count), kSmall);
  } else {
    operand.bfloat16.assign(size_of(count), ops::rounded_to_bfloat16(kSmall));
  }
}

void BareProducts::multiply(const ops::MatmulShape& shape, const Operand& a, const Operand& b, std::int64_t b_first,
                            float* c) const {
  if (type_ == ops::MatmulInputs::kFloat32) {
    ops::matmul_f32(shape, a.float32.data(), b.float32.data() + b_first, c);
  } else {
    ops::matmul_bf16(shape, a.bfloat16.data(), b.bfloat16.data() + b_first, c);
  }
}

void BareProducts::multiply(const ops::MatmulShape& shape, const Operand& x, const ops::PackedMatrix& packed,
                            std::int64_t place, float* y) const {
  if (packed_) return ops::matmul_bf16(shape, x.bfloat16.data(), packed, y);
  multiply(shape, x, weights_, place, y);
}

void BareProducts::run_linear_layers() {
  std::int64_t place = 0;
  for (const Linear& layer : linear_) {
    const ops::LinearSizes sizes{rows_, layer.inputs, layer.outputs};
    multiply(ops::linear_forward_shape(sizes), x_, layer.forward, place, y_.data());
    multiply(ops::linear_input_gradient_shape(sizes), dy_, layer.input_gradient, place, dx_.data());
    multiply(ops::linear_weight_gradient_shape(sizes), dy_, x_, 0, gradients_.data() + place);
    place += layer.inputs * layer.outputs;
  }
}

double BareProducts::operations(const ModelConfig& config, std::int64_t B) {
  std::int64_t weights = 0;
  for (const Linear& layer : linear_layers(config)) weights += layer.inputs * layer.outputs;
  const AttentionSizes attention{B, config.context, config.heads, config.head_size()};
  return 3.0 * 2.0 * static_cast<double>(B * config.context * weights) +
         static_cast<double>(config.layers) * AttentionProducts::operations(attention);
}

double BareProducts::run_s() {
  double seconds = seconds_of([&] { run_linear_layers(); });
  for (std::int64_t i = 0; i < layers_; ++i) seconds += attention_.run_s();
  return seconds;
}

}  // namespace tinylm
