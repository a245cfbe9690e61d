#include "measure/bare_program.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <stdexcept>

#include "core/errors.h"
#include "measure/training_memory.h"
#include "test_support.h"
#include "testing/script.h"

namespace tinylm {
namespace {

std::filesystem::path bare(const std::string& body) {
  return testing::write_script(test::fresh_folder() / "bare_loop", body);
}

BenchShape tiny_shape() {
  BenchShape shape;
  shape.name = "tiny";
  shape.model.vocabulary_size = 65;
  shape.train.batch = 12;
  return shape;
}

TEST(BareProgram, GivesTheTimeOfOneOfManyAndTheMemory) {
  BareProgram program(bare("read -r n; echo seconds 6.0 memory_bytes 1234; read -r n"), tiny_shape());
  program.start();
  EXPECT_EQ(program.mean_s(3), 2.0);
  EXPECT_EQ(program.memory_bytes(), 1234u);
}

TEST(BareProgram, IsToldThreadsAndModel) {
  BenchShape shape = tiny_shape();
  shape.model.activation = ActivationKind::kSquaredRelu;
  shape.model.tied_embeddings = false;
  const std::string wanted = "--on-demand " + std::to_string(omp_get_max_threads()) + " relu2 own 65 4 4 128 64 12";
  BareProgram program(bare("[ \"$*\" = '" + wanted + "' ] || exit 9\n" + testing::kBareScript), shape);
  program.start();
  EXPECT_EQ(program.mean_s(1), 1.0);
}

TEST(BareProgram, HasNoneButTheTextbooksModel) {
  BenchShape shape = tiny_shape();
  shape.model.positions = "rope";
  EXPECT_THROW(bare_arguments(shape), std::invalid_argument);
  shape = tiny_shape();
  shape.model.kv_heads = 2;
  EXPECT_THROW(bare_arguments(shape), std::invalid_argument);
}

TEST(BareProgram, TellsOpenBlasTheProcessorUnlessSomebodyDid) {
  Processor processor;
  EXPECT_EQ(openblas_core(processor), "");
  processor.features = {"avx2"};
  EXPECT_EQ(openblas_core(processor), "Haswell");
  processor.features = {"avx2", "avx512f"};
  EXPECT_EQ(openblas_core(processor), "SkylakeX");
  ::setenv("OPENBLAS_CORETYPE", "Zen", 1);
  BareProgram program(bare("[ \"$OPENBLAS_CORETYPE\" = Zen ] || exit 9\n" + std::string(testing::kBareScript)),
                      tiny_shape());
  program.start();
  ::unsetenv("OPENBLAS_CORETYPE");
  EXPECT_EQ(program.mean_s(1), 1.0);
}

TEST(BareProgram, IsNamedWhenItAnswersOtherwise) {
  BareProgram program(bare("read -r n; echo no idea; read -r n"), tiny_shape());
  program.start();
  const std::string message = test::message_of<FileError>([&] { program.mean_s(1); });
  expect_contains(message, "bare_loop' answered \"no idea\"");
}

TEST(BareProgram, IsNamedWhenItEnds) {
  BareProgram program(bare("read -r n; exit 7"), tiny_shape());
  program.start();
  const std::string message = test::message_of<FileError>([&] { program.mean_s(1); });
  expect_contains(message, "bare_loop' ended with exit code 7");
}

TEST(TrainingMemory, IsWhatTrainingTakesAboveTheStartedProgram) {
  const auto peak = testing::write_script(test::fresh_folder() / "peak_memory", testing::kPeakScript);
  EXPECT_EQ(training_memory_bytes({peak, "tinylm"}, tiny_shape()), 2000u * 1024u);
}

TEST(TrainingMemory, IsNotMadeUpWhenTrainingFails) {
  const auto peak = testing::write_script(test::fresh_folder() / "peak_memory", "echo 1000 >&2; exit 4");
  EXPECT_THROW(training_memory_bytes({peak, "tinylm"}, tiny_shape()), FileError);
}

}  // namespace
}  // namespace tinylm
