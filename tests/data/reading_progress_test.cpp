#include "data/reading_progress.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "core/errors.h"
#include "core/signals.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

using ReadingProgressTest = FolderTest;
using ReadingProgressDeathTest = FolderTest;

TEST_F(ReadingProgressTest, LeavesTheTextAsItIs) {
  TextFiles text({write("a.txt", "one\ntwo\nthree\n")}, {}, false, 4);
  ReaderWithProgress reader("reading", text);
  std::string all;
  for (std::string piece; reader.next(piece);) all += piece;
  EXPECT_EQ(all, "one\ntwo\nthree\n");
  reader.rewind();
  std::string piece;
  EXPECT_TRUE(reader.next(piece));
  EXPECT_EQ(piece, "one\n");
}

TEST_F(ReadingProgressDeathTest, StopsTheWorkAfterASignal) {
  TextFiles text({write("a.txt", "one\n")}, {}, false);
  const auto stopped_work = [&] {
    catch_stop_signals();
    std::raise(SIGTERM);
    try {
      ReadingProgress("reading", text).update();
    } catch (const Error& error) {
      std::fprintf(stderr, "%s", error.what());
      std::_Exit(static_cast<int>(error.code()));
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(stopped_work(), ::testing::ExitedWithCode(143), "stopped by a signal while reading the text");
}

}  // namespace
}  // namespace tinylm
