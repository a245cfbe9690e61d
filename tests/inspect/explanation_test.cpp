#include "inspect/explanation.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "sample/scripted_model.h"
#include "testing/models.h"

namespace tinylm {
namespace {

LoadedModel explained_model(ModelConfig config) {
  LoadedModel loaded;
  loaded.tokenizer = test::tokenizer_over("byte", "x");
  config.vocabulary_size = loaded.tokenizer->vocabulary_size();
  loaded.model = LanguageModel(config, 1);
  return loaded;
}

TEST(HeadRow, IsReadFromLayerHeadAndQuery) {
  const HeadRow row = parse_head_row("1.12.305");
  EXPECT_EQ(row.layer, 1);
  EXPECT_EQ(row.head, 12);
  EXPECT_EQ(row.query, 305);
}

TEST(HeadRow, RefusesAnythingElse) {
  for (const std::string text : {"", "1", "1.2", "1.2.", "1.2.3.4", "a.b.c", "-1.0.0", "1.2.3 ", "1,2,3"}) {
    try {
      parse_head_row(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const WrongUse& error) {
      EXPECT_EQ(error.what(),
                "--explain takes layer.head.query, counted from 0, such as 0.2.5; found \"" + text + "\"");
    }
  }
}

TEST(Explanation, AgreesWithEveryRowThatTheModelComputed) {
  for (const ModelConfig& config : testing::varied_configs()) {
    LoadedModel loaded = explained_model(config);
    const std::vector<TokenId> ids = loaded.tokenizer->encode("the ferry");
    const Inspection inspection = inspect(loaded, ids);
    for (const HeadRow row : {HeadRow{0, 0, 0}, HeadRow{0, 3, 4}, HeadRow{1, 2, 8}}) {
      const Explanation found = explain(loaded, ids, row);
      EXPECT_TRUE(found.agrees()) << testing::describe(config) << ": " << found.difference;
      const torch::Tensor shown = inspection.attention[row.layer][row.head][row.query].to(torch::kFloat64);
      EXPECT_LT((found.steps.exponentials[0] / found.steps.sums[0] - shown).abs().max().item<double>(),
                kExplanationTolerance);
      EXPECT_EQ(found.steps.allowed.sum().item<std::int64_t>(), row.query + 1);
    }
  }
}

TEST(Explanation, OfAModelWithoutMaskHidesNothing) {
  ModelConfig config = testing::small_config("alibi");
  config.attention_mask = MaskKind::kNone;
  LoadedModel loaded = explained_model(config);
  const Explanation found = explain(loaded, loaded.tokenizer->encode("ferry"), {0, 1, 2});
  EXPECT_TRUE(found.agrees()) << found.difference;
  EXPECT_TRUE(found.steps.allowed.all().item<bool>());
  EXPECT_NE(explanation_text(found, 2).find("attention_mask none: this model was trained to look at later tokens too"),
            std::string::npos);
}

TEST(Explanation, ShowsTheWholeCalculation) {
  LoadedModel loaded = explained_model(testing::small_config());
  const Explanation explanation = explain(loaded, loaded.tokenizer->encode("ab c"), {1, 2, 2});
  const std::string text = explanation_text(explanation, 4);
  for (const std::string part :
       {"L1H2, the query of position 2 (of 0 to 3), the token \u2423", "q = [",
        "scale = 1 / sqrt(d_k) = 1 / sqrt(8) = 0.3536", "s_j = scale * (q . k_j)", "e_j = exp(s_j - c)",
        "w_j = e_j / z", "and 1 later, hidden: weight exactly 0", "q . k_", "The first number of the output",
        "output = sum of w_j v_j\n  = [", "The model computed the same: largest difference"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
  EXPECT_EQ(text.find("b_j"), std::string::npos);
  EXPECT_EQ(text.find("attention_mask none"), std::string::npos);
}

TEST(Explanation, ShowsWhatPositionsAddToTheScores) {
  LoadedModel loaded = explained_model(testing::small_config("alibi"));
  const Explanation explanation = explain(loaded, loaded.tokenizer->encode("abcd"), {0, 0, 3});
  const std::string text = explanation_text(explanation, 2);
  EXPECT_NE(text.find("a_j = s_j + b_j"), std::string::npos) << text;
  EXPECT_NE(text.find("-0.75"), std::string::npos) << text;  // slope 2^-2 of head 0 of 4, three tokens back
}

TEST(Explanation, SaysWhenTheModelComputedSomethingElse) {
  LoadedModel loaded = explained_model(testing::small_config());
  Explanation explanation = explain(loaded, loaded.tokenizer->encode("abcd"), {0, 0, 3});
  explanation.difference = 2e-5;
  EXPECT_FALSE(explanation.agrees());
  EXPECT_NE(explanation_text(explanation, 4).find("something else: largest difference of weights and output 2.0e-05"),
            std::string::npos);
}

TEST(Explanation, NamesARowThatDoesNotExist) {
  LoadedModel loaded = explained_model(testing::small_config());
  try {
    explain(loaded, loaded.tokenizer->encode("abcd"), {2, 4, 4});
    FAIL() << "expected WrongUse";
  } catch (const WrongUse& error) {
    const std::string message = error.what();
    for (const std::string part :
         {"--explain names layer 2, expected 0 to 1", "head 4, expected 0 to 3", "query 4, expected 0 to 3"}) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace tinylm
