#include "inspect/finding.h"

#include <cmath>

#include <gtest/gtest.h>

#include "inspect/example.h"

namespace tinylm {
namespace {

/// Scores of one layer of two heads.
HeadScores scores_of(const std::string& id, std::vector<double> values, double uniform) {
  for (const ScoreKind& kind : score_kinds())
    if (kind.id == id) return {&kind, {torch::tensor(values, torch::kFloat64).unsqueeze(0), uniform, 2}};
  ADD_FAILURE() << id;
  return {};
}

const HeadSelection kBoth{{0}, {0, 1}};

TEST(Finding, NamesTheStrongestInductionHeadAndWhatItIsWorth) {
  const Finding finding =
      find_notable({scores_of("previous", {0.99, 0.1}, 0.3), scores_of("duplicate_random", {0.0, 0.0}, 0.03),
                    scores_of("induction_random", {0.1, 0.81}, 0.03), scores_of("ablation_zero", {0.0, 0.42}, 0.0)},
                   test::example(), kBoth);
  EXPECT_EQ(
      finding.sentence,
      "L0H1 is the strongest induction head (0.81 on random repeats; chance 0.03); without it the loss of 1.38 nats "
      "rises by 0.42, more than without any other head.");
  EXPECT_FALSE(finding.most_needed);
  EXPECT_EQ(finding.head, (HeadPlace{0, 1}));
  EXPECT_EQ(finding.score, "induction_random");
  EXPECT_TRUE(finding.notable);
}

TEST(Finding, ShowsTheRowWhereTheHeadDoesItsJobMost) {
  const Finding finding = find_notable({scores_of("previous", {0.0, 0.8}, 0.3)}, test::example(), kBoth);
  EXPECT_EQ(finding.sentence, "L0H1 is the strongest previous-token head (0.80; chance 0.30).");
  EXPECT_EQ(finding.query, 1);  // A[1,0] = 0.5 is more than A[2,1] = 0.2
}

TEST(Finding, SaysWhatTheLossBecomesEitherWay) {
  const auto sentence = [](double change) {
    return find_notable({scores_of("previous", {0.0, 0.8}, 0.3), scores_of("ablation_zero", {0.0, change}, 0.0)},
                        test::example(), kBoth)
        .sentence;
  };
  EXPECT_NE(sentence(-0.07).find("; without it the loss of 1.38 nats falls by 0.07."), std::string::npos)
      << sentence(-0.07);
  EXPECT_NE(sentence(0.001).find("; without it the loss of this text hardly changes."), std::string::npos);
}

TEST(Finding, NamesTheHeadThatIsNeededMostBesidesTheOneThatDoesAJob) {
  const auto needed = [](double loss_without_first) {
    return find_notable(
               {scores_of("previous", {0.0, 0.8}, 0.3), scores_of("ablation_zero", {loss_without_first, 0.02}, 0.0)},
               test::example(), kBoth)
        .most_needed;
  };
  ASSERT_TRUE(needed(1.25));
  EXPECT_EQ(needed(1.25)->sentence, "This text needs L0H0 most: without it the loss rises by 1.25 nats.");
  EXPECT_EQ(needed(1.25)->head, (HeadPlace{0, 0}));
  EXPECT_TRUE(needed(0.0701));
  EXPECT_FALSE(needed(0.0699)) << "hardly more than the other";
  EXPECT_FALSE(needed(std::nan(""))) << "of a head that was not taken out nothing is known";
}

TEST(Finding, TakesTheHeadThatTheLossNeedsWhereNoneDoesAKnownJob) {
  const Finding finding = find_notable(
      {scores_of("previous", {0.31, 0.3}, 0.3), scores_of("ablation_zero", {0.2, 0.1}, 0.0)}, test::example(), kBoth);
  EXPECT_EQ(finding.sentence,
            "No head clearly looks for the previous token, copies or what followed them; the loss needs L0H0 most: "
            "without it it rises by 0.20 nats.");
  EXPECT_EQ(finding.score, "ablation_zero");
  EXPECT_TRUE(finding.notable);
}

TEST(Finding, SaysWhereNothingStandsOut) {
  const Finding finding = find_notable(
      {scores_of("previous", {0.31, 0.3}, 0.3), scores_of("ablation_zero", {0.01, 0.0}, 0.0)}, test::example(), kBoth);
  EXPECT_EQ(finding.sentence,
            "No head stands out: none clearly looks for the previous token, copies or what followed them, and the loss "
            "depends on none.");
  EXPECT_FALSE(finding.notable);
}

TEST(Finding, ClaimsNothingAboutHeadsThatWereNotTakenOut) {
  const Finding finding =
      find_notable({scores_of("previous", {0.31, 0.3}, 0.3), scores_of("ablation_zero", {0.9, std::nan("")}, 0.0)},
                   test::example(), kBoth);
  EXPECT_EQ(finding.sentence,
            "No head stands out: none clearly looks for the previous token, copies or what followed them.");
  EXPECT_FALSE(finding.notable);
}

TEST(Finding, LooksOnlyAtTheHeadsShown) {
  const Finding finding = find_notable({scores_of("previous", {0.7, 0.99}, 0.3)}, test::example(), {{0}, {0}});
  EXPECT_EQ(finding.head, (HeadPlace{0, 0}));
}

TEST(StrongestHeads, AreTheBestOfEachJob) {
  const std::vector<HeadPlace> heads =
      strongest_heads({scores_of("previous", {0.9, 0.1}, 0.3), scores_of("duplicate_random", {0.8, 0.1}, 0.03),
                       scores_of("induction_random", {0.1, 0.8}, 0.03)},
                      kBoth);
  EXPECT_EQ(heads, (std::vector<HeadPlace>{{0, 1}, {0, 0}}));
}

TEST(HeadScores, OfNatsAndLogitsHaveAScaleAroundZero) {
  const HeadScores effects = scores_of("ablation_zero", {-0.5, 0.2}, 0.0);
  EXPECT_EQ(effects.lowest(), -0.5);
  EXPECT_EQ(effects.highest(), 0.5);
  EXPECT_EQ(scores_of("attribution", {0.0, -0.001}, 0.0).highest(), 0.05) << "small numbers look small";
  EXPECT_EQ(scores_of("previous", {0.4, 0.2}, 0.3).highest(), 1.0);
  EXPECT_EQ(scores_of("previous", {0.4, 0.2}, 0.3).lowest(), 0.0);
}

TEST(Highest, IsTheFirstOfThoseAlikeAndPassesOverWhatWasNotMeasured) {
  EXPECT_EQ(highest(scores_of("previous", {0.4, 0.4}, 0.3), kBoth), (HeadPlace{0, 0}));
  EXPECT_EQ(highest(scores_of("previous", {std::nan(""), -0.4}, 0.3), kBoth), (HeadPlace{0, 1}));
}

}  // namespace
}  // namespace tinylm
