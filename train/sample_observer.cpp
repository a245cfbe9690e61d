#include "train/sample_observer.h"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/errors.h"
#include "core/utf8.h"
#include "sample/generator.h"
#include "train/metrics_file.h"

namespace tinylm {
namespace {

constexpr std::int64_t kMostTokens = 200;
constexpr double kMostSeconds = 5.0;  // of a large model, so that a sample stays small beside an evaluation
constexpr int kShownLines = 4;
constexpr std::size_t kShownColumns = 100;

/// The beginning of a text for people: a few lines, set in, long ones broken, without what a terminal would take for a
/// command.
std::string shown(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  int count = 0;
  for (std::string line; count < kShownLines && std::getline(lines, line);) {
    const std::string visible = utf8::visible(line);
    std::size_t begin = 0, end = 0;
    do {
      while (end < visible.size() && utf8::display_width(visible.substr(begin, end - begin)) < kShownColumns) {
        utf8::next(visible, end);
      }
      result += "\n    " + visible.substr(begin, end - begin);
      begin = end;
    } while (++count < kShownLines && end < visible.size());
  }
  return result;
}

}  // namespace

SampleObserver::SampleObserver(std::filesystem::path file, std::int64_t step, LanguageModel model,
                               const Tokenizer& tokenizer, TokenId empty_prompt_id, SampleTimes times,
                               std::uint64_t seed)
    : file_(std::move(file)),
      model_(std::move(model)),
      tokenizer_(tokenizer),
      empty_prompt_id_(empty_prompt_id),
      times_(times),
      seed_(seed) {
  truncate_metrics(file_, step);
  if (times_.every != 0 && model_->config().attention_mask == MaskKind::kNone) {
    throw WrongUse("a model with attention_mask none cannot write: give --sample-every 0");
  }
}

bool SampleObserver::due(const StepReport& report) const {
  if (times_.every == SampleTimes::kAtEvaluations) return report.evaluated;
  return times_.every > 0 && report.state.step % times_.every == 0;
}

TrainingSample SampleObserver::draw(std::int64_t step) {
  const bool training = model_->is_training();
  SamplerOptions sampler;
  sampler.seed = seed_;
  GenerateOptions options;
  options.max_tokens = kMostTokens;
  options.max_time = kMostSeconds;
  Generator generator(model_, tokenizer_, Sampler(sampler), empty_prompt_id_);
  const Generated text = generator.generate({empty_prompt_id_}, static_cast<std::uint64_t>(step), options);
  model_->train(training);
  model_->forget_decoder();  // steps need the memory
  return {step, "", text.text};
}

void SampleObserver::on_step(const StepReport& report) {
  if (!due(report)) return;
  const TrainingSample sample = draw(report.state.step);
  if (sample.text.empty()) return;  // it was told to stop
  std::ofstream file(file_, std::ios::app);
  file << sample_line(sample) + "\n" << std::flush;
  if (!file) throw FileError("cannot write " + file_.string() + ": " + std::strerror(errno));
  spdlog::info("step {} writes:{}", sample.step, shown(sample.text));
}

}  // namespace tinylm
