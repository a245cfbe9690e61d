#include "run/run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <regex>

#include "core/errors.h"
#include "core/files.h"
#include "core/option_table.h"
#include "data/dataset_manifest.h"
#include "test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

class RunTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = test::fresh_folder(); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

/// A run as training leaves it, with random weights: byte tokenizer, one small block.
struct TrainedRun {
  explicit TrainedRun(const fs::path& folder) {
    config.tokenizer.tokenizer = "byte";
    config.model.context = 8;
    config.model.layers = config.model.heads = 1;
    config.model.width = 8;
    OptionTable table;
    config.describe(table);
    const Run run = tinylm::Run::create(folder, table.to_toml() + "\n[train]\nsteps = 5\n");
    tokenizer = make_tokenizer(config.tokenizer, 1, nothing);
    tokenizer->save(run.data_folder());
    DatasetManifest manifest;
    manifest.tokenizer_fingerprint = tokenizer->fingerprint();
    manifest.empty_prompt_id = 10;
    manifest.write(run.data_folder());
    config.model.vocabulary_size = tokenizer->vocabulary_size();
    model = LanguageModel(config.model, 7);
    TrainingState state;
    state.step = 5;
    run.checkpoints().save(parameters_of(*model), {}, state, tokenizer->fingerprint(), false, 0);
  }

  struct Nothing : TextReader {
    bool next(std::string&) override { return false; }
    void rewind() override {}
  } nothing;
  RunConfig config;
  std::unique_ptr<Tokenizer> tokenizer;
  LanguageModel model{nullptr};
};

TEST_F(RunTest, KnowsBeforehandWhereItCannotBeMade) {
  tinylm::Run::require_creatable(folder_ / "a" / "b" / "run");
  EXPECT_TRUE(fs::is_empty(folder_)) << "trying leaves nothing behind";
  write_atomically(folder_ / "file", "x");
  const std::string message =
      test::message_of<FileError>([&] { tinylm::Run::require_creatable(folder_ / "file" / "run"); });
  EXPECT_EQ(message, "cannot make the folder " + (folder_ / "file" / "run").string() +
                         ": Not a directory; choose another with --out");
  EXPECT_THROW(tinylm::Run::require_creatable("/proc/none/run"), FileError);
  EXPECT_THROW(tinylm::Run::require_creatable(folder_), WrongUse) << "it is not empty";
}

TEST_F(RunTest, IsMadeWithItsConfiguration) {
  const auto run = tinylm::Run::create(folder_ / "new" / "run", "[model]\nwidth = 64\n");
  EXPECT_EQ(read_file(folder_ / "new" / "run" / "config.toml"), "[model]\nwidth = 64\n");
  EXPECT_EQ(tinylm::Run::open(run.folder()).config().model.width, 64);
}

TEST_F(RunTest, MayBeMadeInAnEmptyFolder) {
  EXPECT_NO_THROW(tinylm::Run::create(folder_, ""));
}

TEST_F(RunTest, IsNeverMadeOverSomethingElse) {
  std::ofstream(folder_ / "letter.txt") << "dear";
  const std::string message = test::message_of<WrongUse>([&] { tinylm::Run::create(folder_, ""); });
  expect_contains(message, folder_.string() + " exists and is not empty");
  expect_contains(message, "--out");
  expect_contains(message, "--resume " + folder_.string());
  EXPECT_THROW(tinylm::Run::create(folder_ / "letter.txt", ""), WrongUse);
}

TEST_F(RunTest, SaysWhyItsFolderCannotBeMade) {
  std::ofstream(folder_ / "file") << "x";
  const std::string message = test::message_of<FileError>([&] { tinylm::Run::create(folder_ / "file" / "run", ""); });
  expect_contains(message, (folder_ / "file").string() + ": the folder cannot be made: Not a directory");
}

TEST_F(RunTest, ExplainsWhatIsNoRun) {
  expect_contains(test::message_of<FileError>([&] { tinylm::Run::open(folder_ / "nowhere"); }),
                  "there is no run " + (folder_ / "nowhere").string());
  expect_contains(test::message_of<FileError>([&] { tinylm::Run::open(folder_); }), "config.toml is missing");
  std::ofstream(folder_ / "file") << "x";
  expect_contains(test::message_of<FileError>([&] { tinylm::Run::open(folder_ / "file"); }), "is a file, not a run");
}

