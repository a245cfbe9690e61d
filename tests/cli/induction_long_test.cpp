// The model of configs/induction.toml, trained as docs/inspecting.md says: an induction head forms in it, and it is
// what continues repeats.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "core/files.h"

namespace tinylm {
namespace {

using nlohmann::json;
using testing::Outcome;
namespace fs = std::filesystem;

const json& score_named(const json& scores, const std::string& id) {
  for (const json& score : scores)
    if (score["id"] == id) return score;
  ADD_FAILURE() << id;
  return scores;
}

TEST(InductionPreset, FormsAHeadThatContinuesRepeatsAndIsNeededForIt) {
  const std::string folder = testing::fresh_folder("induction");
  ASSERT_EQ(testing::run_shell(folder, TINYLM_SOURCE_DIR "/scripts/repeated_text.sh > repeats.txt").exit_code, 0);
  const Outcome trained =
      testing::run_program(folder, {"train", "repeats.txt", "--preset", "induction", "--track-heads", "--out", "run"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;

  const Outcome probe = testing::run_program(folder, {"inspect", "run", "--probe", "induction"});
  EXPECT_EQ(probe.exit_code, 0) << probe.out;

  const Outcome outcome = testing::run_program(
      folder, {"inspect", "run", "--prompt", "qZ8dWb2fKs6YhN1cVt4PaJ7xGm3RqZ8dWb2fKs6YhN1cVt4PaJ7xGm3R", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json view = json::parse(outcome.out);
  const json& finding = view["finding"];
  EXPECT_EQ(finding["score"], "induction_random") << finding;
  const std::size_t layer = finding["layer"], head = finding["head"];
  EXPECT_EQ(layer, 1U) << "it needs a layer before it";
  EXPECT_GT(score_named(view["scores"], "induction_random")["values"][layer][head].get<double>(), 0.7) << finding;

  // START and 28 tokens twice: from 30 on tokens can be known. There the loss rises without the head.
  double rise = 0.0;
  for (std::size_t t = 30; t < 57; ++t) rise += view["ablation"]["zero"][layer][head][t].get<double>() / 27.0;
  EXPECT_GT(rise, 0.2) << finding;

  // It was not there at first.
  const json& training = view["training"]["scores"]["induction_random"];
  EXPECT_LT(training.front()[layer][head].get<double>(), 0.3);
  EXPECT_GT(training.back()[layer][head].get<double>(), 0.7);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tinylm
