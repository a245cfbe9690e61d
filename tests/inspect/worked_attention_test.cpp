#include "inspect/worked_attention.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "inspect/attention_json.h"
#include "inspect/attention_text.h"

#include <nlohmann/json.hpp>

namespace tinylm {
namespace {

std::string refusal_of_rows(const std::string& text) {
  try {
    parse_rows(text, "--keys");
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal(const std::string& q, const std::string& k, const std::string& v, const std::string& mask = "") {
  try {
    AttentionInputs inputs{.q = parse_rows(q, "--query"), .k = parse_rows(k, "--keys"), .v = parse_rows(v, "--values")};
    if (!mask.empty()) inputs.mask = parse_rows(mask, "--mask");
    work_attention(inputs);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

WorkedAttention causal(const std::string& q, const std::string& k, const std::string& v) {
  return work_attention({.q = parse_rows(q, "q"), .k = parse_rows(k, "k"), .v = parse_rows(v, "v"), .causal = true});
}

TEST(ParseRows, ReadsNumbersAndRows) {
  EXPECT_TRUE(parse_rows("1,0;0,1", "x").equal(torch::eye(2, torch::kFloat64)));
  EXPECT_TRUE(
      parse_rows(" -1.5 , +2e1 ;\t.25,0\n", "x").equal(torch::tensor({{-1.5, 20.0}, {0.25, 0.0}}, torch::kFloat64)));
  EXPECT_EQ(parse_rows("7", "x").sizes(), (std::vector<std::int64_t>{1, 1}));
}

TEST(ParseRows, NamesWhatIsNoFiniteNumber) {
  for (const std::string number : {"nan", "inf", "-inf", "x", "1e999", "1 2", "+-1", "0x10", ""}) {
    EXPECT_EQ(
        refusal_of_rows("1,0;0," + number),
        "--keys: number 2 of row 2 is \"" + number +
            "\"; expected a finite decimal number such as 0.5, with commas between numbers and semicolons between "
            "rows (\"1,0;0,1\")");
  }
}

TEST(ParseRows, NamesRaggedRowsAndNothing) {
  EXPECT_EQ(refusal_of_rows("1,0;0,1,2"), "--keys: row 1 has 2 numbers and row 2 has 3; all rows need the same number");
  EXPECT_EQ(refusal_of_rows("  "), "--keys: nothing given; expected numbers such as \"1,0;0,1\"");
}

TEST(WorkAttention, NamesShapesThatDoNotFit) {
  EXPECT_EQ(refusal("1,0,0", "1,0;0,1", "1;2"),
            "the dot product needs queries and keys of one length d_k, found 1 query of 3 numbers and 2 keys of 2 "
            "numbers; give each query as many numbers as each key has");
  EXPECT_EQ(refusal("1,0", "1,0;0,1", "1"),
            "each key needs one value, found 2 keys of 2 numbers and 1 value of 1 number; give as many values as keys, "
            "with semicolons between them");
  EXPECT_EQ(refusal("1,0", "1,0;0,1", "1;2", "1,0;1,1"),
            "the mask needs one row for all queries or one for each, with a number for each key: expected 1 row of "
            "2, found 2 of 2");
  EXPECT_EQ(refusal("1,0", "1,0;0,1", "1;2", "1,0.5"),
            "the mask says 1 where a query may look and 0 where it may not; found another number");
}

TEST(WorkAttention, RefusesMoreCausalQueriesThanKeys) {
  try {
    causal("1;1;1", "1;2", "1;2");
    FAIL() << "expected BadInput";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "a causal query stands at the position of a key, found 3 queries of 1 number and 2 keys of 1 "
                 "number; give no more queries than keys");
  }
}

TEST(WorkedText, SaysWhereFewerQueriesThanKeysStand) {
  const std::string text = worked_text(causal("1", "1;2", "1;2"));
  EXPECT_NE(text.find("the queries are the last 1 of 2 positions"), std::string::npos) << text;
}

TEST(WorkAttention, NamesNumbersThatOverflow) {
  EXPECT_EQ(refusal("1e200", "1e200", "1"),
            "the dot product of query 1 and key 1 is too large for a 64-bit number; give smaller vectors");
}

TEST(WorkAttention, GivesTheKnownAnswerOfTheExample) {
  const WorkedAttention worked = work_attention(example_inputs());
  EXPECT_NEAR(worked.steps.output[0][0].item<double>(), 1.981430704, 1e-8);
  EXPECT_NEAR(worked.steps.weights[0][1].item<double>(), 0.6698, 5e-5);
}

TEST(WithDigits, RoundsAndDropsTheSignOfZero) {
  EXPECT_EQ(with_digits(1.98143, 4), "1.9814");
  EXPECT_EQ(with_digits(-0.00001, 4), "0.0000");
  EXPECT_EQ(with_digits(-0.5, 0), "0");  // to even
  EXPECT_EQ(with_digits(-1.25e12, 1), "-1.2e+12");
  EXPECT_EQ(with_digits(-std::numeric_limits<double>::infinity(), 2), "-inf");
}

TEST(WorkedText, ShowsEveryStepWithItsFormula) {
  EXPECT_EQ(worked_text(work_attention(example_inputs())),
            "1 query (n), 2 keys (m), d_k = 2, d_v = 2\n"
            "  Q       n x d_k   = 1 x 2\n"
            "  K       m x d_k   = 2 x 2\n"
            "  V       m x d_v   = 2 x 2\n"
            "  scores  n x m     = 1 x 2\n"
            "  output  n x d_v   = 1 x 2\n"
            "No mask: attention is bidirectional, every query may look at every key (--causal hides later ones).\n"
            "\n"
            "query 1: q = [0, 1]\n"
            "  key               j                                  1       2\n"
            "  keys              k_j                           [1, 0]  [0, 1]\n"
            "  values            v_j                           [6, 0]  [0, 3]\n"
            "  dot products      q . k_j                       0.0000  1.0000\n"
            "  scale             1 / sqrt(d_k) = 1 / sqrt(2)   0.7071\n"
            "  scaled scores     s_j = scale * (q . k_j)       0.0000  0.7071\n"
            "  largest score     c = max s_j                   0.7071\n"
            "  less the largest  s_j - c                      -0.7071  0.0000\n"
            "  exponentials      e_j = exp(s_j - c)            0.4931  1.0000\n"
            "  their sum         z = e_1 + ... + e_m           1.4931\n"
            "  weights           w_j = e_j / z                 0.3302  0.6698\n"
            "  output            o = w_1 v_1 + ... + w_m v_m  [1.9814, 2.0093]\n");
}

TEST(WorkedText, NamesAQueryWithoutAnAllowedKey) {
  AttentionInputs inputs = example_inputs();
  inputs.mask = parse_rows("0,0", "mask");
  const std::string text = worked_text(work_attention(inputs));
  EXPECT_NE(text.find("No key is allowed"), std::string::npos) << text;
  EXPECT_NE(text.find("weights and the\n  output are zero"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST(WorkedText, ShowsTheMask) {
  const std::string text = worked_text(causal("1;1", "1;2", "1;2"), 2);
  EXPECT_NE(text.find("Causal mask"), std::string::npos);
  EXPECT_NE(text.find("after the mask    a_j = s_j, or -inf where hidden  1.00  -inf"), std::string::npos) << text;
}

TEST(MatrixLine, LeavesPointsForHiddenKeysAndSumsTheRow) {
  const WorkedAttention worked = causal("0;0", "1;2", "1;2");
  EXPECT_EQ(matrix_line(worked, -1, 2), "              k1     k2\n");
  EXPECT_EQ(matrix_line(worked, 0, 2), "query   1   1.00      .   sum 1.00  ok\n");
  EXPECT_EQ(matrix_line(worked, 1, 2), "query   2   0.50   0.50   sum 1.00  ok\n");
}

TEST(RowSum, IsCheckedAgainstOneOrZero) {
  WorkedAttention worked = causal("0;0", "1;2", "1;2");
  EXPECT_TRUE(row_sum_is_right(worked, 1));
  worked.steps.weights[1][0] += 1e-6;
  EXPECT_FALSE(row_sum_is_right(worked, 1));
  EXPECT_NE(matrix_line(worked, 1, 2).find("WRONG"), std::string::npos);
}

TEST(AttentionJson, HasNoLargestScoreWhereNoKeyIsAllowed) {
  AttentionInputs inputs = example_inputs();
  inputs.mask = parse_rows("0,0", "mask");
  const auto json = nlohmann::json::parse(to_json(work_attention(inputs)));
  EXPECT_TRUE(json["largest"][0][0].is_null());
  EXPECT_EQ(json["weights"], nlohmann::json::parse("[[0.0,0.0]]"));
  EXPECT_EQ(matrix_line(work_attention(inputs), 0, 2), "query   1      .      .   no key is allowed: all 0, by rule\n");
}

TEST(AttentionJson, HasTheKeysThatProgramsRead) {
  const auto json = nlohmann::json::parse(to_json(causal("0,1;1,0", "1,0;0,1", "6;3")));
  EXPECT_EQ(json["d_k"], 2);
  EXPECT_EQ(json["d_v"], 1);
  EXPECT_EQ(json["scale"].get<double>(), 1 / std::sqrt(2.0));
  EXPECT_EQ(json["dot_products"], nlohmann::json::parse("[[0.0,1.0],[1.0,0.0]]"));
  EXPECT_EQ(json["allowed"], nlohmann::json::parse("[[true,false],[true,true]]"));
  EXPECT_EQ(json["weights"][0], nlohmann::json::parse("[1.0,0.0]"));
  EXPECT_EQ(json["output"][0][0], 6.0);
  EXPECT_EQ(json["scores"][0][1].get<double>(), 1 / std::sqrt(2.0));  // scaled, before the mask
}

}  // namespace
}  // namespace tinylm
