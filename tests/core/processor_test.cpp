#include "core/processor.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tinylm {
namespace {

std::filesystem::path root_with(const std::string& cpuinfo) {
  const std::filesystem::path root =
      std::filesystem::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(root / "proc");
  std::ofstream(root / "proc/cpuinfo") << cpuinfo;
  return root;
}

TEST(Processor, IsTheFirstOneOfTheKernelsList) {
  const Processor processor = read_processor(root_with(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Intel(R) Xeon(R) "
      "Processor\nflags\t\t: fpu avx2 amx_bf16\n\nprocessor\t: 1\nmodel name\t: another\nflags\t\t: avx512f\n"));
  EXPECT_EQ(processor.name, "Intel(R) Xeon(R) Processor, family 6 model 207");
  EXPECT_EQ(processor.vendor, "GenuineIntel");
  EXPECT_TRUE(processor.has("amx_bf16"));
  EXPECT_FALSE(processor.has("avx512f"));
}

TEST(Processor, FavoursBfloat16WithAmxOrFromAmd) {
  const auto favours = [](const std::string& vendor, const std::string& flags) {
    return read_processor(root_with("vendor_id\t: " + vendor + "\nflags\t\t: avx512f " + flags + "\n"))
        .favours_bfloat16();
  };
  EXPECT_TRUE(favours("GenuineIntel", "avx512_bf16 amx_bf16 amx_tile"));
  EXPECT_TRUE(favours("AuthenticAMD", "avx512_bf16"));
  EXPECT_FALSE(favours("GenuineIntel", "avx512_bf16"));
  EXPECT_FALSE(favours("AuthenticAMD", ""));
}

TEST(Processor, HasNoBlanksAroundItsName) {
  EXPECT_EQ(
      read_processor(root_with("processor\t: 0\nmodel\t\t: 17\nmodel name\t: Some Processor 9000 @ 3 GHz \n")).name,
      "Some Processor 9000 @ 3 GHz");
}

TEST(Processor, IsUnknownWhereTheKernelDoesNotSay) {
  EXPECT_EQ(read_processor(root_with("model name\t:\n")).name, "unknown");
  EXPECT_EQ(read_processor("/nowhere/at/all").name, "unknown");
  EXPECT_TRUE(read_processor("/nowhere/at/all").features.empty());
}

}  // namespace
}  // namespace tinylm
