#include "inspect/term_view.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/utf8.h"
#include "inspect/views.h"

namespace tinylm {
namespace {

HeadScores previous_scores(const std::vector<std::vector<double>>& rows) {
  std::vector<torch::Tensor> layers;
  for (const auto& row : rows) layers.push_back(torch::tensor(row, torch::kFloat64));
  return {&score_kinds().front(), {torch::stack(layers), 0.5, 3}};
}

TEST(ScoreTable, HasARowALayerAndAColumnAHead) {
  EXPECT_EQ(score_table(previous_scores({{0.1, 0.25}, {std::nan(""), 1.0}}), {{0, 1}, {0, 1}}, 80),
            "         H0    H1\n"
            "   L0  0.10  0.25\n"
            "   L1   n/a  1.00\n");
}

TEST(ScoreTable, PutsAsManyHeadsSideBySideAsColumnsHold) {
  EXPECT_EQ(score_table(previous_scores({{0.1, 0.2, 0.3}}), {{0}, {0, 1, 2}}, 17),
            "         H0    H1\n"
            "   L0  0.10  0.20\n"
            "         H2\n"
            "   L0  0.30\n");
}

TEST(ScoreTable, NamesTheHeadsThatAreShown) {
  EXPECT_EQ(score_table(previous_scores({{0.1, 0.2}, {0.3, 0.4}}), {{1}, {1}}, 80),
            "         H1\n"
            "   L1  0.40\n");
}

TEST(TokenStrip, MarksTheLossBelowEachTokenWithoutColours) {
  Inspection text;
  text.labels = {"The", "\u23CE", "\u732B", "x"};  // the cat takes two columns
  text.losses_nats = {std::nan(""), 0.0, std::log(4.0), 9.0};
  text.logits = torch::zeros({4, 4});
  EXPECT_EQ(token_strip(text, 80, ColorDepth::kAscii),
            "The\u23CE\u732Bx\n"
            "    @@@\n");
  EXPECT_EQ(token_strip(text, 4, ColorDepth::kAscii),
            "The\u23CE\n"
            "\n"
            "\u732Bx\n"
            "@@@\n");
}

TEST(TermView, SaysTheFindingThenTheScoresTheMapTheLossesAndWhatComesNext) {
  View view = test::random_view();
  view.notes = {"a note"};
  const std::string text = term_view(view, {1, 2}, 80, ColorDepth::kAscii);
  std::size_t place = 0;
  for (const std::string& part :
       {view.finding.sentence, std::string("(a note)"), std::string("   L1"), std::string("L1H2: each row looks at"),
        std::string("loss of each token"), std::string("next:")}) {
    const std::size_t found = text.find(part, place);
    ASSERT_NE(found, std::string::npos) << part << "\n" << text;
    place = found;
  }
  EXPECT_FALSE(utf8::find_invalid(text));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(TermView, OfOneTokenHasNoLosses) {
  LoadedModel loaded = test::loaded_random(testing::small_config());
  const std::string text = term_view(test::view_of(loaded, {5}), {0, 0}, 80, ColorDepth::k24Bit);
  EXPECT_NE(text.find("One token alone shows nothing"), std::string::npos) << text;
  EXPECT_EQ(text.find("loss of each token"), std::string::npos);
}

}  // namespace
}  // namespace tinylm
