#include "inspect/csv.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/files.h"

namespace tinylm {
namespace {

std::string csv_number(double value) {
  if (!std::isfinite(value)) return "";
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string csv_number(float value) {
  if (!std::isfinite(value)) return "";
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string csv_number(std::int64_t value) {
  return std::to_string(value);
}

std::string csv_number(const std::string& text) {
  return csv_cell(text);
}

/// A table in memory, line by line.
class CsvTable {
 public:
  explicit CsvTable(const std::string& header) : text_(header + "\r\n") {}
  template <class First, class... Rest>
  void add(const First& first, const Rest&... rest) {
    text_ += csv_number(first);
    ((text_ += ',', text_ += csv_number(rest)), ...);
    text_ += "\r\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A float of a tensor; the last index runs fastest.
float at(const torch::Tensor& values, std::initializer_list<std::int64_t> index) {
  const float* place = values.data_ptr<float>();
  std::int64_t dimension = 0;
  for (const std::int64_t i : index) place += i * values.stride(dimension++);
  return *place;
}

std::string tokens_csv(const View& view) {
  CsvTable table("position,id,text,label,loss_nats,generated");
  for (std::int64_t t = 0; t < view.tokens(); ++t) {
    const auto i = static_cast<std::size_t>(t);
    const std::int64_t generated = view.generated_from && t >= *view.generated_from ? 1 : 0;
    table.add(t, std::int64_t{view.text.ids[i]}, view.text.texts[i], view.text.labels[i], view.text.losses_nats[i],
              generated);
  }
  return table.text();
}

std::string scores_csv(const View& view) {
  CsvTable table("score,layer,head,value,baseline,rows,unit");
  for (const HeadScores& scores : view.scores)
    for (const HeadPlace& place : places_of(view.shown))
      table.add(scores.kind->id, place.layer, place.head, static_cast<float>(scores.value(place)),
                scores.measured.uniform, scores.measured.rows, std::string(to_string(scores.kind->unit)));
  return table.text();
}

std::string attention_csv(const View& view) {
  CsvTable table("layer,head,query,key,weight,value_weighted");
  const std::int64_t T = view.tokens();
  for (const auto& [layer, head] : places_of(view.shown)) {
    for (std::int64_t q = 0; q < T; ++q) {
      for (std::int64_t k = 0; k < (view.text.causal ? q + 1 : T); ++k) {
        const float weight = at(view.text.attention, {layer, head, q, k});
        table.add(layer, head, q, k, weight, weight * at(view.value_norms, {layer, head, k}));
      }
    }
  }
  return table.text();
}

std::string rollout_csv(const View& view) {
  CsvTable table("query,key,rollout,uniform_rollout");
  const torch::Tensor rollout = view.rollout.to(torch::kFloat32), uniform = view.uniform_rollout.to(torch::kFloat32);
  for (std::int64_t q = 0; q < view.tokens(); ++q)
    for (std::int64_t k = 0; k <= q; ++k) table.add(q, k, at(rollout, {q, k}), at(uniform, {q, k}));
  return table.text();
}

std::string ablation_csv(const View& view) {
  CsvTable table("layer,head,position,loss_change_zero_nats,loss_change_mean_nats");
  for (const auto& [layer, head] : places_of(view.shown))
    for (std::int64_t t = 1; t < view.tokens(); ++t)
      table.add(layer, head, t, at(view.ablation->zero, {layer, head, t}), at(view.ablation->mean, {layer, head, t}));
  return table.text();
}

std::string attribution_csv(const View& view) {
  CsvTable table("component,layer,head,position,logit");
  for (std::size_t i = 0; i < view.attribution.components.size(); ++i) {
    const auto& [name, layer, head] = view.attribution.components[i];
    const std::string of_layer = layer < 0 ? "" : std::to_string(layer), of_head = head < 0 ? "" : std::to_string(head);
    for (std::int64_t t = 0; t + 1 < view.tokens(); ++t)
      table.add(name, of_layer, of_head, t, at(view.attribution.values, {static_cast<std::int64_t>(i), t}));
  }
  return table.text();
}

std::string lens_csv(const View& view) {
  CsvTable table("after_blocks,position,rank,id,label,probability,target_probability,entropy_nats");
  const LogitLens& lens = view.lens;
  const torch::Tensor top = lens.top.to(torch::kInt64).contiguous();
  for (std::int64_t row = 0; row < top.size(0); ++row)
    for (std::int64_t t = 0; t < view.tokens(); ++t)
      for (std::int64_t rank = 0; rank < top.size(2); ++rank) {
        const std::int64_t id = top.data_ptr<std::int64_t>()[(row * view.tokens() + t) * top.size(2) + rank];
        table.add(row, t, rank, id, view.token_labels[static_cast<std::size_t>(id)],
                  at(lens.top_probabilities, {row, t, rank}), at(lens.target_probabilities, {row, t}),
                  at(lens.entropy_nats, {row, t}));
      }
  return table.text();
}

std::string next_csv(const View& view) {
  constexpr std::int64_t kShown = 10;
  CsvTable table("position,rank,id,label,probability");
  const torch::Tensor p = torch::softmax(view.text.logits, -1);  // [T, V]
  const auto [values, ids] = p.topk(std::min(kShown, p.size(1)), -1);
  const torch::Tensor probabilities = values.contiguous(), of_rank = ids.contiguous();
  for (std::int64_t t = 0; t < view.tokens(); ++t)
    for (std::int64_t rank = 0; rank < of_rank.size(1); ++rank) {
      const std::int64_t id = of_rank.data_ptr<std::int64_t>()[t * of_rank.size(1) + rank];
      table.add(t, rank, id, view.token_labels[static_cast<std::size_t>(id)], at(probabilities, {t, rank}));
    }
  return table.text();
}

}  // namespace

std::string csv_cell(const std::string& text) {
  const bool edges = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!edges && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void write_csv(const View& view, const std::filesystem::path& folder) {
  struct Table {
    const char* name;
    std::string (*text)(const View& view);
    bool there = true;
  };
  const Table tables[] = {{"tokens.csv", tokens_csv},
                          {"scores.csv", scores_csv},
                          {"attention.csv", attention_csv},
                          {"lens.csv", lens_csv},
                          {"attribution.csv", attribution_csv},
                          {"next.csv", next_csv},
                          {"ablation.csv", ablation_csv, view.ablation.has_value()},
                          {"rollout.csv", rollout_csv, view.rollout.defined()}};
  const bool had_tables = std::filesystem::exists(folder / tables[0].name);
  for (const auto& [name, text, there] : tables) {
    if (there) {
      write_atomically(folder / name, text(view));
    } else if (had_tables) {
      std::filesystem::remove(folder / name);  // of the text before
    }
  }
}

}  // namespace tinylm