TEST_F(RunTest, FindsTheNewest) {
  const auto now = fs::file_time_type::clock::now();
  const std::pair<const char*, int> ages[] = {{"a", 30}, {"b", 10}, {"c", 20}};
  for (const auto& [name, age_s] : ages) {
    tinylm::Run::create(folder_ / name, "");
    fs::last_write_time(folder_ / name / "config.toml", now - std::chrono::seconds(age_s));
  }
  fs::create_directories(folder_ / "no-run");
  EXPECT_EQ(tinylm::Run::newest(folder_).folder(), folder_ / "b");

  for (const auto& [name, age_s] : {std::pair("a", 5), std::pair("c", 8)}) {  // whatever "b" is, it has saved nothing
    fs::create_directories(folder_ / name / "checkpoints" / "last");
    fs::last_write_time(folder_ / name / "checkpoints" / "last", now - std::chrono::seconds(age_s));
  }
  EXPECT_EQ(tinylm::Run::newest(folder_).folder(), folder_ / "a");
}

TEST_F(RunTest, SaysWhenThereIsNone) {
  expect_contains(test::message_of<FileError>([&] { tinylm::Run::newest(folder_ / "runs"); }), "tinylm train");
}

TEST_F(RunTest, GetsANameThatIsFree) {
  const fs::path first = tinylm::Run::fresh_folder(folder_, "my text/x");
  EXPECT_TRUE(std::regex_match(first.filename().string(), std::regex("\\d{8}-\\d{6}-my-text-x"))) << first;
  for (int i = 0; i < 3; ++i) {
    const fs::path next = tinylm::Run::fresh_folder(folder_, "x");
    EXPECT_FALSE(fs::exists(next));
    fs::create_directories(next);
  }
}

TEST_F(RunTest, RefusesAConfigurationThatDoesNotValidate) {
  const auto run = tinylm::Run::create(folder_ / "run", "[model]\nwidth = 0\n");
  EXPECT_THROW(run.config(), WrongUse);
}

TEST_F(RunTest, LoadsItsModel) {
  TrainedRun trained(folder_ / "run");
  LoadedModel loaded = load_model(tinylm::Run::open(folder_ / "run"), "best");
  EXPECT_EQ(loaded.checkpoint.state.step, 5);
  EXPECT_EQ(loaded.empty_prompt_id, 10);
  EXPECT_EQ(loaded.tokenizer->kind(), "byte");
  EXPECT_EQ(loaded.config.model.vocabulary_size, loaded.tokenizer->vocabulary_size());
  const torch::Tensor ids = torch::tensor({{1, 2, 3}}, torch::kInt64);
  EXPECT_TRUE(torch::equal(loaded.model->forward(ids), trained.model->forward(ids)));
}

TEST_F(RunTest, LeavesWhatStandsBesideAlone) {
  fs::create_directories(folder_ / "run.tmp");
  std::ofstream(folder_ / "run.tmp" / "thesis.txt") << "precious";
  tinylm::Run::create(folder_ / "run", "");
  EXPECT_TRUE(fs::exists(folder_ / "run.tmp" / "thesis.txt"));
}

TEST_F(RunTest, RefusesAModelThatWasChangedSinceItWasTrained) {
  TrainedRun trained(folder_ / "run");
  const auto run = tinylm::Run::open(folder_ / "run");
  run.checkpoints().save(parameters_of(*trained.model), {}, {},
                         Origin(trained.tokenizer->fingerprint(), model_options_json(trained.config.model)), false, 0);
  EXPECT_NO_THROW(load_model(run, "last"));
  ModelConfig changed = trained.config.model;
  changed.dropout = 0.5;
  EXPECT_NO_THROW(require_same_model(run.checkpoints().open("last", false), changed, run));
  changed.positions = "none";
  changed.heads = 2;
  const std::string message =
      test::message_of<FileError>([&] { require_same_model(run.checkpoints().open("last", false), changed, run); });
  expect_contains(message, "config.toml was changed since");
  expect_contains(message, "heads = 2 (trained: 1), positions = \"none\" (trained: \"learned\")");
}

TEST_F(RunTest, SavesAnotherConfiguration) {
  const auto run = tinylm::Run::create(folder_ / "run", "[train]\nsteps = 5\n");
  run.save_config("[train]\nsteps = 9\n");
  EXPECT_EQ(read_file(run.config_file()), "[train]\nsteps = 9\n");
}

TEST_F(RunTest, RefusesAnotherTokenizer) {
  TrainedRun trained(folder_ / "run");
  const auto run = tinylm::Run::open(folder_ / "run");
  run.checkpoints().save(parameters_of(*trained.model), {}, {}, trained.tokenizer->fingerprint() + 1, false, 0);
  const std::string message = test::message_of<FileError>([&] { load_model(run, "last"); });
  expect_contains(message, "the tokenizer in " + run.data_folder().string());
  expect_contains(message, "is not the one that " + (folder_ / "run" / "checkpoints" / "step-0").string());
}

}  // namespace
}  // namespace tinylm
