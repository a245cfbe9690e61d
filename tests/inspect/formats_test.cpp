#include "inspect/formats.h"

#include <set>

#include <gtest/gtest.h>

#include "core/files.h"
#include "inspect/example.h"

namespace tinylm {
namespace {

TEST(Formats, EachHasANameOfItsOwnAndWritesToItsPlace) {
  std::set<std::string> names;
  for (const Format& format : formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    EXPECT_FALSE(format.help.empty()) << format.name;
    EXPECT_TRUE(format.place == "FILE" || format.place == "DIR") << format.name;
    const std::filesystem::path place = std::filesystem::path(::testing::TempDir()) / ("formats_test." + format.name);
    std::filesystem::remove_all(place);
    format.write(test::example(), place);
    EXPECT_EQ(std::filesystem::is_directory(place), format.place == "DIR") << format.name;
    EXPECT_TRUE(std::filesystem::exists(place)) << format.name;
    EXPECT_EQ(format.text != nullptr, format.place == "FILE") << format.name;
    if (!format.text) continue;
    EXPECT_EQ(format.text(test::example()) + "\n", read_file(place)) << format.name;
  }
  EXPECT_TRUE(names.count("npy") == 1 && names.count("json") == 1);
}

}  // namespace
}  // namespace tinylm
