#include "inspect/attention_json.h"

#include <limits>

#include <nlohmann/json.hpp>

namespace tinylm {
namespace {

template <class Number>
std::vector<std::vector<Number>> rows_of(const torch::Tensor& matrix) {
  std::vector<std::vector<Number>> rows;
  for (std::int64_t i = 0; i < matrix.size(0); ++i) {
    rows.emplace_back();
    for (std::int64_t j = 0; j < matrix.size(1); ++j) rows.back().push_back(matrix[i][j].item<Number>());
  }
  return rows;
}

}  // namespace

std::string to_json(const WorkedAttention& worked) {
  const auto& [inputs, steps] = worked;
  nlohmann::ordered_json object;
  object["d_k"] = inputs.k.size(1);
  object["d_v"] = inputs.v.size(1);
  object["scale"] = steps.scale;
  object["queries"] = rows_of<double>(inputs.q);
  object["keys"] = rows_of<double>(inputs.k);
  object["values"] = rows_of<double>(inputs.v);
  object["dot_products"] = rows_of<double>(steps.dot_products);
  object["scores"] = rows_of<double>(steps.scores);
  object["allowed"] = rows_of<bool>(steps.allowed);
  object["largest"] = rows_of<double>(steps.largest.masked_fill(steps.allowed.any(-1, /*keepdim=*/true).logical_not(),
                                                                std::numeric_limits<double>::quiet_NaN()));
  object["exponentials"] = rows_of<double>(steps.exponentials);
  object["sums"] = rows_of<double>(steps.sums);
  object["weights"] = rows_of<double>(steps.weights);
  object["output"] = rows_of<double>(steps.output);
  return object.dump();
}

}  // namespace tinylm
