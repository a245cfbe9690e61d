#include "serve/exploration.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/json_numbers.h"
#include "inspect/inspection.h"
#include "sample/generator.h"
#include "sample/token_text.h"
#include "serve/api_error.h"
#include "serve/fields.h"

namespace tinylm {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostAttended =
    512;  // the weights of all heads are computed: their number grows with its square

/// Shortest form of a float32, which as a double would show digits that mean nothing.
Json float_json(float value) {
  if (!std::isfinite(value)) return nullptr;
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", static_cast<double>(value));
  return std::strtod(text, nullptr);
}

Prompt only_prompt(const nlohmann::json& value, std::int64_t vocabulary) {
  std::vector<Prompt> prompts = read_prompts(value, vocabulary);
  if (prompts.size() != 1) refuse_field("prompt", "a text or a list of token ids", value.size());
  return std::move(prompts.front());
}

}  // namespace

std::string model_json(const ServedModel& model) {
  const LoadedModel& loaded = model.loaded;
  const Tokenizer& tokenizer = *loaded.tokenizer;
  std::int64_t parameters = 0;
  for (const torch::Tensor& parameter : loaded.model->parameters()) parameters += parameter.numel();
  Json labels = Json::array(), texts = Json::array();
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id) {
    labels.push_back(token_label(tokenizer, id));
    texts.push_back(token_text(tokenizer, id));
  }
  const Json object = {{"model", model.name},
                       {"parameters", parameters},
                       {"layers", loaded.config.model.layers},
                       {"heads", loaded.config.model.heads},
                       {"context", loaded.config.model.context},
                       {"vocabulary", tokenizer.vocabulary_size()},
                       {"tokenizer", tokenizer.kind()},
                       {"start", tokenizer.start_id()},
                       {"end", tokenizer.end_id()},
                       {"labels", labels},
                       {"texts", texts}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

NextRequest read_next(const std::string& body, std::int64_t vocabulary) {
  NextRequest request;
  read_fields(body, {{"prompt", [&](const auto& value) { request.prompt = only_prompt(value, vocabulary); }}});
  return request;
}

std::string next_json(ServedModel& model, const NextRequest& request) {
  const PromptTokens prompt = tokens_of(request.prompt, model.loaded);
  LoadedModel& loaded = model.loaded;
  Generator generator(loaded.model, *loaded.tokenizer, Sampler({}), loaded.empty_prompt_id);
  const std::vector<float> logits = generator.next_logits(prompt.ids);
  Json numbers = Json::array();
  for (const float logit : logits) numbers.push_back(float_json(logit));
  numbers[static_cast<std::size_t>(model.loaded.tokenizer->start_id())] = nullptr;
  return Json{{"ids", prompt.ids}, {"dropped", prompt.dropped}, {"logits", numbers}}.dump();
}

AttentionRequest read_attention(const std::string& body, const ModelConfig& config) {
  AttentionRequest request;
  read_fields(body,
              {{"prompt", [&](const auto& value) { request.prompt = only_prompt(value, config.vocabulary_size); }},
               {"layer", [&](const auto& value) { request.layer = whole_field("layer", value, 0, config.layers - 1); }},
               {"head", [&](const auto& value) { request.head = whole_field("head", value, 0, config.heads - 1); }}});
  return request;
}

std::string attention_json(ServedModel& model, const AttentionRequest& request) {
  PromptTokens prompt = tokens_of(request.prompt, model.loaded);
  const std::int64_t more = std::max<std::int64_t>(0, std::ssize(prompt.ids) - kMostAttended);
  prompt.ids.erase(prompt.ids.begin(), prompt.ids.begin() + more);
  const Inspection inspection = inspect(model.loaded, prompt.ids);
  const torch::Tensor weights = inspection.attention[request.layer][request.head].contiguous();  // [T, T]
  const std::int64_t T = weights.size(0);
  Json rows = Json::array();
  for (std::int64_t query = 0; query < T; ++query) {
    Json row = Json::array();
    for (std::int64_t key = 0; key <= query; ++key)
      row.push_back(std::round(weights.data_ptr<float>()[query * T + key] * 1e4) / 1e4);
    rows.push_back(std::move(row));
  }
  return Json{{"ids", prompt.ids},
              {"dropped", prompt.dropped + more},
              {"layer", request.layer},
              {"head", request.head},
              {"rows", std::move(rows)}}
      .dump();
}

}  // namespace tinylm
