#include "sample/task_score.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/numbers.h"
#include "core/utf8.h"
#include "sample/continuation.h"
#include "sample/prompt.h"

namespace tinylm {
namespace {

Sampler greedy_sampler() {
  SamplerOptions options;
  options.greedy = true;
  return Sampler(options);
}

std::size_t longest_bytes(const std::vector<std::string>& texts) {
  std::size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  return longest;
}

KindSummary summary_of(const std::string& kind, const std::vector<TaskScore>& scores) {
  KindSummary summary;
  summary.kind = kind;
  double nats = 0.0;
  std::int64_t tokens = 0;
  for (const TaskScore& score : scores) {
    if (score.task.kind != kind) continue;
    ++summary.items;
    summary.exact_matches += score.match ? 1 : 0;
    nats -= score.log_likelihood_nats;
    tokens += score.tokens;
  }
  const auto items = static_cast<double>(summary.items);
  summary.mean_nats_per_token = nats / static_cast<double>(tokens);
  summary.mean_total_nats = nats / items;
  summary.exact_match_rate = static_cast<double>(summary.exact_matches) / items;
  return summary;
}

}  // namespace

std::vector<KindSummary> summarise(const std::vector<TaskScore>& scores) {
  std::vector<KindSummary> summaries;
  for (const TaskScore& score : scores) {
    const std::string& kind = score.task.kind;
    const bool known = std::any_of(summaries.begin(), summaries.end(),
                                   [&](const KindSummary& summary) { return summary.kind == kind; });
    if (!known) summaries.push_back(summary_of(kind, scores));
  }
  return summaries;
}

TaskScorer::TaskScorer(LanguageModel model, const Tokenizer& tokenizer, TokenId empty_prompt_id)
    : model_(std::move(model)),
      tokenizer_(tokenizer),
      empty_prompt_id_(empty_prompt_id),
      generator_(model_, tokenizer, greedy_sampler(), empty_prompt_id) {}

void TaskScorer::check(const Task& task, Problems& problems) const {
  const std::int64_t context = model_->config().context;
  // One by one, so that the tokenizer's message counts within the text that it is about.
  const auto takes = [&](const std::string& name, const std::string& text) {
    try {
      tokenizer_.encode(text);
      return true;
    } catch (const BadInput& error) {
      problems.add(name + ": " + error.what());
      return false;
    }
  };
  const bool takes_prompt = takes("\"prompt\"", task.prompt);
  for (std::size_t i = 0; i < task.accepted.size(); ++i) {
    const std::string name = "\"accepted\", text " + std::to_string(i + 1);
    if (!takes(name, task.accepted[i]) || !takes_prompt) continue;
    const std::int64_t tokens = continuation_of(task.prompt, task.accepted[i], tokenizer_, empty_prompt_id_).tokens;
    problems.require(tokens <= context, name + " has " + grouped(tokens) + " tokens and the model's context holds " +
                                            grouped(context) +
                                            ": shorten it, or take a run trained with a larger --context");
  }
}

TaskScore TaskScorer::score(const Task& task) {
  const Continuation expected = continuation_of(task.prompt, task.accepted.front(), tokenizer_, empty_prompt_id_);
  GenerateOptions options;
  options.max_tokens = model_->config().context;
  options.overflow = Overflow::kStop;
  options.enough_bytes = longest_bytes(task.accepted);
  Generated answer = generator_.generate(prompt_with_room(task), 0, options);

  TaskScore score;
  score.task = task;
  score.log_likelihood_nats = log_likelihood(model_, expected);
  score.tokens = expected.tokens;
  score.got = std::move(answer.text);
  score.ended = answer.finish_reason == FinishReason::kEnd;
  score.match = std::any_of(task.accepted.begin(), task.accepted.end(),
                            [&](const std::string& text) { return score.got.starts_with(text); });
  return score;
}

std::vector<TokenId> TaskScorer::prompt_with_room(const Task& task) const {
  const std::int64_t context = model_->config().context;
  std::int64_t answer = 0;
  for (const std::string& text : task.accepted) {
    answer = std::max(answer, continuation_of(task.prompt, text, tokenizer_, empty_prompt_id_).tokens);
  }
  std::vector<TokenId> ids = whole_prompt_ids(task.prompt, tokenizer_, empty_prompt_id_);
  const auto size = static_cast<std::int64_t>(ids.size());
  const std::int64_t room = context + 1 - answer;  // the last token is predicted, and looked back on by none
  if (size > room) {
    spdlog::warn(
        "the prompt \"{}\" has {} tokens, an accepted text {}, and the model's context is {}: only the last {} "
        "of the prompt are used",
        utf8::visible(task.prompt), grouped(size), grouped(answer), grouped(context), grouped(room));
    ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(room));
  }
  return ids;
}

}  // namespace tinylm
