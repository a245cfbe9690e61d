#include "data/batch.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "core/errors.h"
#include "core/philox.h"
#include "data_test_support.h"

namespace tinylm {
namespace {

std::vector<std::int64_t> values(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.contiguous();
  return {flat.data_ptr<std::int64_t>(), flat.data_ptr<std::int64_t>() + flat.numel()};
}

/// A file with the ids 0, 1, 2, ..., so that an id tells its place.
class BatchTest : public FolderTest {
 protected:
  TokenRange counting_file(std::int64_t count) {
    std::vector<TokenId> ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    TokenFileWriter writer(folder_ / "t", count, 0);
    writer.append(ids);
    writer.finish();
    file_ = std::make_unique<TokenFile>(folder_ / "t");
    return {file_.get(), 0, count};
  }

  std::unique_ptr<TokenFile> file_;
};

TEST_F(BatchTest, ShiftsTargetsByOne) {
  const std::int64_t start = 7, red = 1, fox = 2, end = 8;
  const Batch batch = shift_targets(torch::tensor({start, red, fox, end}, torch::kInt64).view({1, 4}), 5);
  EXPECT_EQ(values(batch.inputs), (std::vector<std::int64_t>{start, red, fox}));
  EXPECT_EQ(values(batch.targets), (std::vector<std::int64_t>{red, fox, end}));
  EXPECT_EQ(batch.first_sample, 5);
}

TEST_F(BatchTest, ShiftsEachRowForItself) {
  const Batch batch = shift_targets(torch::tensor({1, 2, 3, 4, 5, 6}, torch::kInt64).view({2, 3}));
  EXPECT_EQ(values(batch.inputs), (std::vector<std::int64_t>{1, 2, 4, 5}));
  EXPECT_EQ(values(batch.targets), (std::vector<std::int64_t>{2, 3, 5, 6}));
  EXPECT_TRUE(batch.inputs.is_contiguous() && batch.targets.is_contiguous());
  EXPECT_FALSE(batch.inputs.is_alias_of(batch.targets));
}

TEST_F(BatchTest, SamplesAreWindowsOfTheRange) {
  TokenRange range = counting_file(1000);
  range.first = 100;
  range.count = 500;
  const BatchSource source(range, 16, 42);
  const Batch batch = source.samples(0, 64);
  ASSERT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{64, 16}));
  ASSERT_EQ(batch.targets.sizes(), (std::vector<std::int64_t>{64, 16}));
  EXPECT_EQ(batch.inputs.dtype(), torch::kInt64);
  EXPECT_TRUE(torch::equal(batch.targets, batch.inputs + 1));  // consecutive ids: the text's next token
  EXPECT_TRUE(torch::equal(batch.inputs.narrow(1, 1, 15), batch.targets.narrow(1, 0, 15)));
  EXPECT_GE(batch.inputs.min().item<std::int64_t>(), 100);
  EXPECT_LT(batch.targets.max().item<std::int64_t>(), 600);
}

TEST_F(BatchTest, ASampleBeginsWhereItsNumberSays) {
  const TokenRange range = counting_file(1000);
  const Batch batch = BatchSource(range, 10, 42).samples(77, 3);
  const Philox random(42, Purpose::kWindow);
  for (std::int64_t b = 0; b < 3; ++b) {
    const auto place = static_cast<std::int64_t>(random.below(1000 - 10, static_cast<std::uint64_t>(77 + b), 0));
    EXPECT_EQ(batch.inputs[b][0].item<std::int64_t>(), place);
  }
}

TEST_F(BatchTest, ASampleIsTheSameInWhateverBatch) {
  const BatchSource source(counting_file(300), 8, 1);
  const Batch all = source.samples(0, 24);
  for (const std::int64_t B : {1, 5, 8}) {
    for (std::int64_t first = 0; first + B <= 24; first += B) {
      const Batch part = source.samples(first, B);
      EXPECT_EQ(part.first_sample, first);
      EXPECT_TRUE(torch::equal(part.inputs, all.inputs.narrow(0, first, B)));
      EXPECT_TRUE(torch::equal(part.targets, all.targets.narrow(0, first, B)));
    }
  }
}

TEST_F(BatchTest, AnotherSeedGivesOtherSamples) {
  const TokenRange range = counting_file(1000);
  EXPECT_FALSE(
      torch::equal(BatchSource(range, 8, 1).samples(0, 8).inputs, BatchSource(range, 8, 2).samples(0, 8).inputs));
}

TEST_F(BatchTest, EveryWindowIsDrawn) {
  const BatchSource source(counting_file(12), 8, 3);  // windows at 0, 1, 2, 3
  const Batch batch = source.samples(0, 200);
  const torch::Tensor places = batch.inputs.select(1, 0);
  for (std::int64_t place = 0; place < 4; ++place) EXPECT_GT((places == place).sum().item<std::int64_t>(), 20) << place;
  EXPECT_EQ(places.max().item<std::int64_t>(), 3);
}

