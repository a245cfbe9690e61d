#include "sample/sampling.h"

#include <exception>

#include "core/parallel.h"

namespace tinylm {
namespace {

constexpr std::int64_t kDrawsPerThread = 4;

/// The row of `logits` that text `i` goes on from: at first all go on from the prompt.
std::int64_t row_of_text(const torch::Tensor& logits, std::int64_t i) {
  return logits.size(0) == 1 ? 0 : i;
}

}  // namespace

Sampling::Sampling(const Sampler& sampler, const Tokenizer& tokenizer, const std::vector<TokenId>& prompt,
                   std::uint64_t first, std::uint64_t count, const GenerateOptions& options,
                   const TextListener& listener)
    : sampler_(sampler), options_(options) {
  for (std::uint64_t sample = first; sample < first + count; ++sample) {
    texts_.push_back(std::make_unique<GrowingText>(tokenizer, prompt, sample, options, listener));
    growing_.push_back(texts_.back().get());
  }
}

std::vector<Choice> Sampling::choose(const torch::Tensor& logits) const {
  std::vector<Choice> choices(growing_.size());
  std::vector<std::exception_ptr> errors(growing_.size());  // none may leave a parallel loop
  const auto count = static_cast<std::int64_t>(growing_.size());
  parallel_for(0, count, kDrawsPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      try {
        const std::span<const float> row = row_of(logits, row_of_text(logits, i));
        const TokenId id = sampler_.choose(row, growing_[i]->sample(), growing_[i]->history());
        choices[i] = choice_of(row, id, options_.alternatives);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return choices;
}

NextRows Sampling::step(const torch::Tensor& logits) {
  const std::vector<Choice> choices = choose(logits);
  NextRows next;
  std::vector<GrowingText*> growing;
  for (std::size_t i = 0; i < growing_.size(); ++i) {
    if (growing_[i]->push(choices[i])) continue;
    next.parents.push_back(row_of_text(logits, static_cast<std::int64_t>(i)));
    next.ids.push_back(choices[i].id);
    growing.push_back(growing_[i]);
  }
  growing_ = std::move(growing);
  return next;
}

void Sampling::finish(FinishReason reason) {
  for (GrowingText* text : growing_) text->finish(reason);
  growing_.clear();
}

std::vector<Generated> Sampling::take() {
  std::vector<Generated> all;
  for (const auto& text : texts_) all.push_back(text->take());
  return all;
}

}  // namespace tinylm
