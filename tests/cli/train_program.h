// A folder with a text, and flags of a model that trains on it in a moment.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.h"
#include "core/files.h"

namespace tinylm::testing {

/// Flags of a model that trains in a moment.
inline std::vector<std::string> small(std::vector<std::string> arguments) {
  for (const char* word :
       {"--layers", "1", "--heads", "2", "--width", "16", "--context", "16", "--batch", "4", "--warmup", "2"}) {
    arguments.push_back(word);
  }
  return arguments;
}

class TrainProgram : public ::testing::Test {
 protected:
  std::string folder_ = fresh_folder("train");
  void SetUp() override { write_atomically(std::filesystem::path(folder_) / "text.txt", words(20000)); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

}  // namespace tinylm::testing
