// Times several pieces of work in interleaved rounds, and drops what was timed while the machine was slow: other
// programs, or other guests of the same host, slow a machine down for seconds to minutes without showing in its load.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tinylm {

struct TimedCase {
  std::string name;
  /// Makes what is timed and gives the function that times it once, in seconds of one unit of its work (or measures it
  /// otherwise: in bytes). Called once, before the first round.
  std::function<std::function<double()>()> prepare;
  std::uint64_t kept_bytes = 0;        // memory that it holds from then on
  std::uint64_t working_bytes = 0;     // memory that it needs besides while it is timed
  std::filesystem::path program = {};  // another program that it runs; "": none
  bool steady = false;                 // does not depend on how fast the machine is: every round is kept
};

/// Seconds of one case: the median of its rounds, of those kept or, when none was, of all. Nothing before a round.
struct Timing {
  double median_s = 0.0;
  int kept = 0, rounds = 0;
};

class Rounds {
 public:
  /// `probe_s` times a short piece of work that shows the speed of the machine: it is called before and after each
  /// case of each round, and the round is dropped for that case when one of the two took more than 1 / kSlow of the
  /// shortest probe of all.
  Rounds(std::vector<TimedCase> cases, std::function<double()> probe_s);

  /// Times every case once a round, after each was run once to warm up, until `stop` says so. `on_progress` is told the
  /// round (0: warming up) and the case before each.
  void run(int rounds, const std::function<bool()>& stop,
           const std::function<void(int round, const std::string& name)>& on_progress);

  /// Throws std::out_of_range for a name that no case has.
  std::optional<Timing> timing(const std::string& name) const;
  /// The median over the rounds kept for both (or, when there is none, over all) of this one's time over the other's.
  std::optional<double> ratio(const std::string& over, const std::string& under) const;

  static constexpr double kSlow = 0.8;

 private:
  struct Sample {
    double seconds, slower_probe_s;
  };
  /// Whether the machine was quick when `sample` was taken.
  bool is_kept(const Sample& sample) const { return sample.slower_probe_s * kSlow <= shortest_probe_s_; }
  double probe();

  std::vector<TimedCase> cases_;
  std::function<double()> probe_s_;
  double shortest_probe_s_ = 1e9;
  std::map<std::string, std::vector<Sample>> samples_;  // of each case, one a round
};

/// Of at least one value; the mean of the middle two of an even number.
double median(std::vector<double> values);

}  // namespace tinylm
