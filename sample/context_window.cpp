#include "sample/context_window.h"

#include "core/errors.h"

namespace tinylm {

ContextWindow::ContextWindow(LanguageModel model, std::vector<TokenId> ids, bool use_cache)
    : model_(std::move(model)), ids_(std::move(ids)) {
  const auto size = static_cast<std::int64_t>(ids_.size());
  const std::int64_t context = model_->config().context;
  if (size < 1 || size > context) {
    throw BadInput("a prompt of " + std::to_string(size) + " tokens cannot be continued: expected 1 to " +
                   std::to_string(context) + ", the model's context");
  }
  if (use_cache) cache_.emplace(model_->config(), 1, context);
}

std::vector<float> ContextWindow::next_logits() {
  const torch::NoGradGuard no_grad;
  ForwardOptions options;
  std::size_t known = 0;
  if (cache_) {
    options.cache = &*cache_;
    known = static_cast<std::size_t>(cache_->length());
  }
  const std::vector<std::int64_t> fresh(ids_.begin() + static_cast<std::ptrdiff_t>(known), ids_.end());
  const torch::Tensor inputs = torch::tensor(fresh).unsqueeze(0);  // [1, t]
  const torch::Tensor logits = model_
                                   ->forward(inputs, options)  // [1, t, V]
                                   .select(1, static_cast<std::int64_t>(fresh.size()) - 1)
                                   .squeeze(0)  // [V]
                                   .to(torch::kCPU, torch::kFloat32)
                                   .contiguous();
  const float* values = logits.data_ptr<float>();
  return {values, values + logits.numel()};
}

bool ContextWindow::full() const {
  return static_cast<std::int64_t>(ids_.size()) >= model_->config().context;
}

void ContextWindow::slide() {
  const auto kept = static_cast<std::ptrdiff_t>(ids_.size() / 2);
  ids_.erase(ids_.begin(), ids_.end() - kept);
  if (cache_) cache_->clear();
}

}  // namespace tinylm
