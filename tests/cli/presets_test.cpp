#include <gtest/gtest.h>

#include "cli/configuration.h"
#include "core/program_files.h"
#include "train/step_operations.h"

namespace tinylm {
namespace {

TEST(Presets, AllReadAndValidate) {
  ASSERT_GE(preset_names().size(), 5u);
  for (const std::string& name : preset_names()) {
    Configuration configuration;
    OptionTable table;
    configuration.describe(table);
    ASSERT_NO_THROW(table.read_toml(preset_file(name))) << name;
    EXPECT_NO_THROW(configuration.validate()) << name;
  }
}

// The sizes of GPT-2 small: 12 layers of 12 C^2 + 13 C, two norms of 2 C a layer inside that, V C + T C + 2 C around
// them.
TEST(Presets, Gpt2SmallHas124MillionParameters) {
  Configuration configuration;
  OptionTable table;
  configuration.describe(table);
  table.read_toml(preset_file("gpt2-124m"));
  configuration.run.model.vocabulary_size = 50257;
  EXPECT_EQ(configuration.run.model.parameter_count(), 124439808);
}

// Sizes do not decide which operations are taken, so small ones do.
TEST(Presets, TrainOnFusedOperationsAlone) {
  for (const std::string& name : preset_names()) {
    Configuration configuration;
    OptionTable table;
    configuration.describe(table);
    table.read_toml(preset_file(name));
    ModelConfig& model = configuration.run.model;
    model.vocabulary_size = 65;
    model.layers = 1;
    model.width = 8 * model.heads;
    EXPECT_TRUE(step_operations(LanguageModel(model, 1)).composed.empty()) << name;
  }
}

TEST(Configuration, ReloadsToTheSameValues) {
  Configuration configuration;
  OptionTable table;
  configuration.describe(table);
  table.read_toml(preset_file("names"));
  configuration.run.text.text = {"a \"quoted\" path", "tab\there"};
  configuration.train.beta2 = 0.95;
  configuration.train.learning_rate = 1e-4 / 3.0;
  const std::string saved = table.to_toml();
  Configuration other;
  OptionTable other_table;
  other.describe(other_table);
  other_table.read_toml_text(saved, "saved");
  EXPECT_EQ(other_table.to_toml(), saved);
  EXPECT_EQ(other.train.learning_rate, configuration.train.learning_rate);
  EXPECT_EQ(other.run.text.text, configuration.run.text.text);
}

}  // namespace
}  // namespace tinylm
