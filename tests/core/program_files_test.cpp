#include "core/program_files.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "core/files.h"
#include "test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;
using test::fresh_folder;
using test::message_of;

TEST(ProgramFiles, KnowTheFolderOfTheProgram) {
  EXPECT_TRUE(fs::exists(executable_folder() / "core_tests"));
}

TEST(ProgramFiles, AreFoundBesideTheProgramOfABuild) {
  const fs::path build = fresh_folder();
  write_atomically(build / "share/tinylm/corpus/text", "x");
  write_atomically(build / "lib/x86_64-linux-gnu/tinylm/part.so", "x");
  EXPECT_EQ(shared_file("corpus", build), build / "share/tinylm/corpus");
  EXPECT_EQ(library_file("part.so", build), build / "lib/x86_64-linux-gnu/tinylm/part.so");
}

TEST(ProgramFiles, AreFoundAboveTheProgramOfAnInstallation) {
  const fs::path prefix = fresh_folder();
  write_atomically(prefix / "share/tinylm/corpus/text", "x");
  write_atomically(prefix / "lib64/tinylm/part.so", "x");
  EXPECT_EQ(shared_file("corpus", prefix / "bin"), prefix / "share/tinylm/corpus");
  EXPECT_EQ(library_file("part.so", prefix / "bin"), prefix / "lib64/tinylm/part.so");
}

TEST(ProgramFiles, AreMissedWithThePlacesLookedIn) {
  const fs::path prefix = fresh_folder();
  EXPECT_EQ(message_of<FileError>([&] { shared_file("corpus", prefix / "bin"); }),
            "'corpus', which comes with the program, is missing; build or install it again. Looked for:\n  " +
                (prefix / "bin/share/tinylm/corpus").string() + "\n  " + (prefix / "share/tinylm/corpus").string());
  EXPECT_EQ(message_of<FileError>([&] { library_file("part.so", prefix / "bin"); }),
            "'part.so', which comes with the program, is missing; build or install it again. Looked for:\n  " +
                (prefix / "bin/lib/tinylm/part.so").string() + "\n  " + (prefix / "lib/tinylm/part.so").string());
}

class Presets : public ::testing::Test {
 protected:
  Presets() : program_(fresh_folder()) {
    for (const char* name : {"names.toml", "demo.toml", "shakespeare-tiny.toml", "README.md"}) {
      write_atomically(program_ / "share/tinylm/configs" / name, "");
    }
  }
  const fs::path program_;
};

TEST_F(Presets, AreListedByName) {
  EXPECT_EQ(preset_names(program_), (std::vector<std::string>{"demo", "names", "shakespeare-tiny"}));
}

TEST_F(Presets, AreFoundByName) {
  EXPECT_EQ(preset_file("demo", program_), program_ / "share/tinylm/configs/demo.toml");
}

TEST_F(Presets, SuggestTheNearestName) {
  EXPECT_EQ(message_of<WrongUse>([&] { preset_file("dmeo", program_); }),
            "there is no preset 'dmeo'; did you mean 'demo'?\nPresets: demo names shakespeare-tiny\n"
            "A file of your own is given with --config FILE");
  EXPECT_EQ(message_of<WrongUse>([&] { preset_file("../demo.toml-of-mine", program_); }),
            "there is no preset '../demo.toml-of-mine'\nPresets: demo names shakespeare-tiny\n"
            "A file of your own is given with --config FILE");
}

}  // namespace
}  // namespace tinylm
