#include "sample/result_json.h"

#include <nlohmann/json.hpp>

#include "sample/token_text.h"

namespace tinylm {
namespace {

nlohmann::ordered_json alternatives_json(const std::vector<std::vector<Alternative>>& lists,
                                         const Tokenizer& tokenizer) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::vector<Alternative>& list : lists) {
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    for (const Alternative& other : list)
      entries.push_back(
          {{"id", other.id}, {"text", token_text(tokenizer, other.id)}, {"log_probability", other.log_probability}});
    all.push_back(std::move(entries));
  }
  return all;
}

}  // namespace

std::string to_json(const SampleResult& result, const Tokenizer& tokenizer) {
  nlohmann::ordered_json object;
  object["prompt"] = result.prompt;
  object["seed"] = result.seed;
  object["samples"] = nlohmann::ordered_json::array();
  for (const Generated& sample : result.samples) {
    nlohmann::ordered_json entry;
    entry["text"] = sample.text;
    entry["ids"] = sample.ids;
    entry["log_probabilities"] = sample.log_probabilities;
    entry["entropy_nats"] = sample.entropies_nats;
    if (!sample.alternatives.empty()) entry["alternatives"] = alternatives_json(sample.alternatives, tokenizer);
    entry["finish_reason"] = to_string(sample.finish_reason);
    object["samples"].push_back(std::move(entry));
  }
  object["tokens_per_s"] = result.tokens_per_s;
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tinylm
