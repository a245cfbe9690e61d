#include "train/optim/muon.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/fused.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

void set_random_gradients(const LanguageModel& model, std::uint64_t seed) {
  torch::manual_seed(seed);
  for (auto& parameter : model->parameters()) parameter.mutable_grad() = torch::randn(parameter.sizes());
}

torch::Tensor parameter(const LanguageModel& model, const std::string& name) {
  return model->named_parameters()[name];
}

/// What one matrix is stepped along, from the definition with libtorch's operations.
torch::Tensor direction(const torch::Tensor& ahead, std::int64_t iterations) {
  const torch::Tensor input = (ahead / ahead.norm()).contiguous();
  torch::Tensor orthogonal = torch::empty_like(input);
  Orthogonaliser{iterations}({{input.data_ptr<float>(), orthogonal.data_ptr<float>(), input.size(0), input.size(1)}});
  const double rows = static_cast<double>(ahead.size(0)), columns = static_cast<double>(ahead.size(1));
  return orthogonal * std::sqrt(std::max(1.0, rows / columns));
}

TEST(Muon, RaisesTheVersionOfWhatItChanges) {
  const LanguageModel model(small_model(), 2);
  Muon muon(*model, model->config(), {});
  set_random_gradients(model, 1);
  for (const auto& named : model->named_parameters()) {
    const torch::Tensor before = named.value().detach().clone();
    const auto version = named.value()._version();
    muon.step(1, 0.1, 1.0);
    EXPECT_FALSE(before.equal(named.value())) << named.key();
    EXPECT_GT(named.value()._version(), version) << named.key();
  }
}

TEST(Muon, StepsMatricesAlongTheOrthogonalisedMomentum) {
  const MuonOptions options{.rate_factor = 4.0, .momentum = 0.9, .iterations = 3, .weight_decay = 0.2};
  const LanguageModel model(small_model(), 2);
  Muon muon(*model, model->config(), options);
  const std::string name = "blocks.1.feed_forward.expand.weight";  // [64, 16]
  torch::Tensor weight = parameter(model, name).detach().clone(), mean = torch::zeros_like(weight);
  for (int step = 1; step <= 3; ++step) {
    set_random_gradients(model, step);
    const torch::Tensor gradient = parameter(model, name).grad() * 0.5;
    mean = 0.9 * mean + 0.1 * gradient;
    weight = weight * (1.0 - 0.04 * 0.2) - 0.04 * direction(0.9 * mean + 0.1 * gradient, 3);
    muon.step(step, 0.01, 0.5);
    EXPECT_TRUE(torch::allclose(parameter(model, name), weight, 1e-5, 1e-6)) << "step " << step;
  }
}

TEST(Muon, OrthogonalisesPackedMatricesApart) {
  ModelConfig config = small_model();
  config.heads = 4;
  config.kv_heads = 2;
  config.activation = ActivationKind::kSwiGlu;
  const LanguageModel model(config, 2);
  Muon muon(*model, config, {.rate_factor = 1.0, .momentum = 0.0, .weight_decay = 0.0});
  set_random_gradients(model, 7);
  const auto check = [&](const std::string& name, const std::vector<std::int64_t>& rows) {
    const torch::Tensor change = parameter(model, name).detach(), gradient = parameter(model, name).grad();
    std::int64_t first = 0;
    for (const std::int64_t count : rows) {
      const torch::Tensor expected = -0.1 * direction(gradient.narrow(0, first, count), 3);
      EXPECT_TRUE(torch::allclose(change.narrow(0, first, count), expected, 1e-4, 1e-6)) << name << " row " << first;
      first += count;
    }
    EXPECT_EQ(first, change.size(0)) << name;
  };
  {
    const torch::NoGradGuard no_gradient;
    for (auto& value : model->parameters()) value.zero_();
  }
  muon.step(1, 0.1, 1.0);
  check("blocks.0.attention.query_key_value.weight", {16, 8, 8});
  check("blocks.0.feed_forward.expand.weight", {config.hidden_width(), config.hidden_width()});
  check("blocks.0.attention.projection.weight", {16});
  check("blocks.0.feed_forward.contract.weight", {16});
}

