#include "inspect/finding.h"

#include <algorithm>
#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "core/numbers.h"

namespace tinylm {
namespace {

/// A job that a head may do: the score that shows it, on which text, and the pattern that shows where it does it in
/// one.
struct Job {
  const char* score;
  const char* name;
  const char* measured_on;
  torch::Tensor (*pattern)(const Inspection& text);
};

const std::vector<Job>& jobs() {
  static const std::vector<Job> all = {
      {"induction_random", "induction head", " on random repeats",
       [](const Inspection& text) { return induction_pattern(ids_tensor(text.ids)); }},
      {"previous", "previous-token head", "",
       [](const Inspection& text) { return previous_token_pattern(text.tokens()); }},
      {"duplicate_random", "duplicate-token head", " on random repeats",
       [](const Inspection& text) { return duplicate_token_pattern(ids_tensor(text.ids)); }},
  };
  return all;
}

/// How far from chance (0) to a perfect head (1).
double excess(double value, double uniform) {
  return (value - uniform) / (1.0 - uniform);
}

/// The last query whose next token is known; a text of one token has none such.
std::int64_t last_told_query(std::int64_t T) {
  return std::max<std::int64_t>(0, T - 2);
}

/// Of the queries whose next token is known, the one with most attention on its matches; the last where none has any.
std::int64_t telling_query(const torch::Tensor& attention, const torch::Tensor& pattern) {
  const std::int64_t last = last_told_query(pattern.size(0));
  const torch::Tensor on_matches = (attention * pattern).sum(-1).slice(0, 0, last + 1);
  return on_matches.max().item<double>() > 0.0 ? on_matches.argmax().item<std::int64_t>() : last;
}

/// What the loss becomes without each head, if that is known of every head of `selection`.
const HeadScores* effects_of_all(const std::vector<HeadScores>& scores, const HeadSelection& selection) {
  const HeadScores* ablation = find_scores(scores, "ablation_zero");
  const bool known = ablation && !selection.of(ablation->measured.values).isnan().any().item<bool>();
  return known ? ablation : nullptr;
}

/// The head that the text's loss depends on most, if that is known and it depends on any.
std::optional<HeadPlace> most_needed(const std::vector<HeadScores>& scores, const HeadSelection& selection) {
  const HeadScores* ablation = effects_of_all(scores, selection);
  if (!ablation) return std::nullopt;
  const HeadPlace head = highest(*ablation, selection);
  return ablation->value(head) >= kNeededNats ? std::optional(head) : std::nullopt;
}

/// "; without it the loss of 1.20 nats rises by 0.42", or nothing where that is not known.
std::string effect(const std::vector<HeadScores>& scores, const HeadPlace& head, double loss_nats) {
  constexpr double kHardly = 0.005;
  const HeadScores* ablation = find_scores(scores, "ablation_zero");
  const double change = ablation ? ablation->value(head) : std::nan("");
  if (std::isnan(change)) return "";
  if (std::abs(change) < kHardly) return "; without it the loss of this text hardly changes";
  return fmt::format("; without it the loss of {} nats {} by {}", fixed(loss_nats, 2), change > 0.0 ? "rises" : "falls",
                     fixed(std::abs(change), 2));
}

Finding of_job(const Job& job, const HeadScores& scores, const std::vector<HeadScores>& all, const Inspection& text,
               const HeadPlace& head, const std::optional<HeadPlace>& needed) {
  Finding finding;
  finding.sentence =
      fmt::format("{} is the strongest {} ({}{}; chance {}){}{}.", head_name(head.layer, head.head), job.name,
                  fixed(scores.value(head), 2), job.measured_on, fixed(scores.measured.uniform, 2),
                  effect(all, head, text.mean_loss_nats()), needed == head ? ", more than without any other head" : "");
  const HeadScores* ablation = needed ? find_scores(all, "ablation_zero") : nullptr;
  if (ablation && ablation->value(*needed) - ablation->value(head) >= kNeededNats) {
    const double rise = ablation->value(*needed);
    finding.most_needed = {fmt::format("This text needs {} most: without it the loss rises by {} nats.",
                                       head_name(needed->layer, needed->head), fixed(rise, 2)),
                           *needed};
  }
  finding.head = head;
  finding.query = telling_query(text.attention[head.layer][head.head], job.pattern(text));
  finding.score = job.score;
  finding.notable = true;
  return finding;
}

/// No head does a known job: the one that the loss depends on most, or nothing.
Finding without_job(const std::vector<HeadScores>& scores, const Inspection& text, const HeadSelection& selection) {
  const HeadScores* ablation = effects_of_all(scores, selection);
  Finding finding;
  finding.query = last_told_query(text.tokens());
  finding.score = ablation ? "ablation_zero" : "previous";
  finding.head = highest(*find_scores(scores, finding.score), selection);
  const double rise = ablation ? ablation->value(finding.head) : std::nan("");
  finding.notable = rise >= kNeededNats;  // false for NaN
  finding.sentence =
      finding.notable
          ? fmt::format(
                "No head clearly looks for the previous token, copies or what followed them; the loss needs {} "
                "most: without it it rises by {} nats.",
                head_name(finding.head.layer, finding.head.head), fixed(rise, 2))
      : text.tokens() < 2
          ? "One token alone shows nothing about its heads: give a longer text."
          : "No head stands out: none clearly looks for the previous token, copies or what followed them" +
                std::string(std::isnan(rise) ? "." : ", and the loss depends on none.");
  return finding;
}

}  // namespace

std::vector<HeadPlace> strongest_heads(const std::vector<HeadScores>& scores, const HeadSelection& selection) {
  std::vector<HeadPlace> heads;
  for (const Job& job : jobs()) {
    const HeadScores* of_kind = find_scores(scores, job.score);
    const HeadPlace best =
        of_kind ? highest(*of_kind, selection) : HeadPlace{selection.layers.front(), selection.heads.front()};
    if (std::find(heads.begin(), heads.end(), best) == heads.end()) heads.push_back(best);
  }
  return heads;
}

Finding find_notable(const std::vector<HeadScores>& scores, const Inspection& text, const HeadSelection& selection) {
  for (const Job& job : jobs()) {
    const HeadScores* of_kind = find_scores(scores, job.score);
    if (!of_kind) continue;
    const HeadPlace best = highest(*of_kind, selection);
    if (excess(of_kind->value(best), of_kind->measured.uniform) >= kStandsOut)  // false for NaN
      return of_job(job, *of_kind, scores, text, best, most_needed(scores, selection));
  }
  return without_job(scores, text, selection);
}

}  // namespace tinylm
