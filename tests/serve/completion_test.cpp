// What is answered, without HTTP: the texts are those of Generator, whose own tests say that they are right.
#include "serve/completion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client.h"
#include "core/errors.h"
#include "recorded_reply.h"
#include "serve/api_error.h"
#include "served.h"
#include "test_support.h"

namespace tinylm {
namespace {

using nlohmann::json;
using test::events_in;
using test::generated;
using test::RecordedReply;

class Completion : public ::testing::Test {
 protected:
  RecordedReply& ask(const std::string& body) {
    const CompletionRules rules{.model = "letters", .vocabulary = loaded_.tokenizer->vocabulary_size()};
    complete(model_, read_completion(body, rules), reply_);
    return reply_;
  }
  json answer(const std::string& body) { return json::parse(ask(body).body); }

  SamplerOptions sampler(double temperature, std::uint64_t seed) const {
    SamplerOptions options;
    options.temperature = temperature;
    options.seed = seed;
    return options;
  }
  GenerateOptions at_most(std::int64_t tokens) const {
    GenerateOptions options;
    options.max_tokens = tokens;
    return options;
  }

  LoadedModel loaded_ = test::letters_model();
  ServedModel model_{loaded_, "letters"};
  RecordedReply reply_;
};

TEST_F(Completion, GivesTheTextOfTheCommandLine) {
  const json found = answer(R"({"prompt": "abc", "max_tokens": 60, "temperature": 0.8, "seed": 5})");
  const Generated expected = generated(loaded_, "abc", sampler(0.8, 5), at_most(60));
  EXPECT_EQ(found["object"], "text_completion");
  EXPECT_EQ(found["model"], "letters");
  EXPECT_EQ(found["seed"], 5);
  EXPECT_EQ(found["choices"][0]["text"], expected.text);
  EXPECT_EQ(found["choices"][0]["token_ids"], expected.ids);
  EXPECT_EQ(found["choices"][0]["logprobs"], nullptr);
  EXPECT_EQ(found["usage"]["prompt_tokens"], 3);
  EXPECT_EQ(found["usage"]["completion_tokens"], expected.ids.size());
  EXPECT_EQ(found["usage"]["total_tokens"], 3 + expected.ids.size());
}

TEST_F(Completion, NumbersTheTextsOfEachPrompt) {
  const json found = answer(R"({"prompt": ["abc", "h"], "n": 2, "max_tokens": 20, "seed": 9})");
  ASSERT_EQ(found["choices"].size(), 4U);
  for (int i = 0; i < 4; ++i) {
    const Generated expected =
        generated(loaded_, i < 2 ? "abc" : "h", sampler(1.0, 9), at_most(20), static_cast<std::uint64_t>(i % 2));
    EXPECT_EQ(found["choices"][i]["index"], i);
    EXPECT_EQ(found["choices"][i]["text"], expected.text) << i;
  }
}

TEST_F(Completion, TakesTokensAsThePrompt) {
  const json ids = loaded_.tokenizer->encode("abc");
  const json by_ids = answer(json{{"prompt", ids}, {"seed", 1}}.dump());
  EXPECT_EQ(by_ids["choices"][0]["text"], generated(loaded_, "abc", sampler(1.0, 1), at_most(16)).text);
}

TEST_F(Completion, SaysStopAtAStopTextAndLeavesItOut) {
  const Generated whole = generated(loaded_, "abc", sampler(1.0, 2), at_most(200));
  const std::string stop = whole.text.substr(20, 3);
  const json found = answer(json{{"prompt", "abc"}, {"seed", 2}, {"max_tokens", 200}, {"stop", stop}}.dump());
  EXPECT_EQ(found["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(found["choices"][0]["text"], whole.text.substr(0, whole.text.find(stop)));
}

TEST_F(Completion, SaysLengthAtMaxTokens) {
  EXPECT_EQ(answer(R"({"prompt": "abc", "max_tokens": 1, "temperature": 0})")["choices"][0]["finish_reason"], "length");
}

TEST_F(Completion, GivesThePromptBackWithEcho) {
  const std::string expected = "abc" + generated(loaded_, "abc", sampler(1.0, 3), at_most(16)).text;
  EXPECT_EQ(answer(R"({"prompt": "abc", "echo": true, "seed": 3})")["choices"][0]["text"], expected);
}

/// The model's own probabilities of each token, by a forward pass over all of them in float64.
TEST_F(Completion, KnowsHowLikelyEachTokenWasAndWhatElseThereWas) {
  const json found = answer(R"({"prompt": "abc", "echo": true, "seed": 3, "max_tokens": 10, "logprobs": 2})");
  const json& shown = found["choices"][0]["logprobs"];
  std::vector<std::int64_t> ids;
  for (const char letter : std::string("abc")) ids.push_back(loaded_.tokenizer->encode(std::string(1, letter)).front());
  for (const std::int64_t id : found["choices"][0]["token_ids"]) ids.push_back(id);
  const torch::NoGradGuard no_grad;
  const torch::Tensor logits = loaded_.model->forward(torch::tensor(ids).unsqueeze(0)).squeeze(0);
  const torch::Tensor expected = torch::log_softmax(logits.to(torch::kFloat64), -1);  // [13, V]
  ASSERT_EQ(shown["tokens"].size(), ids.size());
  EXPECT_EQ(shown["token_logprobs"][0], nullptr) << "nothing stands before the first";
  for (std::size_t t = 1; t < ids.size(); ++t) {
    const torch::Tensor row = expected[static_cast<std::int64_t>(t) - 1];
    EXPECT_NEAR(shown["token_logprobs"][t].get<double>(), row[ids[t]].item<double>(), 1e-5) << t;
    EXPECT_EQ(shown["text_offset"][t], t) << "each token is a character";
    const double best = row.max().item<double>();
    double found_best = -1e9;
    for (const auto& [name, value] : shown["top_logprobs"][t].items())
      found_best = std::max(found_best, value.get<double>());
    EXPECT_NEAR(found_best, best, 1e-5) << t;
    EXPECT_GE(shown["top_logprobs"][t].size(), 2U);
  }
}

TEST_F(Completion, ScoresAPromptWithoutContinuingIt) {
  const json found = answer(R"({"prompt": "abc", "echo": true, "max_tokens": 0, "logprobs": 0})");
  EXPECT_EQ(found["choices"][0]["text"], "abc");
  EXPECT_EQ(found["choices"][0]["logprobs"]["tokens"], (json{"a", "b", "c"}));
  EXPECT_EQ(found["usage"]["completion_tokens"], 0);
}

TEST_F(Completion, KeepsTheEndOfALongPromptAndSaysSo) {
  const std::string prompt = std::string(40, 'a') + std::string(32, 'b');
  const json found = answer(json{{"prompt", prompt}, {"seed", 1}}.dump());
  EXPECT_EQ(found["choices"][0]["text"], generated(loaded_, std::string(32, 'b'), sampler(1.0, 1), at_most(16)).text);
  EXPECT_EQ(found["usage"]["prompt_tokens"], 32);
  expect_contains(found["warnings"][0], "the prompt has 72 tokens: only the last 32");
}

TEST_F(Completion, StreamsTheSameText) {
  const std::string body = R"({"prompt": "abc", "seed": 4, "max_tokens": 30, "n": 2, "logprobs": 0, "stream": true,
                               "stream_options": {"include_usage": true}})";
  const std::vector<std::string> events = events_in(ask(body).body);
  EXPECT_EQ(reply_.head->type, "text/event-stream");
  EXPECT_TRUE(reply_.ended);
  ASSERT_GT(events.size(), 40U) << "a piece for each token";
  EXPECT_EQ(events.back(), "[DONE]");
  std::vector<std::string> texts(2), reasons(2);
  std::vector<std::size_t> tokens(2), named(2);
  for (std::size_t i = 0; i + 2 < events.size(); ++i) {
    const json choice = json::parse(events[i])["choices"][0];
    const std::size_t index = choice["index"];
    EXPECT_EQ(reasons[index], "") << "nothing follows the reason";
    texts[index] += choice["text"].get<std::string>();
    tokens[index] += choice["token_ids"].size();
    named[index] += choice["logprobs"]["tokens"].size();
    if (!choice["finish_reason"].is_null()) reasons[index] = choice["finish_reason"];
  }
  for (std::uint64_t i = 0; i < 2; ++i) {
    const Generated expected = generated(loaded_, "abc", sampler(1.0, 4), at_most(30), i);
    EXPECT_EQ(texts[i], expected.text);
    EXPECT_EQ(tokens[i], expected.ids.size());
    EXPECT_EQ(named[i], expected.ids.size());
    EXPECT_NE(reasons[i], "");
  }
  const json usage = json::parse(events[events.size() - 2]);
  EXPECT_TRUE(usage["choices"].empty());
  EXPECT_EQ(usage["usage"]["completion_tokens"], tokens[0] + tokens[1]);
}

TEST_F(Completion, RefusesAPromptThatCannotBeEncodedBeforeAStreamBegins) {
  EXPECT_THROW(ask(R"({"prompt": "xyz", "stream": true})"), BadInput);
  EXPECT_FALSE(reply_.head.has_value());
}

TEST_F(Completion, StopsWhenTheClientHasGone) {
  reply_.leave_after = 5;
  ask(R"({"prompt": "a", "max_tokens": 4000, "stream": true, "temperature": 0})");
  EXPECT_EQ(reply_.pieces, 5);
  EXPECT_FALSE(reply_.ended);
}

TEST_F(Completion, TellsAStreamThatTheServerStops) {
  model_.stopped = [this] { return reply_.pieces >= 5; };
  const std::vector<std::string> events = events_in(ask(R"({"prompt": "a", "max_tokens": 4000, "stream": true})").body);
  EXPECT_EQ(json::parse(events.back())["error"]["code"], "stopped");
  EXPECT_TRUE(reply_.ended);
}

TEST_F(Completion, EndsAfterTheTimeOfARequest) {
  CompletionRules rules{.model = "letters", .vocabulary = loaded_.tokenizer->vocabulary_size(), .tokens = 1'000'000};
  rules.seconds = 0.2;
  const StopWatch watch;
  complete(model_, read_completion(R"({"prompt": ["a", "b"], "max_tokens": 400000, "temperature": 2})", rules), reply_);
  EXPECT_LT(watch.seconds(), 5.0);
  const json found = json::parse(reply_.body);
  EXPECT_LT(found["usage"]["completion_tokens"], 800'000);
  EXPECT_EQ(found["choices"].size(), 2U);
}

TEST_F(Completion, AppliesPenaltiesAndBiasesAsTheCommandLineDoes) {
  const TokenId h = loaded_.tokenizer->encode("h").front(), a = loaded_.tokenizer->encode("a").front();
  const json bias = {{std::to_string(h), 5.0}, {std::to_string(a), -100}};
  const json found = answer(json{
      {"prompt", "abc"},
      {"seed", 8},
      {"max_tokens", 60},
      {"presence_penalty", 0.5},
      {"frequency_penalty", 0.3},
      {"repetition_penalty", 1.2},
      {"logit_bias", bias}}.dump());
  SamplerOptions options = sampler(1.0, 8);
  options.presence_penalty = 0.5;
  options.frequency_penalty = 0.3;
  options.repetition_penalty = 1.2;
  TokenRules rules;
  rules.biases = {{h, 5.0}, {a, -100.0}};
  Generator generator(loaded_.model, *loaded_.tokenizer, Sampler(options, rules), loaded_.empty_prompt_id);
  const std::string expected = generator.generate(generator.prompt_ids("abc"), 0, at_most(60)).text;
  EXPECT_EQ(found["choices"][0]["text"], expected);
  EXPECT_NE(expected, generated(loaded_, "abc", sampler(1.0, 8), at_most(60)).text);
  EXPECT_EQ(expected.find('a'), std::string::npos);
}

}  // namespace
}  // namespace tinylm
