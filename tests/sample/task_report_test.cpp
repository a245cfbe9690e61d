#include "sample/task_report.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tinylm {
namespace {

TaskReport example() {
  TaskReport report{"runs/mine", "step-20", {}};
  report.scores.push_back({{"The ferry ", {"waits", "is late"}, "task"}, -1.5, 5, "waits.\n", false, true});
  report.scores.push_back({{"Say:\n", {"a\tb", "c"}, "source"}, -6.25, 3, "no\nway", false, false});
  report.scores.push_back({{"1 + 1 = ", {"2"}, "task"}, -0.5, 1, "", true, false});
  return report;
}

TEST(TaskReport, TextKeepsLikelihoodApartFromMatchesAndNamesEveryFailure) {
  EXPECT_EQ(to_text(example()),
            "run runs/mine, step-20\n"
            "\n"
            "Likelihood of the expected text: -ln p(expected | prompt) in nats; 0 is certain, more is less likely.\n"
            "kind    items  nats/token  nats/item\n"
            "task        2      0.3333     1.0000\n"
            "source      1      2.0833     6.2500\n"
            "\n"
            "Exact matches: greedy continuations that begin with an accepted text.\n"
            "kind    items  matches    rate\n"
            "task        2        1  50.0 %\n"
            "source      1        0   0.0 %\n"
            "\n"
            "No match: 2 of 3\n"
            "source\n"
            "  prompt    \"Say:\u23CE\"\n"
            "  expected  \"a\u21E5"
            "b\" or \"c\"\n"
            "  got       \"no\u23CEway\"\n"
            "task\n"
            "  prompt    \"1 + 1 = \"\n"
            "  expected  \"2\"\n"
            "  got       \"\" and END\n");
}

TEST(TaskReport, JsonReadsBackToTheSameValues) {
  const nlohmann::json json = nlohmann::json::parse(to_json(example()));
  EXPECT_EQ(json.at("run"), "runs/mine");
  EXPECT_EQ(json.at("checkpoint"), "step-20");
  ASSERT_EQ(json.at("kinds").size(), 2U);
  const nlohmann::json& kind = json.at("kinds")[0];
  EXPECT_EQ(kind.at("kind"), "task");
  EXPECT_EQ(kind.at("items"), 2);
  EXPECT_EQ(kind.at("mean_nats_per_token"), 2.0 / 6.0);
  EXPECT_EQ(kind.at("mean_total_nats"), 1.0);
  EXPECT_EQ(kind.at("exact_matches"), 1);
  EXPECT_EQ(kind.at("exact_match_rate"), 0.5);
  ASSERT_EQ(json.at("items").size(), 3U);
  EXPECT_EQ(json.at("items")[1],
            nlohmann::json::parse(R"({"prompt": "Say:\n", "accepted": ["a\tb", "c"], "kind": "source",
                                      "log_likelihood_nats": -6.25, "tokens": 3, "got": "no\nway", "ended": false,
                                      "match": false})"));
}

TEST(TaskReport, JsonIsOneLine) {
  EXPECT_EQ(to_json(example()).find('\n'), std::string::npos);
}

TEST(TaskReport, JsonHasNullForWhatIsNotFinite) {
  TaskReport report = example();
  report.scores[1].log_likelihood_nats = -std::numeric_limits<double>::infinity();
  const nlohmann::json json = nlohmann::json::parse(to_json(report));
  EXPECT_TRUE(json.at("items")[1].at("log_likelihood_nats").is_null());
  EXPECT_TRUE(json.at("kinds")[1].at("mean_total_nats").is_null());
}

}  // namespace
}  // namespace tinylm