TEST_F(BatchTest, TheSmallestRangeIsOneWindow) {
  const BatchSource source(counting_file(5), 4, 3);
  EXPECT_EQ(values(source.samples(0, 1).inputs), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST_F(BatchTest, PreparingSamplesChangesNone) {
  TokenRange range = counting_file(5000);
  range.first = 4000;
  range.count = 1000;
  const BatchSource source(range, 999, 3);  // the last place's window ends with the file
  const Batch before = source.samples(0, 20);
  source.prepare(0, 20);
  EXPECT_TRUE(torch::equal(source.samples(0, 20).inputs, before.inputs));
}

TEST_F(BatchTest, SamplesFarIntoARunAreTheSameAfterPagesWereReleased) {
  const BatchSource source(counting_file(5000), 8, 3);
  const Batch one = source.samples(2040, 20);
  EXPECT_TRUE(torch::equal(one.inputs, source.samples(2040, 20).inputs));
}

TEST_F(BatchTest, RefusesFewerTokensThanAWindow) {
  TokenRange range = counting_file(2000);
  range.count = 1024;
  EXPECT_EQ(message_of<BadInput>([&] { BatchSource(range, 1024, 1); }),
            "1,024 tokens found for training, at least context+1 = 1,025 needed: give more text or lower --context");
}

TEST_F(BatchTest, EvaluationPredictsEachTokenOnceInOrder) {
  TokenRange range = counting_file(50);
  range.first = 10;
  for (const std::int64_t context : {1, 3, 7, 39, 64}) {
    for (std::int64_t count = 2; count <= 40; ++count) {
      range.count = count;
      const EvaluationWindows windows(range, context);
      std::vector<std::int64_t> predicted;
      for (std::int64_t first = 0; first < windows.windows(); first += 4) {
        const Batch batch = windows.batch(first, 4);
        ASSERT_LE(batch.inputs.size(0), 4);
        EXPECT_EQ(batch.inputs.size(1), context);
        const auto inputs = values(batch.inputs), targets = values(batch.targets);
        for (std::size_t i = 0; i < targets.size(); ++i) {
          if (targets[i] == kIgnoredTarget) continue;
          EXPECT_EQ(targets[i], inputs[i] + 1);
          predicted.push_back(targets[i]);
        }
      }
      std::vector<std::int64_t> expected(static_cast<std::size_t>(count - 1));
      std::iota(expected.begin(), expected.end(), range.first + 1);
      EXPECT_EQ(predicted, expected) << context << " " << count;
      EXPECT_EQ(windows.predicted_tokens(), count - 1);
    }
  }
}

TEST_F(BatchTest, SlidingWindowsPredictEachTokenOnceFromEnoughBeforeIt) {
  TokenRange range = counting_file(50);
  range.first = 10;
  for (const auto& [context, stride] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {3, 1}, {3, 2}, {7, 3}, {7, 6}, {7, 7}, {39, 5}, {64, 20}}) {
    for (std::int64_t count = 2; count <= 40; ++count) {
      range.count = count;
      const EvaluationWindows windows(range, context, stride);
      std::vector<std::int64_t> predicted;
      for (std::int64_t first = 0; first < windows.windows(); first += 4) {
        const Batch batch = windows.batch(first, 4);
        for (std::int64_t b = 0; b < batch.inputs.size(0); ++b) {
          const auto inputs = values(batch.inputs[b]), targets = values(batch.targets[b]);
          for (std::int64_t t = 0; t < context; ++t) {
            const std::int64_t target = targets[static_cast<std::size_t>(t)];
            if (target == kIgnoredTarget) continue;
            predicted.push_back(target);
            EXPECT_EQ(target, inputs[static_cast<std::size_t>(t)] + 1);
            EXPECT_EQ(target, inputs.front() + t + 1) << "a window is a piece of the text";
            EXPECT_TRUE(first + b == 0 || t + 1 >= context - stride + 1);
          }
        }
      }
      std::vector<std::int64_t> expected(static_cast<std::size_t>(count - 1));
      std::iota(expected.begin(), expected.end(), range.first + 1);
      EXPECT_EQ(predicted, expected) << context << " " << stride << " " << count;
    }
  }
}

TEST_F(BatchTest, SlidingWindowsCountOnlyTheLastOnesOfALaterWindow) {
  const EvaluationWindows windows(counting_file(8), 4, 2);  // 0..7, seven predicted
  ASSERT_EQ(windows.windows(), 3);
  const Batch batch = windows.batch(0, 10);
  const std::int64_t no = kIgnoredTarget;
  EXPECT_EQ(values(batch.inputs), (std::vector<std::int64_t>{0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7}));
  EXPECT_EQ(values(batch.targets), (std::vector<std::int64_t>{1, 2, 3, 4, no, no, 5, 6, no, no, 7, no}));
}

TEST_F(BatchTest, EvaluationPadsAPartialWindowWithoutTargets) {
  TokenRange range = counting_file(20);
  range.first = 3;
  range.count = 6;  // ids 3..8, five predicted: windows [3 4 5 6], [7 8 0 0] with context 4
  const EvaluationWindows windows(range, 4);
  ASSERT_EQ(windows.windows(), 2);
  const Batch batch = windows.batch(0, 10);
  EXPECT_EQ(values(batch.inputs), (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 0, 0}));
  EXPECT_EQ(values(batch.targets),
            (std::vector<std::int64_t>{4, 5, 6, 7, 8, kIgnoredTarget, kIgnoredTarget, kIgnoredTarget}));
}

TEST_F(BatchTest, EvaluationOfASinglePartialWindowLeavesItsInputsAlone) {
  TokenRange range = counting_file(20);
  range.first = 3;
  range.count = 3;
  const Batch batch = EvaluationWindows(range, 4).batch(0, 1);
  EXPECT_EQ(values(batch.inputs), (std::vector<std::int64_t>{3, 4, 5, 0}));
  EXPECT_EQ(values(batch.targets), (std::vector<std::int64_t>{4, 5, kIgnoredTarget, kIgnoredTarget}));
}

TEST_F(BatchTest, EvaluationOfFewerThanTwoTokensHasNoWindows) {
  TokenRange range = counting_file(20);
  for (const std::int64_t count : {0, 1}) {
    range.count = count;
    const EvaluationWindows windows(range, 4);
    EXPECT_EQ(windows.windows(), 0);
    EXPECT_EQ(windows.predicted_tokens(), 0);
  }
}

}  // namespace
}  // namespace tinylm
