#include "cli/sample_printer.h"

#include <gtest/gtest.h>

#include <sstream>

namespace tinylm {
namespace {

TEST(SamplePrinter, ShowsTheFirstTextAsItComes) {
  std::ostringstream out;
  SamplePrinter printer(out, "P ", 2, false);
  EXPECT_EQ(out.str(), "P ");
  printer.add(1, "other");
  printer.add(0, "a");
  EXPECT_EQ(out.str(), "P a");
  printer.add(0, "b");
  EXPECT_EQ(out.str(), "P ab");
}

TEST(SamplePrinter, ShowsLaterTextsInTheirOrderWheneverTheyEnd) {
  std::ostringstream out;
  SamplePrinter printer(out, "P ", 4, false);
  printer.add(2, "two");
  printer.end(2);
  printer.end(1);  // it stayed empty
  printer.add(0, "zero");
  EXPECT_EQ(out.str(), "P zero");
  printer.end(0);
  EXPECT_EQ(out.str(), "P zero\nP \nP two\n");
  printer.add(3, "three");
  printer.end(3);
  EXPECT_EQ(out.str(), "P zero\nP \nP two\nP three\n");
}

TEST(SamplePrinter, BeginsNoTextThatNeverCame) {
  std::ostringstream out;
  SamplePrinter printer(out, "P ", 3, false);
  printer.end(0);
  EXPECT_EQ(out.str(), "P \n");
}

}  // namespace
}  // namespace tinylm
