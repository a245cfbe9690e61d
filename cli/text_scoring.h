// The side of `tinylm score` that scores a text: its flags, and what it prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "run/run.h"

namespace CLI {
class App;
}

namespace tinylm {

class TextScoring {
 public:
  /// Adds TEXT, --text, --stride, --tokens and --csv.
  void describe(CLI::App& app);
  /// Whether a text was named.
  bool given() const { return !texts_.empty() || !literal_.empty(); }
  const std::vector<std::string>& texts() const { return texts_; }
  const std::string& literal() const { return literal_; }
  /// 0: none was given.
  std::int64_t stride() const { return stride_.value_or(0); }
  /// Whether a list of tokens was asked for.
  bool lists_tokens() const { return tokens_ || !csv_.empty(); }
  /// Notes what cannot be meant; `tasks`: a file of tasks was named too, `json`: JSON was asked for.
  void validate(bool tasks, bool json, Problems& problems) const;
  /// Scores the text with a checkpoint of `run` and prints what it came to, as JSON or for people.
  void score(const Run& run, const LoadedModel& loaded, bool json) const;

 private:
  bool csv_on_output() const { return csv_ == "-"; }

  std::vector<std::string> texts_;
  std::string literal_, csv_;
  std::optional<std::int64_t> stride_;
  bool tokens_ = false;
};

}  // namespace tinylm
