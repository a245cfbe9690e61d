// Kills a training at random moments, resumes it, and compares it with one that was left alone.
#include <gtest/gtest.h>

#include <filesystem>
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

TEST(KilledTraining, GivesTheSameLossesBitForBitAsOneLeftAlone) {
  const std::string folder = testing::fresh_folder("kill");
  write_atomically(fs::path(folder) / "text.txt", testing::words(20000));
  const auto train = [](const std::string& out) {
    return std::vector<std::string>{"train",        "text.txt", "--layers",  "2",   "--heads",      "2",
                                    "--width",      "32",       "--context", "32",  "--batch",      "8",
                                    "--dropout",    "0.1",      "--steps",   "400", "--eval-every", "10",
                                    "--save-every", "5",        "--out",     out};
  };
  ASSERT_EQ(testing::run_program(folder, train("alone")).exit_code, 0);
  const Philox random(11, Purpose::kWindow);
  Outcome outcome;
  int kills = 0;
  for (std::uint64_t attempt = 0; attempt < 200; ++attempt) {
    const bool begun = fs::exists(fs::path(folder) / "killed");
    const std::vector<std::string> arguments =
        begun ? std::vector<std::string>{"train", "--resume", "killed"} : train("killed");
    // Some kills fall into the start, most into training and saving; the time grows so that slow machines come to an
    // end too.
    const double after_s = (0.2 + 1.8 * random.uniform(attempt, 0)) * (1.0 + 0.1 * static_cast<double>(attempt));
    outcome = testing::run_and_signal(folder, arguments, after_s, SIGKILL);
    if (outcome.exit_code == 0) break;
    ASSERT_EQ(outcome.exit_code, 128 + SIGKILL) << outcome.err;
    ++kills;
  }
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_GE(kills, 3);
  EXPECT_EQ(losses(fs::path(folder) / "killed/metrics.jsonl"), losses(fs::path(folder) / "alone/metrics.jsonl"));
  EXPECT_EQ(read_file(fs::path(folder) / "killed/checkpoints/last/model.safetensors"),
            read_file(fs::path(folder) / "alone/checkpoints/last/model.safetensors"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tinylm
