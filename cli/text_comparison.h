// The side of `tinylm score` that compares two runs on a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/errors.h"
#include "data/text_source.h"
#include "model/model.h"
#include "sample/comparison_report.h"

namespace CLI {
class App;
}

namespace tinylm {

class TextComparison {
 public:
  /// Adds --compare and --seed.
  void describe(CLI::App& app);
  bool asked() const { return !runs_.empty(); }
  /// Notes what cannot be meant. `texts`: the TEXTs named, which have to be read twice; `others`: whether flags of a
  /// single run's score were given.
  void validate(const std::vector<std::string>& texts, bool others, Problems& problems) const;
  /// Scores the text that `texts` name, or `literal`, with both runs' checkpoints of this name. `stride` 0: each
  /// model's context.
  RunComparison compare(const std::vector<std::string>& texts, const std::string& literal, std::int64_t stride,
                        const std::string& checkpoint, Ops ops) const;

 private:
  std::vector<std::string> runs_;
  std::uint64_t seed_ = 0;
};

}  // namespace tinylm
