#include "core/instruction_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/vectorised.h"

namespace tinylm {
namespace {

float dot(const float* a, const float* b, std::int64_t count) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/// 1 * 0 + 1 * 1 + ... + 1 * (count - 1), exact in float32.
float sum_below(std::int64_t count) {
  std::vector<float> ones(static_cast<std::size_t>(count), 1.0F), numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i));
  return vectorised<dot>(static_cast<const float*>(ones.data()), static_cast<const float*>(numbers.data()), count);
}

TEST(InstructionSet, IsTheBestOneByItself) {
  EXPECT_EQ(available_instruction_sets().front(), InstructionSet::kBaseline);
  EXPECT_EQ(available_instruction_sets().back(), detected_instruction_set());
  if (std::getenv("TINYLM_MAX_ISA") == nullptr) {
    EXPECT_EQ(instruction_set(), detected_instruction_set());
  }
}

TEST(InstructionSet, IsLoweredByALimitWhileItLives) {
  const InstructionSet before = instruction_set();
  {
    const InstructionSetLimit limit(InstructionSet::kBaseline);
    EXPECT_EQ(instruction_set(), InstructionSet::kBaseline);
  }
  EXPECT_EQ(instruction_set(), before);
}

TEST(InstructionSet, IsNeverAboveWhatTheProcessorHas) {
  const InstructionSetLimit limit(InstructionSet::kAvx512);
  EXPECT_LE(instruction_set(), detected_instruction_set());
}

TEST(InstructionSet, HasANameForEachLevel) {
  EXPECT_STREQ(name_of(InstructionSet::kBaseline), "baseline");
  EXPECT_STREQ(name_of(InstructionSet::kAvx2), "avx2");
  EXPECT_STREQ(name_of(InstructionSet::kAvx512), "avx512");
}

TEST(InstructionSetDeathTest, FollowsTheEnvironment) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // a fresh process, which reads the variable anew
  ::setenv("TINYLM_MAX_ISA", "baseline", 1);
  EXPECT_EXIT(std::exit(instruction_set() == InstructionSet::kBaseline ? 0 : 1), ::testing::ExitedWithCode(0), "");
  ::setenv("TINYLM_MAX_ISA", "mmx", 1);
  const auto print_error = [] {
    try {
      instruction_set();
    } catch (const WrongUse& error) {
      std::fprintf(stderr, "%s", error.what());
      std::exit(2);
    }
  };
  EXPECT_EXIT(print_error(), ::testing::ExitedWithCode(2),
              "TINYLM_MAX_ISA must be baseline, avx2 or avx512, found \"mmx\"");
  ::unsetenv("TINYLM_MAX_ISA");
}

TEST(Vectorised, GivesTheFunctionsResultAtEachLevel) {
  for (const InstructionSet set : available_instruction_sets()) {
    const InstructionSetLimit limit(set);
    for (const std::int64_t count : {0, 1, 15, 16, 17, 1000})
      EXPECT_EQ(sum_below(count), static_cast<float>(count * (count - 1) / 2)) << name_of(set) << " " << count;
  }
}

}  // namespace
}  // namespace tinylm
