#include "inspect/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include <gtest/gtest.h>

namespace tinylm {
namespace {

/// The terminal end of a pseudo-terminal, 77 columns wide.
class Terminal : public ::testing::Test {
 protected:
  void SetUp() override {
    controller_ = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_TRUE(controller_ >= 0 && grantpt(controller_) == 0 && unlockpt(controller_) == 0);
    terminal_ = open(ptsname(controller_), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal_, 0);
    const winsize size = {24, 77, 0, 0};
    ASSERT_EQ(ioctl(terminal_, TIOCSWINSZ, &size), 0);
    unsetenv("NO_COLOR");
    unsetenv("COLORTERM");
    setenv("TERM", "xterm", 1);
  }
  void TearDown() override {
    close(terminal_);
    close(controller_);
  }
  int controller_ = -1, terminal_ = -1;
};

TEST_F(Terminal, ColorDepthFollowsTheEnvironment) {
  EXPECT_EQ(color_depth_of_terminal(terminal_), ColorDepth::kAscii);
  setenv("TERM", "xterm-256color", 1);
  EXPECT_EQ(color_depth_of_terminal(terminal_), ColorDepth::k256Colors);
  setenv("COLORTERM", "truecolor", 1);
  EXPECT_EQ(color_depth_of_terminal(terminal_), ColorDepth::k24Bit);
}

TEST_F(Terminal, NoColorMeansAscii) {
  setenv("COLORTERM", "truecolor", 1);
  setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(color_depth_of_terminal(terminal_), ColorDepth::kAscii);
}

TEST_F(Terminal, HasItsOwnColumns) {
  EXPECT_EQ(columns_of_terminal(terminal_), 77U);
}

TEST_F(Terminal, WhatIsNoTerminalIsPlain) {
  setenv("COLORTERM", "truecolor", 1);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(color_depth_of_terminal(ends[1]), ColorDepth::kAscii);
  EXPECT_EQ(columns_of_terminal(ends[1], 120), 120U);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace tinylm
