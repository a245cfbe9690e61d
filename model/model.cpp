#include "model/model.h"

#include <string>

#include "core/errors.h"
#include "model/decoder.h"
#include "model/initialise.h"
#include "model/ops/dispatch.h"
#include "model/ops/linear.h"

namespace tinylm {
namespace {

/// Throws BadInput at the first id outside [0, V). Ids on another device are trusted: looking would wait for it.
void check_ids(const torch::Tensor& ids, std::int64_t V) {
  if (!ids.device().is_cpu()) return;
  const torch::Tensor flat = ids.contiguous();
  const auto* values = flat.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < flat.numel(); ++i) {
    if (values[i] >= 0 && values[i] < V) continue;
    throw BadInput("token id " + std::to_string(values[i]) + " at text " + std::to_string(i / ids.size(1)) +
                   ", token " + std::to_string(i % ids.size(1)) + " is outside the vocabulary of " + std::to_string(V) +
                   ": the text was made with another tokenizer than the model");
  }
}

}  // namespace

LanguageModelImpl::LanguageModelImpl(const ModelConfig& config, std::optional<std::uint64_t> seed, Ops ops)
    : config_(config), ops_(ops) {
  Problems problems;
  config.validate(problems);
  problems.throw_if_any();
  token_embedding_ = register_module("token_embedding", Embedding(config.vocabulary_size, config.width));
  positions_ = register_module("positions", find_position_kind(config.positions)->make(config));
  blocks_ = register_module("blocks", torch::nn::ModuleList());
  for (std::int64_t layer = 0; layer < config.layers; ++layer) blocks_->push_back(Block(config, layer));
  final_norm_ = register_module("final_norm", Norm(config.norm, config.width, config.bias));
  if (!config.tied_embeddings)
    output_ = register_module("output", Linear(config.width, config.vocabulary_size, /*with_bias=*/false));
  if (seed) initialise(*this, config, *seed);
}

Ops LanguageModelImpl::ops_of(const ForwardOptions& options) const {
  if (options.trace && options.trace->ops == Ops::kPlain) return Ops::kPlain;
  return ops_ == Ops::kBfloat16 && !torch::GradMode::is_enabled() ? Ops::kAuto : ops_;
}

bool LanguageModelImpl::is_causal(const ForwardOptions& options) const {
  return options.force_causal || config_.attention_mask == MaskKind::kCausal;
}

std::optional<AttentionPositions> LanguageModelImpl::fused_attention(std::int64_t T,
                                                                     const ForwardOptions& options) const {
  const torch::Tensor& like = token_embedding_->weight();
  const std::optional<AttentionPositions> positions = positions_->in_numbers(T, like);
  const unsigned wishes = (options.trace ? ops::kTraced : 0U) | (options.cache ? ops::kCached : 0U) |
                          (is_causal(options) ? 0U : ops::kLaterKeys) | (positions ? 0U : ops::kOwnPositions);
  return ops::use_fast(ops_of(options), ops::Operation::kAttention, {like}, wishes) ? positions : std::nullopt;
}

void LanguageModelImpl::check_input(const torch::Tensor& ids, const ForwardOptions& options) const {
  const KvCache* cache = options.cache;
  if (ids.dim() != 2 || ids.scalar_type() != torch::kInt64 || ids.numel() == 0)
    throw BadInput("a model takes token ids as a non-empty tensor [B, T] of 64-bit integers");
  const std::int64_t before = cache ? cache->length() : 0, T = before + ids.size(1);
  if (T > config_.context)
    throw BadInput(std::to_string(T) + " tokens do not fit in the model's context of " +
                   std::to_string(config_.context) + ": shorten the text or train with a larger context");
  if (cache && T > cache->capacity())
    throw BadInput(std::to_string(T) + " tokens do not fit in a cache for " + std::to_string(cache->capacity()));
  if (cache && cache->batch() != ids.size(0))
    throw BadInput("a cache for " + std::to_string(cache->batch()) + " texts was given with " +
                   std::to_string(ids.size(0)) + " texts");
  if (cache && !is_causal(options))
    throw BadInput(
        "a cache keeps what earlier tokens gave, which changes with every later one when attention_mask is none");
  check_ids(ids, config_.vocabulary_size);
}

