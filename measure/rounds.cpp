#include "measure/rounds.h"

#include <algorithm>
#include <utility>

namespace tinylm {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

Rounds::Rounds(std::vector<TimedCase> cases, std::function<double()> probe_s)
    : cases_(std::move(cases)), probe_s_(std::move(probe_s)) {
  for (const TimedCase& one : cases_) samples_[one.name];
}

double Rounds::probe() {
  const double seconds = probe_s_();
  shortest_probe_s_ = std::min(shortest_probe_s_, seconds);
  return seconds;
}

void Rounds::run(int rounds, const std::function<bool()>& stop,
                 const std::function<void(int round, const std::string& name)>& on_progress) {
  std::vector<std::function<double()>> timers;
  for (const TimedCase& one : cases_) {
    if (stop()) return;
    on_progress(0, one.name);
    timers.push_back(one.prepare());
    timers.back()();
  }
  for (int round = 1; round <= rounds; ++round) {
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (stop()) return;
      on_progress(round, cases_[i].name);
      const double before_s = probe();
      const double seconds = timers[i]();
      if (stop()) return;  // what was stopped on its way tells nothing
      const double slower_probe_s = cases_[i].steady ? 0.0 : std::max(before_s, probe());
      samples_[cases_[i].name].push_back({seconds, slower_probe_s});
    }
  }
}

std::optional<Timing> Rounds::timing(const std::string& name) const {
  std::vector<double> all, kept;
  for (const Sample& sample : samples_.at(name)) {
    all.push_back(sample.seconds);
    if (is_kept(sample)) kept.push_back(sample.seconds);
  }
  if (all.empty()) return std::nullopt;
  return Timing{median(kept.empty() ? all : kept), static_cast<int>(kept.size()), static_cast<int>(all.size())};
}

std::optional<double> Rounds::ratio(const std::string& over, const std::string& under) const {
  const std::vector<Sample>&a = samples_.at(over), &b = samples_.at(under);
  std::vector<double> all, kept;
  for (std::size_t round = 0; round < std::min(a.size(), b.size()); ++round) {
    all.push_back(a[round].seconds / b[round].seconds);
    if (is_kept(a[round]) && is_kept(b[round])) kept.push_back(all.back());
  }
  if (all.empty()) return std::nullopt;
  return median(kept.empty() ? all : kept);
}

}  // namespace tinylm
