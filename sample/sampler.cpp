#include "sample/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.h"
#include "core/philox.h"

namespace tinylm {

namespace {

void require_finite(std::span<const float> logits) {
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (std::isfinite(logits[id])) continue;
    throw NotFinite("the model's logit for token " + std::to_string(id) + " is " + std::to_string(logits[id]) +
                    ", expected finite numbers: its weights are not usable; choose an earlier one with --checkpoint");
  }
}

void require_some(const Candidates& candidates) {
  if (!candidates.ids.empty()) return;
  throw BadInput("no token is left to choose from: ban and no_repeat_ngram take out all " +
                 std::to_string(candidates.logits.size()));
}

/// V values that are proportional to the candidates' probabilities, 1 for the likeliest; 0 for what is out.
std::vector<double> weights_of(const Candidates& candidates) {
  double largest = candidates.logits[candidates.ids.front()];
  for (const TokenId id : candidates.ids) largest = std::max(largest, candidates.logits[id]);
  std::vector<double> weights(candidates.logits.size(), 0.0);
  for (const TokenId id : candidates.ids) weights[id] = std::exp(candidates.logits[id] - largest);
  return weights;
}

}  // namespace

Sampler::Sampler(const SamplerOptions& options, TokenRules rules) : options_(options), rules_(std::move(rules)) {
  Problems problems;
  options_.validate(problems);
  problems.throw_if_any();
}

Candidates Sampler::candidates(std::span<const float> logits, const History& history, bool draw,
                               std::vector<StepTaken>* steps) const {
  require_finite(logits);
  Candidates candidates{{logits.begin(), logits.end()}, std::vector<TokenId>(logits.size())};
  std::iota(candidates.ids.begin(), candidates.ids.end(), 0);
  for (const SamplingStep& step : sampling_steps()) {
    if (step.of_the_draw) {
      if (!draw) break;
      require_some(candidates);
    }
    const std::string setting = step.setting(settings());
    if (!setting.empty()) step.apply(candidates, settings(), history);
    if (steps != nullptr) steps->push_back({&step, setting, candidates.ids.size()});
  }
  require_some(candidates);
  return candidates;
}

std::vector<double> Sampler::probabilities(std::span<const float> logits, const History& history) const {
  std::vector<double> weights = weights_of(candidates(logits, history, /*draw=*/true));
  double total = 0.0;
  for (const double weight : weights) total += weight;
  for (double& weight : weights) weight /= total;
  return weights;
}

std::vector<double> Sampler::log_likelihoods(std::span<const float> logits, const History& history) const {
  std::vector<double> weights = weights_of(candidates(logits, history, /*draw=*/false));
  double total = 0.0;
  for (const double weight : weights) total += weight;
  for (double& weight : weights) weight = std::log(weight / total);
  return weights;
}

std::vector<StepTaken> Sampler::steps_taken(std::span<const float> logits, const History& history) const {
  std::vector<StepTaken> steps;
  candidates(logits, history, /*draw=*/true, &steps);
  return steps;
}

TokenId Sampler::choose(std::span<const float> logits, std::uint64_t sample, const History& history) const {
  const std::vector<double> chances = probabilities(logits, history);
  const double point = Philox(options_.seed, Purpose::kSampling).uniform(sample, history.position());
  TokenId choice = 0;
  double passed = 0.0;
  for (std::size_t id = 0; id < chances.size(); ++id) {
    if (chances[id] == 0.0) continue;
    choice = static_cast<TokenId>(id);  // the last possible one, should rounding leave the sum below `point`
    passed += chances[id];
    if (point < passed) break;
  }
  return choice;
}

}  // namespace tinylm
