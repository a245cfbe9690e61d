#include "serve/completion_request.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "serve/api_error.h"
#include "test_support.h"

namespace tinylm {
namespace {

const CompletionRules kRules{.model = "mine", .vocabulary = 12, .tokens = 100, .seconds = 5.0};

CompletionRequest read(const std::string& body) {
  return read_completion(body, kRules);
}

TEST(CompletionRequest, HasTheDefaultsOfOpenAi) {
  const CompletionRequest request = read("{}");
  EXPECT_EQ(std::get<std::string>(request.prompts.at(0)), "");
  EXPECT_EQ(request.sampler.temperature, 1.0);
  EXPECT_EQ(request.sampler.top_p, 1.0);
  EXPECT_EQ(request.generate.max_tokens, 16);
  EXPECT_EQ(request.generate.max_time, 5.0);
  EXPECT_EQ(request.n, 1);
  EXPECT_FALSE(request.stream);
  EXPECT_FALSE(request.echo);
  EXPECT_EQ(request.logprobs, std::nullopt);
}

TEST(CompletionRequest, DrawsASeedWhereNoneIsGiven) {
  EXPECT_NE(read("{}").sampler.seed, read("{}").sampler.seed);
}

TEST(CompletionRequest, ReadsEveryField) {
  const CompletionRequest request = read(
      R"({"model": "mine", "prompt": "a", "max_tokens": 7, "temperature": 0.5, "top_p": 0.9, "top_k": 3, "min_p": 0.1,
          "seed": 11, "n": 2, "best_of": 2, "stop": ["x", "yz"], "logprobs": 4, "echo": true, "stream": true,
          "stream_options": {"include_usage": true}, "presence_penalty": 0.5, "frequency_penalty": -0.5, "repetition_penalty": 1.1, "logit_bias": {"3": 2, "0": -100},
          "suffix": "", "user": "me"})");
  EXPECT_EQ(request.generate.max_tokens, 7);
  EXPECT_EQ(request.sampler.temperature, 0.5);
  EXPECT_EQ(request.sampler.top_p, 0.9);
  EXPECT_EQ(request.sampler.top_k, 3);
  EXPECT_EQ(request.sampler.min_p, 0.1);
  EXPECT_EQ(request.sampler.seed, 11U);
  EXPECT_EQ(request.n, 2);
  EXPECT_EQ(request.generate.stop, (std::vector<std::string>{"x", "yz"}));
  EXPECT_EQ(request.logprobs, 4);
  EXPECT_TRUE(request.echo);
  EXPECT_TRUE(request.stream);
  EXPECT_TRUE(request.stream_usage);
  EXPECT_EQ(request.sampler.presence_penalty, 0.5);
  EXPECT_EQ(request.sampler.frequency_penalty, -0.5);
  EXPECT_EQ(request.sampler.repetition_penalty, 1.1);
  EXPECT_EQ(request.rules.biases, (std::vector<std::pair<TokenId, double>>{{0, -100.0}, {3, 2.0}}));
}

TEST(CompletionRequest, TakesNullAsNotGiven) {
  const CompletionRequest request =
      read(R"({"prompt": null, "max_tokens": null, "stop": null, "logprobs": null, "seed": null, "model": null})");
  EXPECT_EQ(request.generate.max_tokens, 16);
  EXPECT_TRUE(request.generate.stop.empty());
}

TEST(CompletionRequest, TakesPromptsOfEachShape) {
  EXPECT_EQ(read(R"({"prompt": ["a", "b"]})").prompts, (std::vector<Prompt>{"a", "b"}));
  EXPECT_EQ(read(R"({"prompt": [0, 11]})").prompts, (std::vector<Prompt>{std::vector<TokenId>{0, 11}}));
  EXPECT_EQ(read(R"({"prompt": [[3], "a"]})").prompts, (std::vector<Prompt>{std::vector<TokenId>{3}, "a"}));
}

struct Refusal {
  const char* body;
  int status;
  const char* param;
  const char* message;
};

class RefusedCompletion : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedCompletion, SaysWhatIsWrong) {
  try {
    read(GetParam().body);
    FAIL() << GetParam().body << " was taken";
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status, GetParam().status);
    EXPECT_EQ(error.param, GetParam().param);
    expect_contains(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, RefusedCompletion,
    ::testing::Values(
        Refusal{"", 400, "", "the body is not JSON"}, Refusal{"{\"prompt\": \"a", 400, "", "the body is not JSON"},
        Refusal{"{\"prompt\": \"\xff\"}", 400, "", "the body is not JSON"},
        Refusal{"[]", 400, "", "must be a JSON object"},
        Refusal{R"({"max_token": 3})", 400, "max_token", "did you mean 'max_tokens'?"},
        Refusal{R"({"model": "yours"})", 404, "model", "this server has \"mine\""},
        Refusal{R"({"max_tokens": 1.5})", 400, "max_tokens", "a whole number from 0 to 100, not 1.5"},
        Refusal{R"({"max_tokens": 101})", 400, "max_tokens", "from 0 to 100, not 101"},
        Refusal{R"({"max_tokens": 18446744073709551615})", 400, "max_tokens", "from 0 to 100"},
        Refusal{R"({"max_tokens": 60, "n": 2})", 400, "max_tokens", "is 120: this server gives at most 100"},
        Refusal{R"({"max_tokens": 60, "prompt": ["a", "b"]})", 400, "max_tokens", "is 120"},
        Refusal{R"({"temperature": "hot"})", 400, "temperature", "a number, not \"hot\""},
        Refusal{R"({"seed": -1})", 400, "seed", "from 0 to"}, Refusal{R"({"n": 0})", 400, "n", "from 1 to 32"},
        Refusal{R"({"n": 2, "best_of": 4})", 400, "best_of", "the same as n"},
        Refusal{R"({"logprobs": 21})", 400, "logprobs", "from 0 to 20"},
        Refusal{R"({"stream": 1})", 400, "stream", "true or false"},
        Refusal{R"({"stream_options": {"include": true}})", 400, "include", "unknown field"},
        Refusal{R"({"stop": [1]})", 400, "stop", "a list of up to 16 texts"},
        Refusal{R"({"prompt": 5})", 400, "prompt", "a text, a list of token ids"},
        Refusal{R"({"prompt": []})", 400, "prompt", "a text, a list of token ids"},
        Refusal{R"({"prompt": [12]})", 400, "prompt", "made of token ids from 0 to 11, not 12"},
        Refusal{R"({"prompt": [1, "a"]})", 400, "prompt", "made of token ids from 0 to 11, not \"a\""},
        Refusal{R"({"presence_penalty": "much"})", 400, "presence_penalty", "a number"},
        Refusal{R"({"logit_bias": {"12": 1}})", 400, "logit_bias", "from 0 to 11, not 12"},
        Refusal{R"({"logit_bias": {"a": 1}})", 400, "logit_bias", "from 0 to 11"},
        Refusal{R"({"logit_bias": {"3": 101}})", 400, "logit_bias", "from -100 to 100, not 101"},
        Refusal{R"({"logit_bias": [1]})", 400, "logit_bias", "an object of token ids"},
        Refusal{R"({"suffix": "end"})", 400, "suffix", "must be \"\""}));

TEST(CompletionRequest, LeavesTheSamplersRulesToTheSampler) {
  expect_contains(test::message_of<WrongUse>([] { read(R"({"temperature": -1})"); }), "temperature is -1");
  expect_contains(test::message_of<WrongUse>([] { read(R"({"top_p": 0})"); }), "top_p is 0");
  expect_contains(test::message_of<WrongUse>([] { read(R"({"stop": ""})"); }), "stop is empty");
  expect_contains(test::message_of<WrongUse>([] { read(R"({"max_tokens": 0})"); }), "needs echo");
}

}  // namespace
}  // namespace tinylm
