#include "core/errors.h"

#include <gtest/gtest.h>

#include "test_support.h"

namespace tinylm {
namespace {

TEST(Errors, CarryTheExitCodesThatScriptsRelyOn) {
  EXPECT_EQ(static_cast<int>(CheckFailed("").code()), 1);
  EXPECT_EQ(static_cast<int>(WrongUse("").code()), 2);
  EXPECT_EQ(static_cast<int>(BadInput("").code()), 3);
  EXPECT_EQ(static_cast<int>(FileError("").code()), 4);
  EXPECT_EQ(static_cast<int>(NotFinite("").code()), 5);
  EXPECT_EQ(static_cast<int>(MemoryError("").code()), 6);
  EXPECT_EQ(static_cast<int>(ExitCode::kInterrupted), 130);
  EXPECT_EQ(static_cast<int>(ExitCode::kTerminated), 143);
}

TEST(Problems, ReportsAllProblemsAtOnce) {
  Problems problems;
  problems.require(1 > 2, "first");
  problems.require(2 > 1, "not this one");
  problems.add("second");
  EXPECT_EQ(test::message_of<WrongUse>([&] { problems.throw_if_any(); }), "first\nsecond");
}

TEST(Problems, AreSilentWhenThereAreNone) {
  EXPECT_NO_THROW(Problems().throw_if_any());
}

}  // namespace
}  // namespace tinylm
