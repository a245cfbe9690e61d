#include "sample/sampler.h"

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "core/philox.h"

namespace tinylm {

namespace {

/// Logits are float32: a probability this little (relatively) below a limit has reached it.
constexpr double kRounding = 1e-7;

void require_finite(std::span<const float> logits) {
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (std::isfinite(logits[id])) continue;
    throw NotFinite("the model's logit for token " + std::to_string(id) + " is " + std::to_string(logits[id]) +
                    ", expected finite numbers: its weights are not usable; choose an earlier one with --checkpoint");
  }
}

std::vector<TokenId> allowed_ids(std::size_t V, std::span<const TokenId> banned) {
  std::vector<TokenId> ids;
  ids.reserve(V);
  for (TokenId id = 0; id < static_cast<TokenId>(V); ++id) {
    if (std::find(banned.begin(), banned.end(), id) == banned.end()) ids.push_back(id);
  }
  if (ids.empty()) throw BadInput("no token is left to choose from: all " + std::to_string(V) + " are banned");
  return ids;
}

/// Keeps the shortest beginning of `ids`, likeliest first, whose share of all weights reaches `top_p`.
void cut_to_top_p(std::vector<TokenId>& ids, const std::vector<double>& weights, double top_p) {
  double total = 0.0;
  for (const TokenId id : ids) total += weights[id];
  double reached = 0.0;
  std::size_t kept = 0;
  while (kept < ids.size() && reached < top_p * (1.0 - kRounding) * total) reached += weights[ids[kept++]];
  ids.resize(std::max<std::size_t>(kept, 1));
}

double log_sum_exp(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

}  // namespace

void SamplerOptions::describe(OptionTable& table) {
  table.add("sample", "temperature", temperature, "logits are divided by it: below 1 safer, above 1 bolder; 0: greedy");
  table.add("sample", "top_k", top_k, "choose among the k likeliest tokens only; 0: off");
  table.add("sample", "top_p", top_p, "choose among the likeliest tokens that together reach this probability; 1: off");
  table.add("sample", "min_p", min_p, "choose among tokens at least this fraction as likely as the likeliest; 0: off");
  table.add("sample", "greedy", greedy, "always the likeliest token");
  table.add("sample", "seed", seed, "seed of the draws: same seed, same text").default_name =
      "another one each time, printed at the end";
}

void SamplerOptions::validate(Problems& problems) const {
  problems.require(std::isfinite(temperature) && temperature >= 0.0,
                   "temperature is " + shortest(temperature) + ", expected 0 (greedy) or a positive number");
  problems.require(top_k >= 0, "top_k is " + std::to_string(top_k) + ", expected 0 (off) or a positive number");
  problems.require(top_p > 0.0 && top_p <= 1.0,
                   "top_p is " + shortest(top_p) + ", expected above 0 and at most 1 (off)");
  problems.require(min_p >= 0.0 && min_p <= 1.0, "min_p is " + shortest(min_p) + ", expected from 0 (off) to 1");
}

Sampler::Sampler(const SamplerOptions& options) : options_(options) {
  Problems problems;
  options_.validate(problems);
  problems.throw_if_any();
}

std::vector<double> Sampler::probabilities(std::span<const float> logits, std::span<const TokenId> banned) const {
  require_finite(logits);
  const auto likelier = [&](TokenId a, TokenId b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; };
  std::vector<TokenId> ids = allowed_ids(logits.size(), banned);
  const TokenId likeliest = *std::min_element(ids.begin(), ids.end(), likelier);
  std::vector<double> chances(logits.size(), 0.0);
  if (options_.greedy || options_.temperature == 0.0) {
    chances[likeliest] = 1.0;
    return chances;
  }

  if (options_.top_k > 0 && options_.top_k < static_cast<std::int64_t>(ids.size())) {
    std::nth_element(ids.begin(), ids.begin() + options_.top_k, ids.end(), likelier);
    ids.resize(options_.top_k);
  }
  // Relative to the likeliest, whose weight is 1: nothing overflows, and min_p can be read off directly.
  std::vector<double> weights(logits.size(), 0.0);
  const double largest = logits[likeliest];
  for (const TokenId id : ids) weights[id] = std::exp((logits[id] - largest) / options_.temperature);
  if (options_.top_p < 1.0) {
    std::sort(ids.begin(), ids.end(), likelier);
    cut_to_top_p(ids, weights, options_.top_p);
  }
  std::erase_if(ids, [&](TokenId id) { return weights[id] < options_.min_p * (1.0 - kRounding); });
  double total = 0.0;
  for (const TokenId id : ids) total += weights[id];
  for (const TokenId id : ids) chances[id] = weights[id] / total;
  return chances;
}

Choice Sampler::choose(std::span<const float> logits, std::uint64_t sample, std::uint64_t position,
                       std::span<const TokenId> banned) const {
  const std::vector<double> chances = probabilities(logits, banned);
  const double point = Philox(options_.seed, Purpose::kSampling).uniform(sample, position);
  Choice choice;
  double passed = 0.0;
  for (std::size_t id = 0; id < chances.size(); ++id) {
    if (chances[id] == 0.0) continue;
    choice.id = static_cast<TokenId>(id);  // the last possible one, should rounding leave the sum below `point`
    passed += chances[id];
    if (point < passed) break;
  }
  choice.log_probability = logits[choice.id] - log_sum_exp(logits);
  return choice;
}

}  // namespace tinylm
