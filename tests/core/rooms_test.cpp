// The tree itself: a room includes only itself and the rooms below it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 11> kRooms = {"core",  "tokenizer", "data",    "model", "run", "sample",
                                                     "train", "inspect",   "measure", "serve", "cli"};

std::size_t rank_of(const std::string& room) {
  return static_cast<std::size_t>(std::find(kRooms.begin(), kRooms.end(), room) - kRooms.begin());
}

bool is_source(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".cpp";
}

struct Include {
  fs::path file;
  std::string path;
};

/// Every #include "..." in the sources of `room`.
std::vector<Include> includes_of(std::string_view room) {
  const std::regex pattern(R"(^\s*#\s*include\s*"([^"]+)\")");
  std::vector<Include> found;
  const fs::path folder = fs::path(TINYLM_SOURCE_DIR) / room;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!is_source(entry.path())) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (std::regex_search(line, match, pattern)) found.push_back({entry.path(), match[1]});
    }
  }
  return found;
}

std::string first_folder(const std::string& path) {
  return path.substr(0, path.find('/'));
}

TEST(Rooms, IncludeOnlyThemselvesAndRoomsBelow) {
  for (std::size_t rank = 0; rank < kRooms.size(); ++rank) {
    for (const Include& include : includes_of(kRooms[rank])) {
      EXPECT_LE(rank_of(first_folder(include.path)), rank) << include.file << " includes " << include.path;
    }
  }
}

TEST(Rooms, AreFoundByThisTest) {
  EXPECT_GT(includes_of("core").size(), 10u);
  EXPECT_EQ(rank_of("core"), 0u);
  EXPECT_EQ(rank_of("elsewhere"), kRooms.size());
}

TEST(Rooms, KeepLibtorchOutOfCoreAndTokenizer) {
  const std::regex pattern(R"(^\s*#\s*include\s*<(torch|ATen|c10)/)");
  for (const std::string_view room : {"core", "tokenizer"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TINYLM_SOURCE_DIR) / room)) {
      if (!is_source(entry.path()) || entry.path().filename() == "torch_compat.h" ||
          entry.path().filename() == "torch.h")
        continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) EXPECT_FALSE(std::regex_search(line, pattern)) << entry.path();
    }
  }
}

}  // namespace
