// Lets the model write a few words now and then while it is trained, and keeps them in samples.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>

#include "model/model.h"
#include "tokenizer/tokenizer.h"
#include "train/observer.h"
#include "train/sample_file.h"

namespace tinylm {

/// When samples are drawn.
struct SampleTimes {
  static constexpr std::int64_t kAtEvaluations = -1;
  std::int64_t every = kAtEvaluations;  // steps; 0: never
};

/// Draws a text that begins from nothing, at temperature 0.8, says it (spdlog) and appends it to the file. The text of
/// a step is a function of the weights, the seed and the step. Nothing about the training changes: draws have no state,
/// and the model is put back into the mode it was in. Throws FileError when the file cannot be written.
class SampleObserver : public Observer {
 public:
  /// Goes on after `step` (see truncate_metrics). `tokenizer` outlives the observer. Throws WrongUse for a model
  /// trained with attention_mask none, which cannot write.
  SampleObserver(std::filesystem::path file, std::int64_t step, LanguageModel model, const Tokenizer& tokenizer,
                 TokenId empty_prompt_id, SampleTimes times, std::uint64_t seed);
  void on_step(const StepReport& report) override;

 private:
  bool due(const StepReport& report) const;
  TrainingSample draw(std::int64_t step);

  std::filesystem::path file_;
  LanguageModel model_;
  const Tokenizer& tokenizer_;
  TokenId empty_prompt_id_;
  SampleTimes times_;
  std::uint64_t seed_;
};

}  // namespace tinylm
