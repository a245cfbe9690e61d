#include "sample/context_window.h"

#include <algorithm>

#include "core/errors.h"

namespace tinylm {

ContextWindow::ContextWindow(LanguageModel model, const std::vector<TokenId>& ids, bool use_cache)
    : model_(std::move(model)), texts_{std::vector<std::int64_t>(ids.begin(), ids.end())} {
  const std::int64_t context = model_->config().context;
  if (ids.empty() || length() > context) {
    throw BadInput("a prompt of " + std::to_string(ids.size()) + " tokens cannot be continued: expected 1 to " +
                   std::to_string(context) + ", the model's context");
  }
  if (use_cache) cache_.emplace(model_->config(), 1, context);
}

torch::Tensor ContextWindow::next_logits() {
  const torch::NoGradGuard no_grad;
  const auto B = static_cast<std::int64_t>(texts_.size());
  const std::int64_t known = cache_ ? cache_->length() : 0, t = length() - known;
  torch::Tensor inputs = torch::empty({B, t}, torch::kInt64);
  for (std::int64_t b = 0; b < B; ++b)
    std::copy_n(texts_[b].begin() + known, t, inputs.data_ptr<std::int64_t>() + b * t);
  return model_
      ->forward(inputs, {.cache = cache_ ? &*cache_ : nullptr, .last_only = true})  // [B, 1, V]
      .squeeze(1)
      .to(torch::kCPU, torch::kFloat32)
      .contiguous();
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

void ContextWindow::select(std::span<const std::int64_t> texts) {
  std::vector<std::vector<std::int64_t>> selected;
  bool same = texts.size() == texts_.size();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    same = same && texts[i] == static_cast<std::int64_t>(i);
    selected.push_back(texts_[texts[i]]);
  }
  if (same) return;
  texts_ = std::move(selected);
  if (cache_) cache_->select(texts);
}

}  // namespace tinylm
