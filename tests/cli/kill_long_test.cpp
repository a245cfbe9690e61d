// Kills a training at random moments, resumes it, and compares it with one that was left alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"
#include "core/files.h"
#include "core/philox.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;
using testing::Outcome;

/// The text of every line without what a clock says.
std::vector<std::string> losses(const fs::path& file) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(file));
  for (std::string line; std::getline(text, line);) {
    auto object = nlohmann::json::parse(line);
    object.erase("elapsed_s");
    object.erase("tokens_per_s");
    lines.push_back(object.dump());
  }
  return lines;
}

constexpr std::uintmax_t kLineBytes = 160;  // about, of metrics.jsonl

/// How much longer a file is than at its shortest since this was made.
class Growth {
 public:
  explicit Growth(fs::path file) : file_(std::move(file)) {}
  std::uintmax_t bytes() {
    std::error_code missing;
    const std::uintmax_t size = fs::file_size(file_, missing);
    if (missing) return 0;
    shortest_ = std::min(shortest_, size);
    return size - shortest_;
  }

 private:
  fs::path file_;
  std::uintmax_t shortest_ = std::numeric_limits<std::uintmax_t>::max();
};

TEST(KilledTraining, GivesTheSameLossesBitForBitAsOneLeftAlone) {
  const std::string folder = testing::fresh_folder("kill");
  write_atomically(fs::path(folder) / "text.txt", testing::words(20000));
  const auto train = [](const std::string& out) {
    return std::vector<std::string>{"train",        "text.txt", "--layers",  "2",    "--heads",      "2",
                                    "--width",      "32",       "--context", "32",   "--batch",      "8",
                                    "--dropout",    "0.1",      "--steps",   "8000", "--eval-every", "80",
                                    "--save-every", "20",       "--out",     out};
  };
  ASSERT_EQ(testing::run_program(folder, train("alone")).exit_code, 0);
  const auto go_on = [&] {
    const bool begun = fs::exists(fs::path(folder) / "killed");
    return begun ? std::vector<std::string>{"train", "--resume", "killed"} : train("killed");
  };
  // Moments by the clock fall into the start, moments by progress into training and saving, however fast the machine
  // is; together they leave some of the training to the end.
  const Philox random(11, Purpose::kWindow);
  for (std::uint64_t kill = 0; kill < 20; ++kill) {
    const double draw = random.uniform(kill, 0);
    Outcome outcome;
    if (kill % 3 == 0) {
      outcome = testing::run_and_signal(folder, go_on(), 0.1 + 0.4 * draw, SIGKILL);
    } else {
      Growth metrics(fs::path(folder) / "killed/metrics.jsonl");
      const auto steps = static_cast<std::uintmax_t>(1 + 450 * draw);
      outcome = testing::run_and_signal(
          folder, go_on(), [&] { return metrics.bytes() > steps * kLineBytes; }, SIGKILL);
    }
    ASSERT_EQ(outcome.exit_code, 128 + SIGKILL) << kill << ": " << outcome.err;
  }
  ASSERT_TRUE(fs::exists(fs::path(folder) / "killed/checkpoints/last"));
  const Outcome outcome = testing::run_program(folder, go_on());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(losses(fs::path(folder) / "killed/metrics.jsonl"), losses(fs::path(folder) / "alone/metrics.jsonl"));
  EXPECT_EQ(read_file(fs::path(folder) / "killed/checkpoints/last/model.safetensors"),
            read_file(fs::path(folder) / "alone/checkpoints/last/model.safetensors"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tinylm
