#include "inspect/terminal.h"

#include <unistd.h>

#include <cstdlib>

#include <gtest/gtest.h>

#include "testing/pseudo_terminal.h"

namespace tinylm {
namespace {

/// A pseudo-terminal, 77 columns wide.
class Terminal : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("NO_COLOR");
    unsetenv("COLORTERM");
    setenv("TERM", "xterm", 1);
  }
  testing::PseudoTerminal pseudo_{77};
  int terminal_ = pseudo_.terminal();
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

TEST_F(Terminal, ThatIsDumbHasNoColours) {
  setenv("COLORTERM", "truecolor", 1);
  setenv("TERM", "dumb", 1);
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
