#include "core/signals.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace tinylm {
namespace {

// Each test runs in a process of its own, because handlers and the noted signal belong to the whole process.
TEST(SignalsDeathTest, NoteTheFirstSignalAndGoOn) {
  const auto after_one = [](int signal) {
    catch_stop_signals();
    const bool none_before = stop_signal() == 0;
    std::raise(signal);
    std::_Exit(none_before && stop_signal() == signal ? 0 : 1);
  };
  EXPECT_EXIT(after_one(SIGINT), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(after_one(SIGTERM), ::testing::ExitedWithCode(0), "");
}

TEST(SignalsDeathTest, EndAtOnceOnTheSecondSignal) {
  const auto after_two = [](int first, int second) {
    catch_stop_signals();
    std::raise(first);
    std::raise(second);
    std::_Exit(0);
  };
  EXPECT_EXIT(after_two(SIGINT, SIGINT), ::testing::ExitedWithCode(130), "");
  EXPECT_EXIT(after_two(SIGINT, SIGTERM), ::testing::ExitedWithCode(143), "");
}

}  // namespace
}  // namespace tinylm
