#include "sample/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tinylm {
namespace {

const TextListener kNobody;  // a beam may never become a text

/// The `count` likeliest ids, likeliest first; those that are out never.
std::vector<TokenId> likeliest_ids(const std::vector<double>& log_likelihoods, std::size_t count) {
  std::vector<TokenId> ids(log_likelihoods.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()));
  std::partial_sort(ids.begin(), end, ids.end(), [&](TokenId a, TokenId b) {
    return log_likelihoods[a] != log_likelihoods[b] ? log_likelihoods[a] > log_likelihoods[b] : a < b;
  });
  ids.erase(end, ids.end());
  std::erase_if(ids, [&](TokenId id) { return std::isinf(log_likelihoods[id]); });
  return ids;
}

}  // namespace

double length_divisor(std::int64_t tokens, double penalty) {
  return std::pow((5.0 + static_cast<double>(tokens)) / 6.0, penalty);
}

BeamSearch::BeamSearch(const Sampler& sampler, const Tokenizer& tokenizer, const std::vector<TokenId>& prompt,
                       std::uint64_t first, std::uint64_t count, const GenerateOptions& options,
                       const TextListener& listener)
    : sampler_(sampler), options_(options), listener_(listener), first_(first), count_(count) {
  growing_.push_back(std::make_unique<Beam>(Beam{GrowingText(tokenizer, prompt, 0, options, kNobody)}));
}

/// Twice as many a beam as there are beams: one of each may end its text.
std::vector<BeamSearch::Extension> BeamSearch::extensions(const torch::Tensor& logits) const {
  std::vector<Extension> all;
  for (std::size_t row = 0; row < growing_.size(); ++row) {
    const Beam& beam = *growing_[row];
    const std::vector<double> log_likelihoods =
        sampler_.log_likelihoods(row_of(logits, static_cast<std::int64_t>(row)), beam.text.history());
    for (const TokenId id : likeliest_ids(log_likelihoods, 2 * static_cast<std::size_t>(options_.beams)))
      all.push_back({row, id, beam.log_likelihood + log_likelihoods[id]});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Extension& a, const Extension& b) { return a.log_likelihood > b.log_likelihood; });
  return all;
}

NextRows BeamSearch::step(const torch::Tensor& logits) {
  NextRows next;
  std::vector<std::unique_ptr<Beam>> growing;
  for (const Extension& extension : extensions(logits)) {
    if (static_cast<std::int64_t>(growing.size()) == options_.beams) break;
    auto beam = std::make_unique<Beam>(*growing_[extension.parent]);
    beam->log_likelihood = extension.log_likelihood;
    ++beam->tokens;
    const auto row = static_cast<std::int64_t>(extension.parent);
    if (beam->text.push(choice_of(row_of(logits, row), extension.id, options_.alternatives))) {
      finished_.push_back(std::move(beam));
      continue;
    }
    next.parents.push_back(row);
    next.ids.push_back(extension.id);
    growing.push_back(std::move(beam));
  }
  growing_ = std::move(growing);
  keep_best_finished();
  if (!decided()) return next;
  growing_.clear();
  return {};
}

double BeamSearch::score(const Beam& beam) const {
  return beam.log_likelihood / length_divisor(beam.tokens, options_.length_penalty);
}

void BeamSearch::keep_best_finished() {
  std::stable_sort(finished_.begin(), finished_.end(),
                   [&](const auto& a, const auto& b) { return score(*a) > score(*b); });
  if (static_cast<std::int64_t>(finished_.size()) > options_.beams)
    finished_.resize(static_cast<std::size_t>(options_.beams));
}

/// Whether none that grows can still come among the best: what it adds makes it less likely, and nothing divides that
/// by more than the longest text.
bool BeamSearch::decided() const {
  if (growing_.empty()) return true;
  const double best_possible =
      growing_.front()->log_likelihood / length_divisor(options_.max_tokens, options_.length_penalty);
  return static_cast<std::int64_t>(finished_.size()) == options_.beams && score(*finished_.back()) >= best_possible;
}

void BeamSearch::finish(FinishReason reason) {
  for (auto& beam : growing_) {
    beam->text.finish(reason);
    finished_.push_back(std::move(beam));
  }
  growing_.clear();
  keep_best_finished();
}

std::vector<Generated> BeamSearch::take() {
  std::vector<Generated> best;
  for (std::uint64_t rank = first_; rank < std::min<std::uint64_t>(first_ + count_, finished_.size()); ++rank) {
    best.push_back(finished_[rank]->text.take());
    if (listener_.on_text && !best.back().text.empty()) listener_.on_text(rank, best.back().text);
    if (listener_.on_end) listener_.on_end(rank);
  }
  return best;
}

}  // namespace tinylm
