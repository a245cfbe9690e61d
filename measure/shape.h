// A training whose speed is measured, and how many operations its tokens take.
#pragma once

#include <algorithm>
#include <string>

#include "model/config.h"
#include "model/ops/ops.h"
#include "train/options.h"

namespace tinylm {

struct BenchShape {
  std::string name;  // part of the names of results: "tiny"
  ModelConfig model;
  TrainOptions train;
  Ops ops = Ops::kAuto;  // of the default training: kAuto or kBfloat16

  std::int64_t tokens_per_step() const { return train.batch * model.context; }
  /// How long a text is whose generation is timed by itself.
  std::int64_t tokens_of_one_text() const { return std::max<std::int64_t>(model.context, 512); }
};

/// N: the parameters that a token is multiplied with. All but the tables from which its embedding and position are
/// looked up; a tied embedding counts, since it is the output projection.
std::int64_t multiplied_parameters(const ModelConfig& config);

/// Operations that training on a token takes, 6 N + 12 L C T: two for each parameter forward and four backward, and the
/// same for the scores and the weighted sums of attention over T keys, masked ones included. Source: Chowdhery et al.,
/// "PaLM" (2022), appendix B; N without look-up tables as Kaplan et al., "Scaling laws" (2020), section 2.1, count.
double training_flops_per_token(const ModelConfig& config);
inline constexpr const char* kFlopsFormula =
    "6 N + 12 L C T operations a token, N: parameters without look-up tables, L layers, C width, T context";

}  // namespace tinylm
