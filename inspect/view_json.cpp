#include "inspect/view_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "core/json_numbers.h"
#include "inspect/base64.h"
#include "inspect/packed_rows.h"

namespace tinylm {
namespace {

using ViewJson = nlohmann::ordered_json;

/// The double with the shortest decimal form that reads back to `value`, which is what the JSON then says.
double shortest_double(float value) {
  std::array<char, 32> text{};
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double result = 0.0;
  std::from_chars(text.data(), end, result);
  return result;
}

/// Nested lists of a dense tensor's values, from `values` on, which moves past them.
template <class Number>
ViewJson lists_of(torch::IntArrayRef sizes, const Number*& values) {
  if (sizes.empty()) return ViewJson(*values++);
  ViewJson list = ViewJson::array();
  for (std::int64_t i = 0; i < sizes.front(); ++i) {
    if (sizes.size() > 1) {
      list.push_back(lists_of(sizes.slice(1), values));
    } else if constexpr (std::is_integral_v<Number>) {
      list.push_back(*values++);
    } else {
      list.push_back(number_or_null(shortest_double(*values++)));
    }
  }
  return list;
}

const char* name_of(NormKind norm) {
  return norm == NormKind::kLayerNorm ? "layernorm" : "rmsnorm";
}

ViewJson model_json(const ModelFacts& model) {
  const ModelConfig& config = model.config;
  return {{"run", model.run},
          {"step", model.step},
          {"val_loss_nats", number_or_null(model.val_loss_nats)},
          {"parameters", model.parameters},
          {"layers", config.layers},
          {"heads", config.heads},
          {"width", config.width},
          {"context", config.context},
          {"vocabulary", config.vocabulary_size},
          {"tokenizer", model.tokenizer},
          {"positions", config.positions},
          {"norm", name_of(config.norm)},
          {"causal", config.attention_mask == MaskKind::kCausal}};
}

ViewJson finding_json(const Finding& finding) {
  ViewJson most_needed = nullptr;
  if (const auto& needed = finding.most_needed)
    most_needed = {{"sentence", needed->sentence}, {"layer", needed->head.layer}, {"head", needed->head.head}};
  return {{"sentence", finding.sentence}, {"most_needed", most_needed}, {"layer", finding.head.layer},
          {"head", finding.head.head},    {"query", finding.query},     {"score", finding.score},
          {"notable", finding.notable}};
}

ViewJson scores_json(const View& view) {
  ViewJson list = ViewJson::array();
  for (const HeadScores& scores : view.scores) {
    const ScoreKind& kind = *scores.kind;
    list.push_back({{"id", kind.id},
                    {"name", kind.name},
                    {"explanation", kind.explanation},
                    {"unit", to_string(kind.unit)},
                    {"values", ListWriter().numbers(view.shown.of(scores.measured.values).to(torch::kFloat32))},
                    {"baseline", number_or_null(scores.measured.uniform)},
                    {"rows", scores.measured.rows},
                    {"lowest", scores.lowest()},
                    {"highest", scores.highest()},
                    {"map", kind.value_weighted ? "value_weighted" : "attention"}});
  }
  return list;
}

ViewJson next_json(const NextTokens& next, const NumberWriter& writer) {
  const auto optional = [&](const torch::Tensor& values) {
    return values.defined() ? writer.numbers(values) : nullptr;
  };
  return {{"logits", writer.numbers(next.logits)},
          {"ids", optional(next.ids)},
          {"kept", next.logits.size(1)},
          {"vocabulary", next.vocabulary},
          {"rest", optional(next.rest)}};
}

/// Every id that occurs, with its label.
ViewJson labels_json(const View& view) {
  std::set<std::int64_t> ids(view.text.ids.begin(), view.text.ids.end());
  const auto add = [&](const torch::Tensor& some) {
    const torch::Tensor flat = some.to(torch::kInt64).contiguous();
    ids.insert(flat.data_ptr<std::int64_t>(), flat.data_ptr<std::int64_t>() + flat.numel());
  };
  add(view.lens.top);
  add(view.next.ids.defined() ? view.next.ids : torch::arange(view.next.vocabulary));
  ViewJson labels = ViewJson::object();
  for (const std::int64_t id : ids) labels[std::to_string(id)] = view.token_labels[static_cast<std::size_t>(id)];
  return labels;
}

ViewJson lens_json(const LogitLens& lens, const NumberWriter& writer) {
  return {{"top", writer.numbers(lens.top)},
          {"top_probabilities", writer.numbers(lens.top_probabilities)},
          {"target_probabilities", writer.numbers(lens.target_probabilities)},
          {"entropy_nats", writer.numbers(lens.entropy_nats)}};
}

ViewJson ablation_json(const View& view, const NumberWriter& writer) {
  if (!view.ablation) return nullptr;
  return {{"zero", writer.numbers(view.shown.of(view.ablation->zero))},
          {"mean", writer.numbers(view.shown.of(view.ablation->mean))},
          {"base_loss_nats", number_or_null(view.mean_loss_nats())}};
}

ViewJson attribution_json(const LogitAttribution& attribution, const NumberWriter& writer) {
  ViewJson components = ViewJson::array();
  for (const auto& [name, layer, head] : attribution.components) {
    ViewJson component = {{"name", name}};
    if (layer >= 0) {
      component["layer"] = layer;
      component["head"] = head;
    }
    components.push_back(component);
  }
  return {{"components", components},
          {"values", writer.numbers(attribution.values)},
          {"logits", writer.numbers(attribution.logits)}};
}

ViewJson training_json(const View& view, const NumberWriter& writer) {
  if (!view.training) return nullptr;
  ViewJson scores = ViewJson::object();
  for (const auto& [id, values] : view.training->scores) {  // [steps, L, H]
    const torch::Tensor shown = view.shown.of(values.permute({1, 2, 0})).permute({2, 0, 1});
    scores[id] = writer.numbers(shown.contiguous());
  }
  return {{"steps", view.training->steps}, {"scores", scores}};
}

}  // namespace

ViewJson ListWriter::numbers(const torch::Tensor& values) const {
  const torch::Tensor dense = values.contiguous();
  if (dense.scalar_type() == torch::kInt32) {
    const auto* whole = dense.data_ptr<std::int32_t>();
    return lists_of(dense.sizes(), whole);
  }
  const auto* floats = dense.data_ptr<float>();
  return lists_of(dense.sizes(), floats);
}

ViewJson ListWriter::triangle(const torch::Tensor& weights) const {
  return numbers(weights.to(torch::kFloat32));
}

ViewJson Base64Writer::numbers(const torch::Tensor& values) const {
  return base64(values);
}

ViewJson Base64Writer::triangle(const torch::Tensor& weights) const {
  return base64(packed_rows(weights, /*triangle=*/true));
}

ViewJson view_json(const View& view, const NumberWriter& writer) {
  const auto rollout = [&](const torch::Tensor& weights) {
    return weights.defined() ? writer.triangle(weights) : nullptr;
  };
  ViewJson json;
  json["title"] = view.title;
  json["model"] = model_json(view.model);
  json["notes"] = view.notes;
  json["generated_from"] = view.generated_from ? ViewJson(*view.generated_from) : ViewJson(nullptr);
  json["mean_loss_nats"] = number_or_null(view.mean_loss_nats());
  json["finding"] = finding_json(view.finding);
  json["opening"] = view.head ? ViewJson{{"layer", view.head->layer}, {"head", view.head->head}} : ViewJson(nullptr);
  json["layers"] = view.shown.layers;
  json["heads"] = view.shown.heads;
  json["scores"] = scores_json(view);
  json["value_norms"] = writer.numbers(view.shown.of(view.value_norms));
  json["rollout"] = rollout(view.rollout);
  json["uniform_rollout"] = rollout(view.uniform_rollout);
  json["next"] = next_json(view.next, writer);
  json["token_labels"] = labels_json(view);
  json["lens"] = lens_json(view.lens, writer);
  json["ablation"] = ablation_json(view, writer);
  json["attribution"] = attribution_json(view.attribution, writer);
  json["training"] = training_json(view, writer);
  return json;
}

}  // namespace tinylm
