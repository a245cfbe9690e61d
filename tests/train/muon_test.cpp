#include "train/optim/muon.h"

#include <gtest/gtest.h>

#include <cmath>

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
