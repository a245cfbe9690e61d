// Keeps what each head does while a model is trained, in heads.jsonl.
#pragma once

#include <filesystem>

#include "inspect/random_repeats.h"
#include "train/observer.h"

namespace tinylm {

/// At each evaluation a line of scores on a few random sequences that come twice (tracked_heads.h): always the same
/// ones, so that a change is the model's. Nothing about the training changes. Throws FileError when the file cannot be
/// written.
class HeadTracker : public Observer {
 public:
  /// Goes on after `step`: lines of later ones are removed. `tokenizer` outlives the tracker.
  HeadTracker(std::filesystem::path file, std::int64_t step, LanguageModel model, const Tokenizer& tokenizer);
  void on_step(const StepReport& report) override;

 private:
  std::filesystem::path file_;
  LanguageModel model_;
  const Tokenizer& tokenizer_;
};

}  // namespace tinylm
