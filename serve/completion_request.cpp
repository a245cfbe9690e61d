#include "serve/completion_request.h"

#include <cmath>
#include <limits>
#include <random>

#include "core/errors.h"
#include "serve/api_error.h"
#include "serve/fields.h"

namespace tinylm {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostTexts = 32, kMostAlternatives = 20, kMostStops = 16;
constexpr std::int64_t kDefaultTokens = 16;
constexpr double kMostBias = 100.0;

std::vector<std::string> stop_texts(const json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  const char* const expected = "a text or a list of up to 16 texts";
  if (!value.is_array() || std::ssize(value) > kMostStops) refuse_field("stop", expected, value);
  std::vector<std::string> texts;
  for (const json& text : value) {
    if (!text.is_string()) refuse_field("stop", expected, value);
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

void read_stream_options(const json& value, CompletionRequest& request) {
  if (!value.is_object()) refuse_field("stream_options", "an object", value);
  read_fields(value.dump(), {{"include_usage", [&](const json& usage) {
                                request.stream_usage = bool_field("stream_options.include_usage", usage);
                              }}});
}

/// A field of OpenAI's that is read and must be as if it were not there.
auto only(const std::string& name, const json& neutral) {
  return [name, neutral](const json& value) {
    if (value != neutral) refuse_field(name, neutral.dump() + ", as this server has nothing else", value);
  };
}

/// {"ID": NUMBER, ...}.
std::vector<std::pair<TokenId, double>> read_biases(const json& value, std::int64_t vocabulary) {
  if (!value.is_object()) refuse_field("logit_bias", "an object of token ids and numbers", value);
  std::vector<std::pair<TokenId, double>> biases;
  for (const auto& [key, number] : value.items()) {
    const json id = json::parse(key, nullptr, /*allow_exceptions=*/false);
    const double bias = real_field("logit_bias", number);
    if (std::abs(bias) > kMostBias) refuse_field("logit_bias", "of numbers from -100 to 100", number);
    biases.emplace_back(static_cast<TokenId>(whole_field("logit_bias", id, 0, vocabulary - 1)), bias);
  }
  return biases;
}

void require_model(const std::string& name, const CompletionRules& rules) {
  if (name == rules.model) return;
  throw ApiError(404, "the model \"" + name + "\" is not here: this server has \"" + rules.model + "\"", "model",
                 "model_not_found");
}

FieldReaders sampling_readers(CompletionRequest& request, std::int64_t V) {
  SamplerOptions& sampler = request.sampler;
  return {
      {"temperature", [&](const json& value) { sampler.temperature = real_field("temperature", value); }},
      {"top_p", [&](const json& value) { sampler.top_p = real_field("top_p", value); }},
      {"top_k",
       [&](const json& value) {
         sampler.top_k = whole_field("top_k", value, 0, std::numeric_limits<std::int64_t>::max());
       }},
      {"min_p", [&](const json& value) { sampler.min_p = real_field("min_p", value); }},
      {"seed",
       [&](const json& value) {
         sampler.seed =
             static_cast<std::uint64_t>(whole_field("seed", value, 0, std::numeric_limits<std::int64_t>::max()));
       }},
      {"repetition_penalty",
       [&](const json& value) { sampler.repetition_penalty = real_field("repetition_penalty", value); }},
      {"presence_penalty",
       [&](const json& value) { sampler.presence_penalty = real_field("presence_penalty", value); }},
      {"frequency_penalty",
       [&](const json& value) { sampler.frequency_penalty = real_field("frequency_penalty", value); }},
      {"logit_bias", [&, V](const json& value) { request.rules.biases = read_biases(value, V); }},
  };
}

FieldReaders request_readers(CompletionRequest& request, const CompletionRules& rules) {
  return {
      {"model", [&](const json& value) { require_model(text_field("model", value), rules); }},
      {"prompt", [&](const json& value) { request.prompts = read_prompts(value, rules.vocabulary); }},
      {"max_tokens",
       [&](const json& value) { request.generate.max_tokens = whole_field("max_tokens", value, 0, rules.tokens); }},
      {"n", [&](const json& value) { request.n = whole_field("n", value, 1, kMostTexts); }},
      {"stop", [&](const json& value) { request.generate.stop = stop_texts(value); }},
      {"logprobs", [&](const json& value) { request.logprobs = whole_field("logprobs", value, 0, kMostAlternatives); }},
      {"echo", [&](const json& value) { request.echo = bool_field("echo", value); }},
      {"stream", [&](const json& value) { request.stream = bool_field("stream", value); }},
      {"stream_options", [&](const json& value) { read_stream_options(value, request); }},
      {"user", [](const json& value) { text_field("user", value); }},
      {"suffix", only("suffix", "")},
      {"best_of", [&](const json& value) { request.best_of = whole_field("best_of", value, 1, kMostTexts); }},
  };
}

/// What single fields cannot know.
void check_together(const CompletionRequest& request, const CompletionRules& rules) {
  if (request.best_of.value_or(request.n) != request.n)
    refuse_field("best_of", "the same as n, as this server keeps all texts", *request.best_of);
  const std::int64_t tokens = std::ssize(request.prompts) * request.n * request.generate.max_tokens;
  if (tokens > rules.tokens) {
    throw ApiError(400,
                   "prompts x n x max_tokens is " + std::to_string(tokens) + ": this server gives at most " +
                       std::to_string(rules.tokens) + " tokens a request",
                   "max_tokens");
  }
  Problems problems;
  request.sampler.validate(problems);
  if (request.generate.max_tokens > 0) {
    request.generate.validate(problems);
  } else if (!request.echo) {
    problems.add("max_tokens is 0: that needs echo, which gives the prompt back");
  }
  problems.throw_if_any();
}

}  // namespace

CompletionRequest read_completion(const std::string& body, const CompletionRules& rules) {
  CompletionRequest request;
  request.sampler.temperature = 1.0;
  request.sampler.seed = std::random_device{}();
  request.generate.max_tokens = kDefaultTokens;
  request.generate.max_time = rules.seconds;
  FieldReaders readers = request_readers(request, rules);
  readers.merge(sampling_readers(request, rules.vocabulary));
  read_fields(body, readers);
  check_together(request, rules);
  return request;
}

}  // namespace tinylm
