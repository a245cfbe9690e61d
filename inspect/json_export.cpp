#include "inspect/json_export.h"

#include <array>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "inspect/view_json.h"

namespace tinylm {

namespace {

// Written straight into text: as JSON values, the weights of a large map would take ten times their size in memory.
void append_number(std::string& json, float value) {
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  json.append(digits.data(), end);
}

/// Nested lists of a tensor's values, in C order from `values` on, which moves past them.
void append_lists(std::string& json, torch::IntArrayRef sizes, const float*& values) {
  json += '[';
  for (std::int64_t i = 0; i < sizes.front(); ++i) {
    if (i > 0) json += ',';
    if (sizes.size() == 1) {
      append_number(json, *values++);
    } else {
      append_lists(json, sizes.slice(1), values);
    }
  }
  json += ']';
}

}  // namespace

std::string tokens_json(const Inspection& inspection) {
  nlohmann::ordered_json object;
  object["ids"] = inspection.ids;
  object["text"] = inspection.texts;
  object["labels"] = inspection.labels;
  object["losses_nats"] = inspection.losses_nats;
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

namespace {

std::string one_view_json(const View& view) {
  const torch::Tensor weights = view.shown.of(view.text.attention).contiguous();
  const float* values = weights.data_ptr<float>();
  std::string json = tokens_json(view.text);
  json.back() = ',';  // the object goes on
  json +=
      view_json(view, ListWriter()).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).substr(1);
  json.back() = ',';
  json += "\"attention\":";
  append_lists(json, weights.sizes(), values);
  return json + "}";
}

}  // namespace

std::string inspection_json(const std::vector<View>& views) {
  if (views.size() == 1) return one_view_json(views.front());
  std::string json = "{\"views\":[";
  for (std::size_t i = 0; i < views.size(); ++i) json += (i == 0 ? "" : ",") + one_view_json(views[i]);
  return json + "]}";
}

}  // namespace tinylm
