// Training to the end with the fused operations ends where training with their definitions does.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "train_test_support.h"

namespace tinylm {
namespace {

constexpr std::int64_t kTrainCharacters = 60'000, kValCharacters = 6'000;

/// A text of words, each of which decides which four may follow it.
std::string small_text(std::int64_t characters) {
  constexpr std::array kWords = {"the",    "river", "of",    "stone", "goes",  "down",  "to",     "a",
                                 "silent", "lake",  "where", "old",   "boats", "lie",   "and",    "night",
                                 "birds",  "sing",  "in",    "green", "reeds", "until", "morning"};
  const Philox random(9, Purpose::kWindow);
  std::string text;
  std::size_t word = 0;
  for (std::uint64_t i = 0; std::ssize(text) < characters; ++i) {
    text += kWords[word] + std::string(i % 9 == 8 ? ".\n" : " ");
    word = (5 * word + 7 + random.below(4, 0, i)) % kWords.size();
  }
  return text.substr(0, characters);
}

class FusedTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::fresh_folder();
    TokenFileWriter writer(folder_ / "text.tokens", 128, 0);
    for (const char character : small_text(kTrainCharacters + kValCharacters)) {
      const auto id = static_cast<TokenId>(character);
      writer.append({&id, 1});
    }
    writer.finish();
    tokens_ = std::make_unique<TokenFile>(folder_ / "text.tokens");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The validation loss after the last step, while it still falls.
  double final_loss(const ModelConfig& config, std::int64_t steps, std::uint64_t seed, Ops ops) const {
    TrainOptions options;
    options.steps = steps;
    options.batch = 6;
    options.warmup = 24;
    options.learning_rate = 3e-3;
    options.min_learning_rate = 3e-4;
    options.eval_every = 0;
    options.seed = seed;
    LanguageModel model(config, seed, ops);
    Trainer trainer(model, make_optimizer(options, *model),
                    BatchSource({tokens_.get(), 0, kTrainCharacters}, config.context, seed),
                    EvaluationWindows({tokens_.get(), kTrainCharacters, kValCharacters}, config.context), options);
    return trainer.run().last_val_loss_nats;
  }

  /// Seeds alone make a difference of 0.003 to 0.3 nats here.
  static constexpr double kSameLoss_nats = 0.003;
  static constexpr double kLearned_nats = 1.5;  // the frequencies of the characters alone allow 2.6
  void expect_same_ends(const ModelConfig& config, std::int64_t steps) const {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const double fused = final_loss(config, steps, seed, Ops::kAuto),
                   plain = final_loss(config, steps, seed, Ops::kPlain);
      EXPECT_LT(plain, kLearned_nats) << "learned too little to tell anything";
      EXPECT_NEAR(fused, plain, kSameLoss_nats) << "seed " << seed;
    }
  }

  static ModelConfig gpt2_like() {
    ModelConfig config;
    config.vocabulary_size = 128;
    config.context = 64;
    config.layers = 2;
    config.heads = 4;
    config.width = 64;
    config.bias = true;
    config.dropout = 0.1;
    return config;
  }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<TokenFile> tokens_;
};

TEST_F(FusedTraining, EndsWhereThePlainOneDoes) {
  expect_same_ends(gpt2_like(), 240);
}

TEST_F(FusedTraining, EndsWhereThePlainOneDoesWithTheChoicesOfLlama) {
  ModelConfig config = gpt2_like();
  config.bias = false;
  config.dropout = 0.0;
  config.kv_heads = 2;
  config.norm = NormKind::kRmsNorm;
  config.activation = ActivationKind::kSwiGlu;
  config.positions = "rope";
  config.query_key_norm = true;
  config.tied_embeddings = false;
  expect_same_ends(config, 140);
}

}  // namespace
}  // namespace tinylm