bool LanguageModelImpl::decodes() const {
  return ops::use_fast(ops_, ops::Operation::kDecoding, {token_embedding_->weight()}) &&
         positions_->in_numbers(1, torch::empty(0)).has_value();
}

void LanguageModelImpl::forget_decoder() {
  const std::lock_guard lock(decoder_mutex_);
  decoder_.reset();
}

bool LanguageModelImpl::keeps_decoder() {
  const std::lock_guard lock(decoder_mutex_);
  return decoder_ != nullptr;
}

std::shared_ptr<Decoder> LanguageModelImpl::decoder_for(const ForwardOptions& options) {
  if (!options.cache || options.trace || options.dropout || torch::GradMode::is_enabled()) return nullptr;
  const std::lock_guard lock(decoder_mutex_);
  if (decoder_ && ops_ != Ops::kPlain && decoder_->current()) return decoder_;
  if (!decodes()) return nullptr;
  const torch::Tensor float32 = torch::empty(0);
  const DecoderPositions positions{positions_->added(0, config_.context, float32),
                                   positions_->in_numbers(config_.context, float32).value()};
  decoder_ = std::make_shared<Decoder>(config_, *this, positions);
  return decoder_;
}

torch::Tensor LanguageModelImpl::forward(const torch::Tensor& ids, const ForwardOptions& options) {
  if (const auto decoder = decoder_for(options)) {
    check_input(ids, options);
    const torch::Tensor logits = decoder->forward(ids, *options.cache, options.last_only);
    options.cache->advance(ids.size(1));
    return logits;
  }
  return ops::linear(hidden(ids, options), output_weight(), {}, ops_of(options));  // [B, T, V]
}

ForwardPass LanguageModelImpl::pass_of(std::int64_t T, const ForwardOptions& options) {
  const std::int64_t first = options.cache ? options.cache->length() : 0;
  const auto fused = fused_attention(T, options);
  const torch::TensorOptions like_weights = token_embedding_->weight().options();
  return {.options = options,
          .ops = ops_of(options),
          .first_position = first,
          .positions = *positions_,
          .fused = fused,
          .mask = fused ? ops::AttentionMask{} : mask_.get(*positions_, first, T, is_causal(options), like_weights)};
}

torch::Tensor LanguageModelImpl::hidden(const torch::Tensor& ids, const ForwardOptions& options) {
  check_input(ids, options);
  const std::int64_t T = ids.size(1);
  const ForwardPass pass = pass_of(T, options);
  const bool trace_residuals = options.trace && options.trace->want_residuals;
  if (options.trace) options.trace->begin(pass.mask);

  const torch::Tensor added = positions_->added(pass.first_position, T, token_embedding_->weight());
  torch::Tensor x =
      token_embedding_->forward(ids.to(token_embedding_->weight().device()), added, pass.ops);  // [B, T, C]
  x = drop(x, pass, kEmbeddingDropoutSite);
  if (trace_residuals) options.trace->residuals.push_back(x.detach());
  for (const auto& block : *blocks_) {
    x = block->as<Block>()->forward(x, pass);
    if (trace_residuals) options.trace->residuals.push_back(x.detach());
  }
  if (options.last_only) x = x.narrow(1, T - 1, 1);
  if (options.cache) options.cache->advance(T);
  return final_norm_->forward(x, pass.ops);
}

torch::Tensor LanguageModelImpl::hidden_after_attention(torch::Tensor x, std::int64_t layer) {
  const ForwardOptions options;
  const ForwardPass pass = pass_of(x.size(1), options);
  const auto first = static_cast<std::size_t>(layer);
  x = (*blocks_)[first]->as<Block>()->add_feed_forward(x, pass);
  for (std::size_t l = first + 1; l < blocks_->size(); ++l) x = (*blocks_)[l]->as<Block>()->forward(x, pass);
  return final_norm_->forward(x, pass.ops);
}

}  // namespace tinylm
