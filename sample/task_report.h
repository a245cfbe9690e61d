// What `tinylm score --tasks` prints: likelihood and success apart, a line a kind, and every failure.
#pragma once

#include <string>
#include <vector>

#include "sample/task_score.h"

namespace tinylm {

/// Everything that one call of the command scored.
struct TaskReport {
  std::string run;                // its folder
  std::string checkpoint;         // "step-2000"
  std::vector<TaskScore> scores;  // in the order of the file
};

/// For people: the likelihood of the expected texts by kind, the exact matches by kind, then every task without a match
/// in full, with newlines and other controls visible, so that each text stays on its line.
std::string to_text(const TaskReport& report);

/// One JSON object on one line, UTF-8: {"run", "checkpoint", "kinds": [{"kind", "items", "mean_nats_per_token",
/// "mean_total_nats", "exact_matches", "exact_match_rate"}], "items": [{"prompt", "accepted", "kind",
/// "log_likelihood_nats", "tokens", "got", "ended", "match"}]}. Numbers that are not finite become null.
std::string to_json(const TaskReport& report);

}  // namespace tinylm
