#include "viewer_fixture.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>

#include "core/files.h"
#include "inspect/page_data.h"
#include "test_support.h"

namespace tinylm {
extern const std::string_view kViewerPage;
}

namespace tinylm::test {

namespace {

using Json = nlohmann::json;

constexpr int kWhole = 65535;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

std::string base64(const void* data, std::size_t size) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t here = std::min<std::size_t>(3, size - i);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) bits = bits << 8 | (j < here ? bytes[i + j] : 0);
    for (std::size_t j = 0; j < 4; ++j) text += j <= here ? kLetters[bits >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

template <class Number>
std::string base64(const std::vector<Number>& numbers) {
  return base64(numbers.data(), numbers.size() * sizeof(Number));
}

int end_of_row(const MadeView& view, int query) {
  return view.full ? view.tokens() : query + 1;
}

/// Calls take(layer, head, query, key) for every cell in the order in which they are packed.
template <class Take>
void for_cells(const MadeView& view, const Take& take) {
  for (int layer = 0; layer < view.layers; ++layer) {
    for (int head = 0; head < view.heads; ++head) {
      for (int query = 0; query < view.tokens(); ++query) {
        for (int key = 0; key < end_of_row(view, query); ++key) take(layer, head, query, key);
      }
    }
  }
}

/// [L, H, T] numbers.
template <class Number>
std::string per_head(const MadeView& view, const Number& number) {
  std::vector<float> values;
  for (int layer = 0; layer < view.layers; ++layer) {
    for (int head = 0; head < view.heads; ++head) {
      for (int t = 0; t < view.tokens(); ++t) values.push_back(number(layer, head, t));
    }
  }
  return base64(values);
}

std::vector<int> ids_of(const MadeView& view) {
  std::map<std::string, int> known;
  std::vector<int> ids;
  for (const std::string& text : view.texts)
    ids.push_back(known.try_emplace(text, static_cast<int>(known.size())).first->second);
  return ids;
}

std::vector<std::string> labels_of(const MadeView& view) {
  std::vector<std::string> labels = view.texts;
  for (std::string& label : labels) std::replace(label.begin(), label.end(), ' ', '_');
  return labels;
}

Json token_labels(const MadeView& view) {
  Json labels = Json::object();
  for (int id = 0; id < view.vocabulary; ++id) labels[std::to_string(id)] = "#" + std::to_string(id);
  const std::vector<int> ids = ids_of(view);
  const std::vector<std::string> texts = labels_of(view);
  for (std::size_t t = 0; t < ids.size(); ++t) labels[std::to_string(ids[t])] = texts[t];
  return labels;
}

Json next_json(const MadeView& view) {
  std::vector<float> logits;
  for (int t = 0; t < view.tokens(); ++t) {
    for (int id = 0; id < view.vocabulary; ++id) logits.push_back(view.logit(t, id));
  }
  return {{"logits", base64(logits)},
          {"ids", nullptr},
          {"kept", view.vocabulary},
          {"vocabulary", view.vocabulary},
          {"rest", nullptr}};
}

Json lens_json(const MadeView& view) {
  const int cells = (view.layers + 1) * view.tokens();
  std::vector<std::int32_t> top;
  std::vector<float> chances, target, entropy;
  for (int cell = 0; cell < cells; ++cell) {
    for (int i = 0; i < std::min(5, view.vocabulary); ++i) {
      top.push_back((cell + i) % view.vocabulary);
      chances.push_back(0.5F / static_cast<float>(1 + i));
    }
    target.push_back(cell % view.tokens() + 1 < view.tokens() ? 0.25F : kNone);
    entropy.push_back(1.0F);
  }
  return {{"top", base64(top)},
          {"top_probabilities", base64(chances)},
          {"target_probabilities", base64(target)},
          {"entropy_nats", base64(entropy)}};
}

/// Parts 1, -2, 3, -4, ... at every position.
Json attribution_json(const MadeView& view) {
  Json components = {{{"name", "embedding"}}};
  for (int layer = 0; layer < view.layers; ++layer) {
    for (int head = 0; head < view.heads; ++head) {
      const std::string name = "L" + std::to_string(layer) + "H" + std::to_string(head);
      components.push_back({{"name", name}, {"layer", layer}, {"head", head}});
    }
  }
  std::vector<float> values, sums(view.texts.size(), 0.0F);
  for (std::size_t i = 0; i < components.size(); ++i) {
    for (int t = 0; t < view.tokens(); ++t) {
      const float part = static_cast<float>(i + 1) * (i % 2 == 0 ? 1.0F : -1.0F);
      values.push_back(t + 1 < view.tokens() ? part : kNone);
      sums[t] += values.back();
    }
  }
  return {{"components", components}, {"values", base64(values)}, {"logits", base64(sums)}};
}

Json scores_json(const MadeView& view) {
  Json previous = Json::array(), removed = Json::array(), missing = Json::array();
  for (int layer = 0; layer < view.layers; ++layer) {
    Json scores = Json::array(), effects = Json::array();
    for (int head = 0; head < view.heads; ++head) {
      scores.push_back(view.score(layer, head));
      effects.push_back(0.5 - view.score(layer, head));
    }
    previous.push_back(scores);
    removed.push_back(effects);
    missing.push_back(Json(std::vector<std::nullptr_t>(view.heads)));
  }
  const auto score = [](const char* id, const char* name, const char* unit, const Json& values, const Json& baseline,
                        double low, double high) {
    return Json{{"id", id},          {"name", name},     {"explanation", std::string("Tells about ") + name + "."},
                {"unit", unit},      {"values", values}, {"baseline", baseline},
                {"rows", 5},         {"lowest", low},    {"highest", high},
                {"map", "attention"}};
  };
  return {score("previous", "previous token", "weight", previous, 0.25, 0, 1),
          score("induction_text", "induction on this text", "weight", missing, nullptr, 0, 1),
          score("ablation_zero", "effect of removing", "nats", removed, 0, -0.5, 0.5)};
}

Json model_json(const MadeView& view) {
  return {{"run", "runs/made"},  {"step", 2000},          {"val_loss_nats", 1.5},
          {"parameters", 1234},  {"layers", view.layers}, {"heads", view.heads},
          {"width", 16},         {"context", 64},         {"vocabulary", view.vocabulary},
          {"tokenizer", "char"}, {"positions", "rope"},   {"norm", "rmsnorm"},
          {"causal", !view.full}};
}

Json tokens_json(const MadeView& view) {
  Json losses = Json::array({nullptr});
  for (int t = 1; t < view.tokens(); ++t) losses.push_back(0.5 * t);
  return {{"ids", ids_of(view)}, {"texts", view.texts}, {"labels", labels_of(view)}, {"losses_nats", losses}};
}

Json counted(int count) {
  Json numbers = Json::array();
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

}  // namespace

std::uint16_t MadeView::weight(int layer, int head, int query, int key) const {
  const int T = full ? tokens() : query + 1;
  const int kind = full ? 1 : (layer * heads + head) % 4;
  if (kind == 0) return key == std::max(0, query - 1) ? kWhole : 0;
  if (kind == 1) return static_cast<std::uint16_t>(kWhole / T + (key < kWhole % T ? 1 : 0));
  if (kind == 3 || query == 0) return key == query ? kWhole : 0;
  return static_cast<std::uint16_t>(key == 0 ? kWhole / 2 + 1 : key == query ? kWhole / 2 : 0);
}

float MadeView::norm(int layer, int head, int key) const {
  return 1.0F + static_cast<float>(layer) + 0.5F * static_cast<float>(head) + 0.25F * static_cast<float>(key);
}

float MadeView::logit(int t, int id) const {
  return 3.0F * std::sin(static_cast<float>(1 + 7 * t + 3 * id));
}

double MadeView::score(int layer, int head) const {
  return std::min(1.0, 0.1 * (layer * heads + head));
}

Json view_json(const MadeView& view) {
  std::vector<std::uint16_t> attention, rollout, uniform;
  for_cells(view, [&](int layer, int head, int query, int key) {
    attention.push_back(view.weight(layer, head, query, key));
    if (layer > 0 || head > 0 || view.full) return;
    uniform.push_back(static_cast<std::uint16_t>(kWhole / (query + 1)));
    rollout.push_back(static_cast<std::uint16_t>(key == 0 ? uniform.back() / 2 : uniform.back()));
  });
  const auto effect = [](int layer, int head, int t) {
    return t == 0 ? kNone : 0.1F * static_cast<float>((layer + head) % 2 == 0 ? t : -t);
  };
  std::vector<float> tracked;
  for (int i = 0; i < 3 * view.layers * view.heads; ++i) tracked.push_back(0.01F * static_cast<float>(i));
  Json json = {{"title", "runs/made"},
               {"model", model_json(view)},
               {"notes", Json::array()},
               {"generated_from", nullptr},
               {"tokens", tokens_json(view)},
               {"mean_loss_nats", 1.5},
               {"layers", counted(view.layers)},
               {"heads", counted(view.heads)},
               {"scores", scores_json(view)},
               {"attention", base64(attention)},
               {"attention_full", view.full},
               {"next", next_json(view)},
               {"token_labels", token_labels(view)},
               {"lens", lens_json(view)},
               {"attribution", attribution_json(view)}};
  json["finding"] = {{"sentence", "L0H0 looks at the token before (1.00)."},
                     {"layer", 0},
                     {"head", 0},
                     {"query", view.tokens() - 1},
                     {"score", "previous"},
                     {"notable", true}};
  json["value_norms"] = per_head(view, [&](int layer, int head, int t) { return view.norm(layer, head, t); });
  json["rollout"] = view.full ? Json(nullptr) : Json(base64(rollout));
  json["uniform_rollout"] = view.full ? Json(nullptr) : Json(base64(uniform));
  json["ablation"] = {{"zero", per_head(view, effect)}, {"mean", per_head(view, effect)}, {"base_loss_nats", 1.5}};
  json["training"] = {{"steps", {0, 100, 200}}, {"scores", {{"previous", base64(tracked)}}}};
  return json;
}

std::string made_page(const std::vector<Json>& views) {
  return filled_page(kViewerPage, {{"written", "2026-01-02T03:04:05Z"}, {"version", "0.0.0"}, {"views", views}});
}

std::filesystem::path written_page(const std::vector<Json>& views) {
  const std::filesystem::path file = fresh_folder() / "viewer.html";
  write_atomically(file, made_page(views));
  return file;
}

}  // namespace tinylm::test
