// Trainings killed at random moments and resumed give the same metrics as one that was left alone. Every training is a
// process of its own, forked before this one has made any thread.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "train/checkpoint_observer.h"
#include "train/metrics_file.h"
#include "train/metrics_observer.h"
#include "train_test_support.h"

namespace tinylm {
namespace {

class Kill : public TrainingTest {
 protected:
  /// In a process of its own: trains in `folder` from the last checkpoint to the end.
  pid_t start_training(const std::filesystem::path& folder) const {
    const pid_t child = fork();
    if (child != 0) return child;
    ModelConfig config = small_model();
    config.dropout = 0.1;
    TrainOptions options = small_training();
    options.steps = 300;
    options.accumulate = 2;
    options.save_every = 3;
    options.eval_every = 20;
    CheckpointStore store(folder / "checkpoints", /*clean=*/true);
    const auto training = trainer(config, options, val());
    if (!store.empty()) {
      const Checkpoint last = store.open("last", /*with_optimizer=*/true);
      load_parameters(*training->model(), SafetensorsFile(last.model_file()));
      training->optimizer().load_state(SafetensorsFile(last.optimizer_file()));
      training->start_from(last.state);
    }
    training->add_observer(std::make_shared<MetricsObserver>(folder / "metrics.jsonl", training->state().step));
    training->add_observer(
        std::make_shared<CheckpointObserver>(store, training->model(), training->optimizer(), options, 0));
    training->run();
    _exit(0);
  }

  /// Whether it came to its end.
  static bool finished(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "a training failed";
    return !WIFSIGNALED(status);
  }

  /// Step -> the numbers that must not change.
  static std::map<std::int64_t, std::string> numbers_in(const std::filesystem::path& folder) {
    std::map<std::int64_t, std::string> numbers;
    std::istringstream lines(read_file(folder / "metrics.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      auto json = nlohmann::ordered_json::parse(line);
      json.erase("elapsed_s");
      json.erase("tokens_per_s");
      EXPECT_TRUE(numbers.emplace(json["step"], json.dump()).second) << "twice: " << line;
    }
    return numbers;
  }
};

TEST_F(Kill, AtRandomMomentsChangesNothing) {
  std::filesystem::create_directories(folder_ / "whole");
  std::filesystem::create_directories(folder_ / "killed");
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(finished(start_training(folder_ / "whole")));
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> moment(0.0, 0.3 * whole.count());
  int kills = 0;
  for (bool done = false; !done && kills < 200;) {
    const pid_t child = start_training(folder_ / "killed");
    std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
    kill(child, SIGKILL);
    done = finished(child);
    kills += !done;
  }
  EXPECT_GT(kills, 2);
  EXPECT_EQ(numbers_in(folder_ / "killed"), numbers_in(folder_ / "whole"));
}

}  // namespace
}  // namespace tinylm
