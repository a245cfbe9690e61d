#include "sample/result_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sample/scripted_model.h"

namespace tinylm {
namespace {

TEST(ProbabilitiesText, HasALineATokenWithTheLikeliestAtItsPlace) {
  const auto tokenizer = test::tokenizer_over("char", "a b");
  const TokenId a = tokenizer->encode("a")[0], b = tokenizer->encode("b")[0], space = tokenizer->encode(" ")[0];
  Generated text;
  text.ids = {b, space, tokenizer->end_id()};
  text.log_probabilities = {std::log(0.25), std::log(0.001), 0.0};
  text.entropies_nats = {0.6931, 1.2, 0.0};
  text.alternatives = {{{a, std::log(0.75)}, {b, std::log(0.25)}}, {{a, std::log(0.9)}}, {}};
  EXPECT_EQ(probabilities_text(text, *tokenizer),
            "token  probability  entropy  likeliest\n"
            "b             0.25     0.69  a 0.75     b 0.25\n"
            "\u2423            0.001     1.20  a 0.9\n"
            "END              1     0.00\n");
}

}  // namespace
}  // namespace tinylm
