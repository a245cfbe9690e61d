#include "train/step_timer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors.h"
#include "core/freed_memory.h"
#include "core/machine.h"
#include "core/philox.h"
#include "core/signals.h"
#include "core/stop_watch.h"
#include "data/token_file.h"
#include "train/evaluate.h"
#include "train/trainer.h"

namespace tinylm {
namespace {

/// Random token ids in a temporary file.
class RandomTokens {
 public:
  RandomTokens(const ModelConfig& config, std::uint64_t seed) : path_(temporary_folder() / name_of(seed)) {
    // Enough for windows at different places, and for as many as are evaluated at a time.
    const std::int64_t count = std::max(4 * (config.context + 1), evaluation_rows(config) * config.context + 1);
    const Philox random(seed, Purpose::kWindow);
    TokenFileWriter writer(path_, config.vocabulary_size, /*tokenizer_fingerprint=*/0);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto id = static_cast<TokenId>(random.below(static_cast<std::uint64_t>(config.vocabulary_size), 0, i));
      writer.append({&id, 1});
    }
    writer.finish();
    file_ = std::make_unique<TokenFile>(path_);
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);  // what is mapped stays; a kill leaves nothing behind
  }
  RandomTokens(const RandomTokens&) = delete;
  RandomTokens& operator=(const RandomTokens&) = delete;

  TokenRange all() const { return {file_.get(), 0, file_->size()}; }
  TokenRange none() const { return {file_.get(), 0, 0}; }

 private:
  static std::filesystem::path temporary_folder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) throw FileError("no folder for temporary files: " + error.message() + "; set TMPDIR to one");
    return folder;
  }
  /// A name that no other process uses at the same moment.
  static std::string name_of(std::uint64_t seed) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return "tinylm-plan-" + std::to_string(seed) + "-" + std::to_string(now) + ".tokens";
  }
  std::filesystem::path path_;
  std::unique_ptr<TokenFile> file_;
};

struct SpeedObserver : Observer {
  double tokens_per_s = 0.0;
  void on_step(const StepReport& report) override { tokens_per_s = report.tokens_per_s; }
};

/// `options` without an end, evaluations, or patience.
TrainOptions endless(TrainOptions options) {
  options.steps = std::numeric_limits<std::int32_t>::max();
  options.eval_every = options.patience = 0;
  options.minutes = 0.0;
  return options;
}

/// The median of steps of `samples` samples, at least one of them, after one to warm up.
double median_step_s(const LanguageModel& model, TrainOptions options, std::int64_t samples, double seconds) {
  options.batch = samples;
  options.accumulate = std::min(options.accumulate, samples);
  TimedTraining training(model, options);
  training.step_s();  // makes primitives and touches memory
  std::vector<double> measured;
  for (double spent_s = 0.0; measured.empty() || spent_s < seconds; spent_s += measured.back()) {
    measured.push_back(training.step_s());
    if (stop_signal() != 0) throw Error(static_cast<ExitCode>(128 + stop_signal()), "stopped while measuring");
  }
  const auto middle = measured.begin() + static_cast<std::ptrdiff_t>(measured.size() / 2);
  std::nth_element(measured.begin(), middle, measured.end());
  return *middle;
}

}  // namespace

struct TimedTraining::Parts {
  Parts(const LanguageModel& model, const TrainOptions& options)
      : tokens(model->config(), options.seed),
        trainer(model, make_optimizer(options, *model),
                BatchSource(tokens.all(), model->config().context, options.seed),
                EvaluationWindows(tokens.none(), model->config().context), options),
        speed(std::make_shared<SpeedObserver>()),
        learning_rate(options.learning_rate),
        tokens_per_step(static_cast<double>(options.batch * model->config().context)) {
    trainer.add_observer(speed);
  }
  RandomTokens tokens;
  Trainer trainer;
  std::shared_ptr<SpeedObserver> speed;
  double learning_rate, tokens_per_step;
};

TimedTraining::TimedTraining(const LanguageModel& model, const TrainOptions& options)
    : parts_(std::make_unique<Parts>(model, endless(options))) {}

TimedTraining::~TimedTraining() = default;

double TimedTraining::step_s() {
  parts_->trainer.run([] { return true; });
  return parts_->tokens_per_step / parts_->speed->tokens_per_s;
}

double TimedTraining::gradient_norm_s() {
  return seconds_of([this] { parts_->trainer.optimizer().gradient_norm(); });
}

void TimedTraining::evaluate() {
  const ModelConfig& config = parts_->trainer.model()->config();
  const std::int64_t rows = evaluation_rows(config);
  TokenRange range = parts_->tokens.all();
  range.count = std::min(range.count, rows * config.context + 1);
  LanguageModel model = parts_->trainer.model();
  tinylm::evaluate(model, EvaluationWindows(range, config.context), rows);
}

std::uint64_t measure_peak_bytes(const ModelConfig& config, const TrainOptions& options, Ops ops) {
  give_back_freed_memory();
  forget_peak_resident();
  const std::uint64_t before = resident_bytes();
  TimedTraining training(LanguageModel(config, options.seed, ops), options);
  for (int step = 0; step < 2; ++step) training.step_s();
  training.evaluate();
  const std::uint64_t peak = peak_resident_bytes();
  return peak > before ? peak - before : 0;
}

double TimedTraining::optimizer_s() {
  return seconds_of([this] { parts_->trainer.optimizer().step(1, parts_->learning_rate, 1.0); });
}

double measure_optimizer_s(const ModelConfig& config, const TrainOptions& options, Ops ops) {
  TrainOptions one_sample = options;
  one_sample.batch = one_sample.accumulate = 1;
  TimedTraining training(LanguageModel(config, options.seed, ops), one_sample);
  training.step_s();  // leaves gradients
  constexpr std::size_t kTimes = 5;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < kTimes; ++i) seconds.push_back(training.optimizer_s());
  std::nth_element(seconds.begin(), seconds.begin() + kTimes / 2, seconds.end());
  return seconds[kTimes / 2];
}

double measure_step_s(const ModelConfig& config, const TrainOptions& options, Ops ops, double seconds) {
  const LanguageModel model(config, options.seed, ops);
  const std::int64_t B = options.batch;
  const double one_s = median_step_s(model, options, 1, /*seconds=*/0.0);
  if (one_s * static_cast<double>(B) <= seconds) return median_step_s(model, options, B, seconds);
  // Of few samples most of the time is the step's own, so there are more of them as long as that is quick.
  std::int64_t few = 1, many = 1;
  double few_s = one_s, many_s = one_s;
  do {
    few = many;
    few_s = many_s;
    many = std::min(B, 4 * few);
    if (many == few) return few_s;
    many_s = median_step_s(model, options, many, /*seconds=*/0.0);
  } while (4.0 * many_s <= seconds);
  const double sample_s = std::max(0.0, many_s - few_s) / static_cast<double>(many - few);  // each further sample
  return many_s + static_cast<double>(B - many) * sample_s;
}

}  // namespace tinylm
