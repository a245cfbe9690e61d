#include "sample/result_json.h"

#include <nlohmann/json.hpp>

namespace tinylm {

std::string to_json(const SampleResult& result) {
  nlohmann::ordered_json object;
  object["prompt"] = result.prompt;
  object["seed"] = result.seed;
  object["samples"] = nlohmann::ordered_json::array();
  for (const Generated& sample : result.samples) {
    nlohmann::ordered_json entry;
    entry["text"] = sample.text;
    entry["ids"] = sample.ids;
    entry["log_probabilities"] = sample.log_probabilities;
    entry["finish_reason"] = to_string(sample.finish_reason);
    object["samples"].push_back(std::move(entry));
  }
  object["tokens_per_s"] = result.tokens_per_s;
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tinylm
