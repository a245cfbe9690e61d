#include "measure/rounds.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tinylm {
namespace {

/// A case that takes the given seconds, round by round, after a warm-up that takes ages.
TimedCase takes(const std::string& name, std::vector<double> seconds) {
  return {name, [seconds] {
            return [seconds, call = std::size_t{0}]() mutable { return call++ == 0 ? 100.0 : seconds[call - 2]; };
          }};
}

/// A probe that takes the given times, then 1 s.
std::function<double()> probes(std::vector<double> seconds) {
  return [seconds, call = std::size_t{0}]() mutable { return call < seconds.size() ? seconds[call++] : 1.0; };
}

const auto kNever = [] { return false; };
const auto kNobody = [](int, const std::string&) {};

TEST(Rounds, GiveTheMedianWithoutTheWarmUp) {
  Rounds rounds({takes("a", {5.0, 1.0, 2.0})}, probes({}));
  rounds.run(3, kNever, kNobody);
  EXPECT_EQ(rounds.timing("a")->median_s, 2.0);
  EXPECT_EQ(rounds.timing("a")->kept, 3);
}

TEST(Rounds, TakeTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({4.0, 1.0, 2.0, 100.0}), 3.0);
}

TEST(Rounds, DropWhatWasTimedWhileTheMachineWasSlow) {
  // Probes before and after round 1, 2, 3: the second is slow before, the third after.
  Rounds rounds({takes("a", {2.0, 8.0, 9.0})}, probes({1.0, 1.0, 2.0, 1.0, 1.0, 1.3}));
  rounds.run(3, kNever, kNobody);
  EXPECT_EQ(rounds.timing("a")->median_s, 2.0);
  EXPECT_EQ(rounds.timing("a")->kept, 1);
  EXPECT_EQ(rounds.timing("a")->rounds, 3);
}

TEST(Rounds, KeepWhatDoesNotDependOnTheSpeedOfTheMachine) {
  TimedCase steady = takes("a", {2.0, 4.0});
  steady.steady = true;
  Rounds rounds({steady, takes("b", {1.0, 1.0})}, probes({1.0, 9.0, 9.0, 9.0, 9.0, 9.0}));
  rounds.run(2, kNever, kNobody);
  EXPECT_EQ(rounds.timing("a")->kept, 2);
  EXPECT_EQ(rounds.timing("b")->kept, 0);
}

TEST(Rounds, JudgeEarlyRoundsByProbesThatCameLater) {
  Rounds rounds({takes("a", {9.0, 2.0})}, probes({2.0, 2.0, 1.0, 1.0}));
  rounds.run(2, kNever, kNobody);
  EXPECT_EQ(rounds.timing("a")->median_s, 2.0);
}

TEST(Rounds, TakeAllRoundsWhenNoneWasQuick) {
  Rounds rounds({takes("a", {4.0}), takes("b", {2.0})}, probes({3.0, 3.0, 1.0, 1.0}));
  rounds.run(1, kNever, kNobody);
  EXPECT_EQ(rounds.timing("a")->median_s, 4.0);
  EXPECT_EQ(rounds.timing("a")->kept, 0);
}

TEST(Rounds, CompareCasesWithinARound) {
  // The machine halves its speed in the second round; medians of each alone would say 3 / 2.
  Rounds rounds({takes("a", {2.0, 4.0, 3.0}), takes("b", {1.0, 2.0, 3.0})}, probes({}));
  rounds.run(3, kNever, kNobody);
  EXPECT_EQ(rounds.ratio("a", "b"), 2.0);
}

TEST(Rounds, CompareOnlyRoundsKeptForBoth) {
  // a, b of round 1 quick; a of round 2 slow.
  Rounds rounds({takes("a", {2.0, 50.0}), takes("b", {1.0, 1.0})}, probes({1.0, 1.0, 1.0, 1.0, 5.0, 1.0}));
  rounds.run(2, kNever, kNobody);
  EXPECT_EQ(rounds.ratio("a", "b"), 2.0);
}

TEST(Rounds, StopWithWhatThereIs) {
  bool asked = false;
  Rounds rounds({takes("a", {2.0, 3.0}), takes("b", {1.0, 1.0})}, probes({}));
  rounds.run(
      2, [&] { return asked; }, [&](int round, const std::string& name) { asked = round == 2 && name == "a"; });
  EXPECT_EQ(rounds.timing("a")->rounds, 1);
  EXPECT_EQ(rounds.timing("b")->rounds, 1);
}

TEST(Rounds, HaveNothingToSayBeforeTheFirst) {
  Rounds rounds({takes("a", {})}, probes({}));
  EXPECT_FALSE(rounds.timing("a").has_value());
  EXPECT_FALSE(rounds.ratio("a", "a").has_value());
  EXPECT_THROW(rounds.timing("b"), std::out_of_range);
}

}  // namespace
}  // namespace tinylm