/// Newton-Schulz in float64, line by line: X = G / bound, then X <- a X + b (X X^T) X + c (X X^T)^2 X with the
/// coefficients that orthogonalise_test.cpp compares with the published ones.
torch::Tensor newton_schulz(const torch::Tensor& matrix, std::int64_t iterations) {
  const auto gram = [](const torch::Tensor& x) { return x.matmul(x.t()); };
  torch::Tensor x = matrix / (1.001 * std::pow(gram(gram(matrix)).norm().item<double>(), 0.25));
  for (const OddQuintic& p : polynomials_to_one(iterations, Orthogonaliser::kTolerance)) {
    const torch::Tensor once = gram(x).matmul(x);
    x = p.a * x + p.b * once + p.c * gram(x).matmul(once);
  }
  return x;
}

ModelConfig random_config(testing::Draw& draw) {
  ModelConfig config = small_model();
  config.layers = draw.between(1, 2);
  config.kv_heads = draw.between(1, 2);
  config.heads = config.kv_heads * draw.between(1, 3);
  config.width = config.heads * 2 * draw.between(1, 9);
  config.feed_forward_width = draw.between(1, 99);
  config.activation = static_cast<ActivationKind>(draw.between(0, 2));
  config.bias = draw.coin();
  config.tied_embeddings = draw.coin();
  return config;
}

/// Rows of the matrices that one parameter holds below each other.
std::vector<std::int64_t> rows_of_parts(const std::string& name, const torch::Tensor& weight, const ModelConfig& c) {
  const std::int64_t keys = c.kv_heads * c.width / c.heads;
  if (name.find("query_key_value") != std::string::npos) return {c.width, keys, keys};
  if (name.find("expand") != std::string::npos && c.activation == ActivationKind::kSwiGlu)
    return {weight.size(0) / 2, weight.size(0) / 2};
  return {weight.size(0)};
}

/// The algorithm in float64 for the matrices of a model's blocks.
class ReferenceMuon {
 public:
  ReferenceMuon(const LanguageModel& model, const ModelConfig& config, const MuonOptions& options) : options_(options) {
    for (const auto& item : model->named_parameters()) {
      if (item.key().rfind("blocks.", 0) != 0 || item.value().dim() != 2) continue;
      std::int64_t first = 0;
      for (const std::int64_t rows : rows_of_parts(item.key(), item.value(), config)) {
        const torch::Tensor start = item.value().detach().narrow(0, first, rows).to(torch::kFloat64);
        matrices_.push_back({item.key(), item.value(), first, rows, start, torch::zeros_like(start)});
        first += rows;
      }
    }
  }
  std::int64_t count() const { return static_cast<std::int64_t>(matrices_.size()); }

  /// Steps along the gradients that the model has, and expects the model's matrices to be where this leads.
  void step_and_compare(double rate, double scale) {
    for (Matrix& m : matrices_) {
      const torch::Tensor gradient = scale * m.part(m.parameter.grad());
      m.mean = options_.momentum * m.mean + (1.0 - options_.momentum) * gradient;
      const torch::Tensor ahead = options_.momentum * m.mean + (1.0 - options_.momentum) * gradient;
      const double columns = static_cast<double>(ahead.size(1)), rows = static_cast<double>(ahead.size(0));
      const torch::Tensor change =
          rate * std::sqrt(std::max(1.0, rows / columns)) * newton_schulz(ahead, options_.iterations);
      m.weight = (1.0 - rate * options_.weight_decay) * m.weight - change;
      const torch::Tensor found = m.part(m.parameter.detach());
      const double error = (found - m.weight).norm().item<double>() / change.norm().item<double>();
      EXPECT_LT(error, kRoundingError * std::pow(kAmplification, options_.iterations))
          << m.name << " row " << m.first << ", " << rows << " x " << columns << ", " << options_.iterations
          << " iterations";
      m.weight = found;  // so that only this step's error counts
    }
  }

