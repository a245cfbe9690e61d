#include "sample/sampling_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/numbers.h"

namespace tinylm {
namespace {

/// Logits are float32: a probability this little (relatively) below a limit has reached it.
constexpr double kRounding = 1e-7;

TokenId likeliest(const Candidates& candidates) {
  return *std::min_element(candidates.ids.begin(), candidates.ids.end(),
                           [&](TokenId a, TokenId b) { return likelier(candidates, a, b); });
}

/// How often each of V tokens is in `ids`.
std::vector<std::int32_t> counts_of(std::span<const TokenId> ids, std::size_t V) {
  std::vector<std::int32_t> counts(V, 0);
  for (const TokenId id : ids) ++counts[id];
  return counts;
}

void remove_all(Candidates& candidates, const std::vector<TokenId>& out) {
  std::erase_if(candidates.ids, [&](TokenId id) { return std::find(out.begin(), out.end(), id) != out.end(); });
}

void remove_banned(Candidates& candidates, const StepSettings& settings, const History&) {
  remove_all(candidates, settings.rules.banned);
}

void add_biases(Candidates& candidates, const StepSettings& settings, const History&) {
  for (const auto& [id, bias] : settings.rules.biases) candidates.logits[id] += bias;
}

void penalise_repetition(Candidates& candidates, const StepSettings& settings, const History& history) {
  const double penalty = settings.options.repetition_penalty;
  const std::vector<std::int32_t> counts = counts_of(history.ids, candidates.logits.size());
  for (std::size_t id = 0; id < counts.size(); ++id) {
    double& logit = candidates.logits[id];
    if (counts[id] > 0) logit = logit > 0.0 ? logit / penalty : logit * penalty;
  }
}

void penalise_presence(Candidates& candidates, const StepSettings& settings, const History& history) {
  const std::vector<std::int32_t> counts = counts_of(history.text(), candidates.logits.size());
  for (std::size_t id = 0; id < counts.size(); ++id)
    if (counts[id] > 0) candidates.logits[id] -= settings.options.presence_penalty;
}

void penalise_frequency(Candidates& candidates, const StepSettings& settings, const History& history) {
  const std::vector<std::int32_t> counts = counts_of(history.text(), candidates.logits.size());
  for (std::size_t id = 0; id < counts.size(); ++id)
    candidates.logits[id] -= settings.options.frequency_penalty * counts[id];
}

/// Takes out every token that has followed the last n - 1 tokens before: it would end the same n tokens again.
void remove_repeated_ngrams(Candidates& candidates, const StepSettings& settings, const History& history) {
  const auto n = static_cast<std::size_t>(settings.options.no_repeat_ngram);
  if (history.ids.size() < n) return;
  const auto beginning = history.ids.last(n - 1);
  std::vector<bool> repeats(candidates.logits.size(), false);
  for (std::size_t at = 0; at + n <= history.ids.size(); ++at) {
    if (std::equal(beginning.begin(), beginning.end(), history.ids.begin() + static_cast<std::ptrdiff_t>(at)))
      repeats[history.ids[at + n - 1]] = true;
  }
  std::erase_if(candidates.ids, [&](TokenId id) { return repeats[id]; });
}

void keep_forced(Candidates& candidates, const StepSettings& settings, const History& history) {
  const std::size_t position = history.position();
  if (position < settings.rules.forced.size()) candidates.ids = {settings.rules.forced[position]};
}

/// Relative to the likeliest, whose logit becomes 0: a very small temperature leaves it and its equals alone, a very
/// large one makes all even, and nothing overflows.
void apply_temperature(Candidates& candidates, const StepSettings& settings, const History&) {
  const TokenId best = likeliest(candidates);
  if (settings.options.always_likeliest()) {
    candidates.ids = {best};
    return;
  }
  const double largest = candidates.logits[best];
  for (const TokenId id : candidates.ids)
    candidates.logits[id] = (candidates.logits[id] - largest) / settings.options.temperature;
}

void keep_top_k(Candidates& candidates, const StepSettings& settings, const History&) {
  const auto k = static_cast<std::size_t>(settings.options.top_k);
  if (k >= candidates.ids.size()) return;
  std::nth_element(candidates.ids.begin(), candidates.ids.begin() + static_cast<std::ptrdiff_t>(k),
                   candidates.ids.end(), [&](TokenId a, TokenId b) { return likelier(candidates, a, b); });
  candidates.ids.resize(k);
}

/// Keeps the shortest beginning, likeliest first, whose share of all candidates' probability reaches top_p.
void keep_top_p(Candidates& candidates, const StepSettings& settings, const History&) {
  std::vector<TokenId>& ids = candidates.ids;
  std::sort(ids.begin(), ids.end(), [&](TokenId a, TokenId b) { return likelier(candidates, a, b); });
  const double largest = candidates.logits[ids.front()];
  double total = 0.0;
  for (const TokenId id : ids) total += std::exp(candidates.logits[id] - largest);
  double reached = 0.0;
  std::size_t kept = 0;
  while (kept < ids.size() && reached < settings.options.top_p * (1.0 - kRounding) * total)
    reached += std::exp(candidates.logits[ids[kept++]] - largest);
  ids.resize(std::max<std::size_t>(kept, 1));
}

void keep_min_p(Candidates& candidates, const StepSettings& settings, const History&) {
  const double largest = candidates.logits[likeliest(candidates)];
  const double least = settings.options.min_p * (1.0 - kRounding);
  std::erase_if(candidates.ids, [&](TokenId id) { return std::exp(candidates.logits[id] - largest) < least; });
}

std::string unless(bool off, const std::string& setting) {
  return off ? "" : setting;
}
std::string number_of_tokens(std::size_t count) {
  return unless(count == 0, std::to_string(count) + (count == 1 ? " token" : " tokens"));
}

constexpr SamplingStep kSteps[] = {
    {"ban", "takes these tokens out: --ban, and START, which begins texts and is never within one", "", false,
     [](const StepSettings& s) { return number_of_tokens(s.rules.banned.size()); }, remove_banned},
    {"logit-bias", "adds to the logits of these tokens", "", false,
     [](const StepSettings& s) { return number_of_tokens(s.rules.biases.size()); }, add_biases},
    {"repetition-penalty",
     "each token of prompt and text: a positive logit is divided by it, a negative one multiplied",
     "Keskar et al. 2019 (CTRL)", false,
     [](const StepSettings& s) {
       return unless(s.options.repetition_penalty == 1.0, shortest(s.options.repetition_penalty));
     },
     penalise_repetition},
    {"presence-penalty", "taken off the logit of each token of the text", "as in the OpenAI API", false,
     [](const StepSettings& s) {
       return unless(s.options.presence_penalty == 0.0, shortest(s.options.presence_penalty));
     },
     penalise_presence},
    {"frequency-penalty", "taken off for each time that the text has the token", "as in the OpenAI API", false,
     [](const StepSettings& s) {
       return unless(s.options.frequency_penalty == 0.0, shortest(s.options.frequency_penalty));
     },
     penalise_frequency},
    {"no-repeat-ngram", "takes out what would end a run of n tokens that prompt and text have already",
     "Paulus et al. 2017", false,
     [](const StepSettings& s) {
       return unless(s.options.no_repeat_ngram == 0, std::to_string(s.options.no_repeat_ngram));
     },
     remove_repeated_ngrams},
    {"force", "the text's first tokens are these, whatever the steps above say", "", false,
     [](const StepSettings& s) { return number_of_tokens(s.rules.forced.size()); }, keep_forced},
    {"temperature", "divides the logits; at 0 only the likeliest token is left, of equal ones the smallest id",
     "Ackley et al. 1985", true,
     [](const StepSettings& s) {
       return s.options.always_likeliest() ? std::string("greedy") : shortest(s.options.temperature);
     },
     apply_temperature},
    {"top-k", "keeps the k likeliest tokens", "Fan et al. 2018", true,
     [](const StepSettings& s) { return unless(s.options.top_k == 0, std::to_string(s.options.top_k)); }, keep_top_k},
    {"top-p", "keeps the likeliest tokens that together reach this share of what is left", "Holtzman et al. 2020", true,
     [](const StepSettings& s) { return unless(s.options.top_p == 1.0, shortest(s.options.top_p)); }, keep_top_p},
    {"min-p", "keeps tokens at least this fraction as likely as the likeliest", "Nguyen et al. 2024", true,
     [](const StepSettings& s) { return unless(s.options.min_p == 0.0, shortest(s.options.min_p)); }, keep_min_p},
};

}  // namespace

std::span<const SamplingStep> sampling_steps() {
  return kSteps;
}

}  // namespace tinylm
