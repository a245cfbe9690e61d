#include "sample/context_window.h"

#include <algorithm>

#include "core/errors.h"

namespace tinylm {

ContextWindow::ContextWindow(LanguageModel model, const std::vector<TokenId>& ids, std::int64_t texts, bool use_cache)
    : model_(std::move(model)), texts_(texts, std::vector<std::int64_t>(ids.begin(), ids.end())) {
  const std::int64_t context = model_->config().context;
  if (ids.empty() || length() > context) {
    throw BadInput("a prompt of " + std::to_string(ids.size()) + " tokens cannot be continued: expected 1 to " +
                   std::to_string(context) + ", the model's context");
  }
  if (use_cache) cache_.emplace(model_->config(), 1, context);  // the texts' common beginning is computed once
}

torch::Tensor ContextWindow::next_logits() {
  const torch::NoGradGuard no_grad;
  const auto B = static_cast<std::int64_t>(texts_.size());
  const std::int64_t known = cache_ ? cache_->length() : 0, t = length() - known;
  const std::int64_t different = cache_ ? cache_->batch() : B;
  torch::Tensor inputs = torch::empty({different, t}, torch::kInt64);
  for (std::int64_t b = 0; b < different; ++b)
    std::copy_n(texts_[b].begin() + known, t, inputs.data_ptr<std::int64_t>() + b * t);
  const torch::Tensor logits =
      model_
          ->forward(inputs, {.cache = cache_ ? &*cache_ : nullptr, .last_only = true})  // [different, 1, V]
          .squeeze(1)
          .to(torch::kCPU, torch::kFloat32)
          .contiguous();
  if (different == B) return logits;
  cache_->repeat(B);
  return logits.repeat({B, 1});  // [B, V]
}

bool ContextWindow::full() const {
  return length() >= model_->config().context;
}

void ContextWindow::push(std::span<const TokenId> ids) {
  for (std::size_t i = 0; i < texts_.size(); ++i) texts_[i].push_back(ids[i]);
}

void ContextWindow::slide() {
  const std::int64_t kept = length() / 2;
  for (auto& ids : texts_) ids.erase(ids.begin(), ids.end() - kept);
  if (cache_) cache_->clear();
}

void ContextWindow::remove(std::size_t text) {
  texts_[text] = texts_.back();
  texts_.pop_back();
  if (cache_ && !texts_.empty()) cache_->remove(static_cast<std::int64_t>(text));
}

}  // namespace tinylm
