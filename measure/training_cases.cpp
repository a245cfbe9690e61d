// The sections "training" and "costs" of the suite: whole steps, their bare products, and what parts of a step cost.
#include <algorithm>
#include <memory>

#include "measure/bare_products.h"
#include "measure/norms_of_step.h"
#include "measure/suite.h"
#include "model/ops/linear_products.h"
#include "train/plan.h"
#include "train/step_timer.h"

namespace tinylm {
namespace {

constexpr double kTrainingSeconds = 0.1;  // so many steps a round, at least one
constexpr int kNormRepetitions = 10;

/// A training that is made when it is first asked for, so that what is not measured takes no memory.
class LateTraining {
 public:
  LateTraining(const BenchShape& shape, Ops ops) : shape_(shape), ops_(ops) {}

  MemoryPlan memory() const { return plan_memory(shape_.model, shape_.train, ops_); }
  void make() {
    if (training_) return;
    training_ = std::make_unique<TimedTraining>(LanguageModel(shape_.model, shape_.train.seed, ops_), shape_.train);
  }
  /// Over as many steps as fill a round at the pace of the call before: one the first time, which makes primitives.
  double mean_step_s() {
    double seconds = 0.0;
    for (int i = 0; i < steps_; ++i) seconds += training_->step_s() / steps_;
    steps_ = std::max(1, static_cast<int>(kTrainingSeconds / seconds));
    return seconds;
  }
  double mean_gradient_norm_s() {
    double seconds = 0.0;
    for (int i = 0; i < kNormRepetitions; ++i) seconds += training_->gradient_norm_s();
    return seconds / kNormRepetitions;
  }

 private:
  BenchShape shape_;
  Ops ops_;
  std::unique_ptr<TimedTraining> training_;
  int steps_ = 1;
};

std::string step_of(const BenchShape& shape) {
  return "step_" + shape.name;
}

TimedCase step_case(const std::string& name, const std::shared_ptr<LateTraining>& training) {
  const MemoryPlan memory = training->memory();
  const auto prepare = [training] {
    training->make();
    return [training] { return training->mean_step_s(); };
  };
  return {name, prepare, memory.total_bytes() - memory.activations_bytes, memory.activations_bytes};
}

/// A training that differs from `shape` in something whose cost is the difference of the two steps.
void add_variant(Suite& suite, const std::string& name, const BenchShape& variant, const std::string& meaning) {
  const std::string of = step_of(variant) + "_" + name;
  suite.cases.push_back(step_case(of, std::make_shared<LateTraining>(variant, variant.ops)));
  suite.ratios.push_back({"costs", name + "_share_of_step_" + variant.name, of, step_of(variant), meaning, 1.0, -1.0});
}

}  // namespace

void add_training(Suite& suite, const BenchShape& shape) {
  const std::string step = step_of(shape), plain = step + "_plain", products = "bare_" + step;
  const double tokens = static_cast<double>(shape.tokens_per_step());
  const double gflops = 1e-9 * training_flops_per_token(shape.model) * tokens;
  const auto training = std::make_shared<LateTraining>(shape, shape.ops);
  suite.cases.push_back(step_case(step, training));
  suite.cases.push_back(step_case(plain, std::make_shared<LateTraining>(shape, Ops::kPlain)));
  const ModelConfig model = shape.model;
  const std::int64_t B = shape.train.batch;
  const ops::MatmulInputs type =
      shape.ops == Ops::kBfloat16 ? ops::MatmulInputs::kBfloat16 : ops::MatmulInputs::kFloat32;
  const auto prepare = [model, B, type] {
    const auto bare = std::make_shared<BareProducts>(model, B, type);
    return [bare] { return bare->run_s(); };
  };
  suite.cases.push_back({products, prepare, BareProducts::memory_bytes(model, B)});
  suite.cases.push_back({"clipping_" + shape.name, [training] {
                           training->make();
                           return [training] { return training->mean_gradient_norm_s(); };
                         }});

  suite.results.push_back({"training", "training_" + shape.name, "tokens/s", step, tokens, true});
  suite.results.push_back({"training", "training_" + shape.name + "_flops", "GFLOP/s", step, gflops, true});
  suite.results.push_back({"training", "training_" + shape.name + "_plain", "tokens/s", plain, tokens, true});
  suite.results.push_back({"training", "training_" + shape.name + "_plain_flops", "GFLOP/s", plain, gflops, true});
  suite.results.push_back({"training", step, "ms", step, 1e3});
  suite.results.push_back({"training", products, "ms", products, 1e3});
  suite.results.push_back(
      {"training", products + "_rate", "GFLOP/s", products, 1e-9 * BareProducts::operations(model, B), true});
  suite.ratios.push_back({"training", "training_" + shape.name + "_over_plain", plain, step,
                          "tokens/s of the fused operations over those of --ops plain"});
  suite.ratios.push_back(
      {"training", "bare_products_over_step_" + shape.name, products, step,
       "time of the step's bare oneDNN products, in the type it multiplies in, over the step's time"});
}

void add_costs(Suite& suite, const BenchShape& shape) {
  BenchShape dropout = shape, bias = shape;
  dropout.model.dropout = 0.1;
  bias.model.bias = true;
  add_variant(suite, "dropout", dropout, "what dropout 0.1 adds to a step");
  add_variant(suite, "biases", bias, "what biases of linear layers and norms add to a step");
  suite.ratios.push_back({"costs", "clipping_share_of_step_" + shape.name, "clipping_" + shape.name, step_of(shape),
                          "the norm of all gradients, which clipping needs, of a step"});
  const std::string norms = "norms_" + shape.name;
  const ModelConfig model = shape.model;
  const std::int64_t rows = shape.tokens_per_step();
  suite.cases.push_back({norms, [model, rows] {
                           const auto all = std::make_shared<NormsOfStep>(model, rows);
                           return [all] { return all->run_s(); };
                         }});
  suite.ratios.push_back({"costs", norms + "_share_of_step", norms, step_of(shape),
                          "all norms with their gains, forward and backward, of a step"});
}

}  // namespace tinylm