 private:
  struct Matrix {
    std::string name;
    torch::Tensor parameter;
    std::int64_t first, rows;
    torch::Tensor weight, mean;
    torch::Tensor part(const torch::Tensor& all) const { return all.narrow(0, first, rows).to(torch::kFloat64); }
  };
  // Rounding is amplified like the smallest singular values, which an iteration raises by this.
  static constexpr double kRoundingError = 1e-6, kAmplification = 1.0 / 0.23;
  MuonOptions options_;
  std::vector<Matrix> matrices_;
};

/// Some steps of a random model; how many matrices it had.
std::int64_t compare_with_float64(testing::Draw& draw) {
  const ModelConfig config = random_config(draw);
  const LanguageModel model(config, 2);
  const MuonOptions options{.rate_factor = 2.0,
                            .momentum = draw.coin() ? 0.95 : 0.5,
                            .iterations = draw.between(1, 5),
                            .weight_decay = draw.coin() ? 0.0 : 0.3};
  Muon muon(*model, config, options);
  ReferenceMuon reference(model, config, options);
  for (int step = 1; step <= 3; ++step) {
    const double rate = 0.01 * static_cast<double>(draw.between(1, 3)), scale = draw.coin() ? 1.0 : 0.25;
    set_random_gradients(model, draw.between(1, 100'000));
    muon.step(step, rate, scale);
    reference.step_and_compare(rate * options.rate_factor, scale);
  }
  return reference.count();
}

TEST(Muon, AgreesWithFloat64ForManyShapesAtEachInstructionSet) {
  testing::at_each_instruction_set([] {
    testing::Draw draw(5);
    std::int64_t shapes = 0;
    for (int i = 0; i < 40; ++i) shapes += compare_with_float64(draw);
    EXPECT_GE(shapes, 200);
  });
}

TEST(Muon, StepsEverythingElseLikeAdamW) {
  const LanguageModel ours(small_model(), 2), theirs(small_model(), 2);
  const AdamWOptions options{.beta1 = 0.8, .beta2 = 0.95, .weight_decay = 0.3};
  Muon muon(*ours, ours->config(), {.adamw = options});
  AdamW adamw(*theirs, options);
  for (int step = 1; step <= 3; ++step) {
    set_random_gradients(ours, step);
    set_random_gradients(theirs, step);
    muon.step(step, 0.01, 1.0);
    adamw.step(step, 0.01, 1.0);
  }
  for (const auto& item : ours->named_parameters()) {
    const bool matrix = item.key().rfind("blocks.", 0) == 0 && item.value().dim() == 2;
    EXPECT_NE(torch::equal(item.value(), parameter(theirs, item.key())), matrix) << item.key();
  }
}

TEST(Muon, SkipsWhatHasNoGradient) {
  const LanguageModel model(small_model(), 2);
  const torch::Tensor before = parameter(model, "blocks.0.attention.projection.weight").detach().clone();
  Muon(*model, model->config(), {}).step(1, 0.1, 1.0);
  EXPECT_TRUE(torch::equal(parameter(model, "blocks.0.attention.projection.weight"), before));
}

TEST(Muon, GoesOnFromASavedStateBitForBit) {
  const std::filesystem::path folder = test::fresh_folder();
  const LanguageModel first(small_model(), 2), second(small_model(), 2);
  Muon saved(*first, first->config(), {}), loaded(*second, second->config(), {});
  const auto step = [](const LanguageModel& model, Muon& muon, int number) {
    set_random_gradients(model, number);
    muon.step(number, 0.01, 1.0);
  };
  step(first, saved, 1);
  step(second, loaded, 1);
  write_safetensors(folder / "optimizer.safetensors", saved.state(), {});
  Muon fresh(*second, second->config(), {});
  fresh.load_state(SafetensorsFile(folder / "optimizer.safetensors"));
  step(first, saved, 2);
  step(second, fresh, 2);
  for (const auto& item : first->named_parameters())
    EXPECT_TRUE(torch::equal(item.value(), parameter(second, item.key()))) << item.key();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tinylm
