#include "inspect/tracked_heads.h"

#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/json_numbers.h"
#include "train/metrics_file.h"

namespace tinylm {
namespace {

using TrackedJson = nlohmann::ordered_json;

struct Tracked {
  const char* id;
  PatternScore RandomRepeats::*score;
};
constexpr std::array<Tracked, 3> kTracked = {{{"previous", &RandomRepeats::previous},
                                              {"duplicate_random", &RandomRepeats::duplicate},
                                              {"induction_random", &RandomRepeats::induction}}};

/// [L][H], to four decimals, which is what a page shows and a seed decides.
TrackedJson rows_of_scores(const torch::Tensor& values) {
  TrackedJson rows = TrackedJson::array();
  for (std::int64_t layer = 0; layer < values.size(0); ++layer) {
    TrackedJson row = TrackedJson::array();
    for (std::int64_t head = 0; head < values.size(1); ++head)
      row.push_back(number_or_null(std::round(values[layer][head].item<double>() * 1e4) / 1e4));
    rows.push_back(row);
  }
  return rows;
}

torch::Tensor scores_of(const nlohmann::json& rows) {
  std::vector<torch::Tensor> layers;
  for (const nlohmann::json& row : rows) {
    std::vector<float> values;
    for (const nlohmann::json& value : row) values.push_back(static_cast<float>(number_or_nan(value)));
    layers.push_back(torch::tensor(values));
  }
  return torch::stack(layers);
}

}  // namespace

std::string tracked_line(std::int64_t step, const RandomRepeats& repeats) {
  TrackedJson line;
  line["step"] = step;
  for (const Tracked& tracked : kTracked) line[tracked.id] = rows_of_scores((repeats.*tracked.score).values);
  return line.dump();
}

TrackedHeads read_tracked_heads(const std::filesystem::path& file) {
  TrackedHeads heads;
  std::map<std::string, std::vector<torch::Tensor>> columns;
  try {
    for_each_step_line(file, [&](const nlohmann::json& line) {
      heads.steps.push_back(line["step"]);
      for (const Tracked& tracked : kTracked) columns[tracked.id].push_back(scores_of(line.at(tracked.id)));
    });
    for (const auto& [id, values] : columns) heads.scores[id] = torch::stack(values);
  } catch (const nlohmann::json::exception&) {
    throw FileError(file.string() + " is damaged: a line has no scores of heads; remove it to go without them");
  } catch (const c10::Error&) {
    throw FileError(file.string() +
                    " is damaged: its lines have different numbers of heads; remove it to go without them");
  }
  return heads;
}

}  // namespace tinylm
