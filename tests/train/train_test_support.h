// What the tests of the training room share: a small text of random tokens and a small model to train on it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/philox.h"
#include "data/token_file.h"
#include "test_support.h"
#include "train/trainer.h"

namespace tinylm {

/// V 11, T 8, C 16, two blocks; 3,000 or so parameters.
inline ModelConfig small_model() {
  ModelConfig config;
  config.vocabulary_size = 11;
  config.context = 8;
  config.layers = 2;
  config.heads = 2;
  config.width = 16;
  return config;
}

inline TrainOptions small_training() {
  TrainOptions options;
  options.steps = 12;
  options.batch = 4;
  options.warmup = 3;
  options.eval_every = 4;
  options.learning_rate = 1e-2;
  options.min_learning_rate = 1e-3;
  options.seed = 5;
  return options;
}

/// A test with a folder of its own that holds a token file: 300 tokens for training, then 61 for validation.
class TrainingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::fresh_folder();
    std::vector<TokenId> ids;
    const Philox random(1, Purpose::kWindow);
    for (std::uint64_t i = 0; i < 361; ++i) ids.push_back(static_cast<TokenId>(random.below(4, 0, i) + 2 * (i % 4)));
    TokenFileWriter writer(folder_ / "train.tokens", 11, 0);
    writer.append(ids);
    writer.finish();
    tokens_ = std::make_unique<TokenFile>(folder_ / "train.tokens");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TokenRange train() const { return {tokens_.get(), 0, 300}; }
  TokenRange val() const { return {tokens_.get(), 300, 61}; }
  TokenRange nothing() const { return {tokens_.get(), 361, 0}; }

  /// A trainer over a new model; `validation` nothing() leaves evaluation out.
  std::unique_ptr<Trainer> trainer(const ModelConfig& config, const TrainOptions& options,
                                   TokenRange validation) const {
    LanguageModel model(config, options.seed);
    return std::make_unique<Trainer>(model, make_optimizer(options, *model),
                                     BatchSource(train(), config.context, options.seed),
                                     EvaluationWindows(validation, config.context), options);
  }

  std::filesystem::path folder_;
  std::unique_ptr<TokenFile> tokens_;
};

/// Keeps every report.
struct Recorder : Observer {
  std::vector<StepReport> reports;
  void on_step(const StepReport& report) override { reports.push_back(report); }
};

}  // namespace tinylm
