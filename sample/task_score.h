// What a model makes of a task: how likely the expected text is to it, and, apart from that, what it says itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sample/generator.h"
#include "sample/tasks.h"

namespace tinylm {

struct TaskScore {
  Task task;
  double log_likelihood_nats = 0.0;  // ln p(accepted[0] | prompt), never above 0
  std::int64_t tokens = 0;           // of accepted[0], as sample/continuation.h counts them
  std::string got;                   // the greedy continuation, up to the length of the longest accepted text
  bool ended = false;                // whether END followed it
  bool match = false;                // whether `got` begins with one of the accepted texts
};

/// All tasks of one kind.
struct KindSummary {
  std::string kind;
  std::int64_t items = 0;
  double mean_nats_per_token = 0.0;  // sum of -ln p(accepted[0] | prompt) over sum of tokens
  double mean_total_nats = 0.0;      // the same sum over items
  std::int64_t exact_matches = 0;
  double exact_match_rate = 0.0;  // 0 to 1
};

/// One summary a kind, in the order in which the kinds first occur.
std::vector<KindSummary> summarise(const std::vector<TaskScore>& scores);

class TaskScorer {
 public:
  /// As Generator. `tokenizer` must outlive the scorer.
  TaskScorer(LanguageModel model, const Tokenizer& tokenizer, TokenId empty_prompt_id);

  /// Notes texts that the tokenizer cannot encode, and accepted ones that the context cannot hold. A TaskCheck.
  void check(const Task& task, Problems& problems) const;

  /// `task` passed check(). The greedy text ends when it is as long (in bytes) as the longest accepted one, which
  /// decides the match, at END, or with the context. A prompt that leaves no room for the accepted texts is cut at its
  /// beginning, with a warning. Throws NotFinite as Sampler.
  TaskScore score(const Task& task);

 private:
  std::vector<TokenId> prompt_with_room(const Task& task) const;

  LanguageModel model_;
  const Tokenizer& tokenizer_;
  TokenId empty_prompt_id_;
  Generator generator_;
};

}  // namespace tinylm
