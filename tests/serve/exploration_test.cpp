#include "serve/exploration.h"

#include <gtest/gtest.h>

#include "inspect/inspection.h"
#include "serve/api_error.h"
#include "served.h"
#include "test_support.h"

namespace tinylm {
namespace {

using nlohmann::json;

class Exploration : public ::testing::Test {
 protected:
  LoadedModel loaded_ = test::letters_model();
  ServedModel model_{loaded_, "letters"};
};

TEST_F(Exploration, DescribesTheModelAndItsVocabulary) {
  const json model = json::parse(model_json(model_));
  EXPECT_EQ(model["layers"], 2);
  EXPECT_EQ(model["heads"], 4);
  EXPECT_EQ(model["context"], 32);
  EXPECT_EQ(model["vocabulary"], 12);
  EXPECT_EQ(model["texts"].size(), 12U);
  const TokenId newline = loaded_.tokenizer->encode("\n").front(), end = loaded_.tokenizer->end_id();
  EXPECT_EQ(model["texts"][static_cast<std::size_t>(newline)], "\n");
  EXPECT_EQ(model["labels"][static_cast<std::size_t>(end)], "END");
  EXPECT_EQ(model["end"], end);
}

TEST_F(Exploration, GivesTheLogitsOfTheNextToken) {
  const json next = json::parse(next_json(model_, read_next(R"({"prompt": "abc"})", 12)));
  const std::vector<TokenId> ids = loaded_.tokenizer->encode("abc");
  EXPECT_EQ(next["ids"], ids);
  const torch::NoGradGuard no_grad;
  const torch::Tensor expected = loaded_.model->forward(
      torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0))[0][2];  // [V]
  ASSERT_EQ(next["logits"].size(), 12U);
  for (std::int64_t id = 0; id < 12; ++id) {
    const json& found = next["logits"][static_cast<std::size_t>(id)];
    if (id == loaded_.tokenizer->start_id()) {
      EXPECT_EQ(found, nullptr) << "START is never chosen";
    } else {
      EXPECT_NEAR(found.get<double>(), expected[id].item<double>(), 1e-5);
    }
  }
}

TEST_F(Exploration, BeginsAnEmptyTextAsSamplingDoes) {
  EXPECT_EQ(json::parse(next_json(model_, read_next("{}", 12)))["ids"], (json{loaded_.empty_prompt_id}));
}

TEST_F(Exploration, LooksAtTheEndOfALongText) {
  const json next = json::parse(next_json(model_, read_next(json{{"prompt", std::string(40, 'a')}}.dump(), 12)));
  EXPECT_EQ(next["dropped"], 8);
  EXPECT_EQ(next["ids"].size(), 32U);
}

TEST_F(Exploration, GivesTheRowsOfAHead) {
  const AttentionRequest request = read_attention(R"({"prompt": "abca", "layer": 1, "head": 2})", loaded_.config.model);
  const json found = json::parse(attention_json(model_, request));
  const torch::Tensor expected = inspect(loaded_, loaded_.tokenizer->encode("abca")).attention[1][2];  // [4, 4]
  ASSERT_EQ(found["rows"].size(), 4U);
  for (std::int64_t query = 0; query < 4; ++query) {
    const json& row = found["rows"][static_cast<std::size_t>(query)];
    ASSERT_EQ(row.size(), static_cast<std::size_t>(query + 1)) << "later tokens are not seen";
    double sum = 0.0;
    for (std::int64_t key = 0; key <= query; ++key) {
      const double weight = row[static_cast<std::size_t>(key)];
      EXPECT_NEAR(weight, expected[query][key].item<double>(), 5.1e-5);
      sum += weight;
    }
    EXPECT_NEAR(sum, 1.0, 5e-4);
  }
}

TEST_F(Exploration, RefusesHeadsThatAreNotThere) {
  const auto message = [&](const char* body) {
    return test::message_of<ApiError>([&] { read_attention(body, loaded_.config.model); });
  };
  expect_contains(message(R"({"prompt": "a", "layer": 2})"), "layer must be a whole number from 0 to 1, not 2");
  expect_contains(message(R"({"prompt": "a", "head": 4})"), "head must be a whole number from 0 to 3, not 4");
  expect_contains(message(R"({"prompt": ["a", "b"]})"), "prompt must be a text or a list of token ids");
  expect_contains(message(R"({"text": "a"})"), "unknown field \"text\"");
}

}  // namespace
}  // namespace tinylm
