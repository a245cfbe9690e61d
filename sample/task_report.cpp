#include "sample/task_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/numbers.h"
#include "core/text_table.h"
#include "core/utf8.h"

namespace tinylm {
namespace {

std::string likelihood_table(const std::vector<KindSummary>& kinds) {
  std::vector<TableRow> rows = {{"kind", "items", "nats/token", "nats/item"}};
  for (const KindSummary& kind : kinds) {
    rows.push_back({utf8::visible(kind.kind), grouped(kind.items), fixed(kind.mean_nats_per_token, 4),
                    fixed(kind.mean_total_nats, 4)});
  }
  return text_table(rows, {Side::kLeft, Side::kRight});
}

std::string match_table(const std::vector<KindSummary>& kinds) {
  std::vector<TableRow> rows = {{"kind", "items", "matches", "rate"}};
  for (const KindSummary& kind : kinds) {
    rows.push_back({utf8::visible(kind.kind), grouped(kind.items), grouped(kind.exact_matches),
                    fixed(100.0 * kind.exact_match_rate, 1) + " %"});
  }
  return text_table(rows, {Side::kLeft, Side::kRight});
}

std::string quoted(const std::string& text) {
  return "\"" + utf8::visible(text) + "\"";
}

std::string failure(const TaskScore& score) {
  std::string expected;
  for (const std::string& text : score.task.accepted) expected += (expected.empty() ? "" : " or ") + quoted(text);
  return utf8::visible(score.task.kind) + "\n  prompt    " + quoted(score.task.prompt) + "\n  expected  " + expected +
         "\n  got       " + quoted(score.got) + (score.ended ? " and END" : "") + "\n";
}

nlohmann::ordered_json kinds_json(const std::vector<KindSummary>& kinds) {
  auto list = nlohmann::ordered_json::array();
  for (const KindSummary& kind : kinds) {
    list.push_back({{"kind", kind.kind},
                    {"items", kind.items},
                    {"mean_nats_per_token", kind.mean_nats_per_token},
                    {"mean_total_nats", kind.mean_total_nats},
                    {"exact_matches", kind.exact_matches},
                    {"exact_match_rate", kind.exact_match_rate}});
  }
  return list;
}

nlohmann::ordered_json items_json(const std::vector<TaskScore>& scores) {
  auto list = nlohmann::ordered_json::array();
  for (const TaskScore& score : scores) {
    list.push_back({{"prompt", score.task.prompt},
                    {"accepted", score.task.accepted},
                    {"kind", score.task.kind},
                    {"log_likelihood_nats", score.log_likelihood_nats},
                    {"tokens", score.tokens},
                    {"got", score.got},
                    {"ended", score.ended},
                    {"match", score.match}});
  }
  return list;
}

}  // namespace

std::string to_text(const TaskReport& report) {
  const std::vector<KindSummary> kinds = summarise(report.scores);
  const auto failures =
      std::count_if(report.scores.begin(), report.scores.end(), [](const TaskScore& score) { return !score.match; });
  std::string text = "run " + report.run + ", " + report.checkpoint + "\n\n" +
                     "Likelihood of the expected text: -ln p(expected | prompt) in nats; 0 is certain, more is less "
                     "likely.\n" +
                     likelihood_table(kinds) +
                     "\nExact matches: greedy continuations that begin with an accepted text.\n" + match_table(kinds) +
                     "\nNo match: " + grouped(failures) + " of " +
                     grouped(static_cast<std::int64_t>(report.scores.size())) + "\n";
  for (const TaskScore& score : report.scores) {
    if (!score.match) text += failure(score);
  }
  return text;
}

std::string to_json(const TaskReport& report) {
  nlohmann::ordered_json object;
  object["run"] = report.run;
  object["checkpoint"] = report.checkpoint;
  object["kinds"] = kinds_json(summarise(report.scores));
  object["items"] = items_json(report.scores);
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tinylm
