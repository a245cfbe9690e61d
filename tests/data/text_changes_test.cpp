#include "data/text_changes.h"

#include <gtest/gtest.h>

#include "dataset_test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

class TextChanges : public DatasetTest {
 protected:
  void SetUp() override {
    DatasetTest::SetUp();
    text_ = write("a.txt", "abcabcabc");
    val_ = write("val.txt", "cabcab");
    TextOptions options = options_for(text_);
    options.val = val_.string();
    manifest_ = DatasetManifest::read(prepare(options).folder());
  }
  void touch(const fs::path& file) { fs::last_write_time(file, fs::last_write_time(file) + std::chrono::hours(1)); }

  fs::path text_, val_;
  DatasetManifest manifest_;
};

TEST_F(TextChanges, AreNoneAtFirst) {
  EXPECT_TRUE(changed_texts(manifest_).empty());
}

TEST_F(TextChanges, NameTheFileOfAnotherSize) {
  write("a.txt", "abcabcabcabc");
  EXPECT_EQ(changed_texts(manifest_), std::vector<fs::path>{text_});
}

TEST_F(TextChanges, NameTheFileOfAnotherContentAsLong) {
  write("val.txt", "cabcaa");
  touch(val_);
  EXPECT_EQ(changed_texts(manifest_), std::vector<fs::path>{val_});
}

TEST_F(TextChanges, PassOverAFileThatWasWrittenAgainAsItWas) {
  touch(text_);
  EXPECT_TRUE(changed_texts(manifest_).empty());
}

TEST_F(TextChanges, PassOverAFileThatIsGone) {
  fs::remove(text_);
  EXPECT_TRUE(changed_texts(manifest_).empty());
  write("val.txt", "cab");
  EXPECT_EQ(changed_texts(manifest_), std::vector<fs::path>{val_});
}

}  // namespace
}  // namespace tinylm
