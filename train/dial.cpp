#include "train/dial.h"

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/numbers.h"
#include "train/pace.h"
#include "train/schedule.h"

namespace tinylm {
namespace {

/// A size of model, with the tokens of training from which on it learns more than the size before it, and the tokens
/// of text below which it learns the text by heart.
struct Rung {
  std::int64_t layers, width, context, batch;
  double tokens, text_tokens;
};
constexpr Rung kLadder[] = {
    {1, 32, 16, 8, 0.0, 0.0},       {2, 64, 64, 12, 0.0, 2e3},      {4, 128, 64, 12, 0.3e6, 30e3},
    {4, 128, 128, 16, 1.0e6, 60e3}, {6, 192, 256, 8, 3.5e6, 300e3}, {6, 256, 256, 8, 5.0e6, 600e3},
    {6, 384, 256, 8, 7.0e6, 900e3}, {8, 512, 256, 16, 30e6, 10e6},
};

constexpr double kMeasureShare = 0.01, kMeasureMost_s = 0.5;  // of the whole time, a size's measurement
constexpr double kEvaluationsASecond = 3.0;                   // evaluating a token takes a third of training on it
constexpr double kEvaluationShare = 0.1;                      // of the whole time that one evaluation may take
constexpr double kSlowestTokensPerS = 10e3;                   // assumed before anything is measured
constexpr std::int64_t kMostCharacters = 512;
constexpr double kSaveEveryMinutes = 10.0;

/// Heads of 32 numbers where that goes, else the nearest larger size that divides the width.
std::int64_t heads_for(std::int64_t width) {
  for (std::int64_t size = 32; size < width; ++size)
    if (width % size == 0 && size % 2 == 0) return width / size;
  return 1;
}

/// The probability of dropout for a text that is read `times` over.
double dropout_for(double times) {
  return times < 3.0 ? 0.0 : times < 10.0 ? 0.05 : times < 20.0 ? 0.1 : 0.2;
}

/// The least multiple of `heads` that is at least `width`, with heads of an even size, as rotary positions need.
std::int64_t width_for(std::int64_t width, std::int64_t heads) {
  const std::int64_t pairs = 2 * std::max<std::int64_t>(1, heads);
  return (width + pairs - 1) / pairs * pairs;
}

/// What is set by hand stays.
void take(const Dial& dial, const Rung& rung, ModelConfig& model, TrainOptions& options) {
  const auto set = [&](const char* key, std::int64_t& field, std::int64_t value) {
    if (dial.is_free(key)) field = value;
  };
  set("layers", model.layers, rung.layers);
  set("width", model.width, rung.width);
  set("context", model.context, rung.context);
  fit_heads(dial.is_free, model);
  set("batch", options.batch, rung.batch);
}

bool has_free_size(const Dial& dial) {
  return dial.is_free("layers") || dial.is_free("width") || dial.is_free("context") || dial.is_free("batch");
}

/// A size, measured.
struct Measured {
  ModelConfig model;
  TrainOptions options;
  double step_s = 0.0;

  double tokens_per_s() const { return static_cast<double>(options.batch * model.context) / step_s; }
};

std::string sizes_as_flags(const Measured& size) {
  return "--layers " + std::to_string(size.model.layers) + " --heads " + std::to_string(size.model.heads) +
         " --width " + std::to_string(size.model.width) + " --context " + std::to_string(size.model.context) +
         " --batch " + std::to_string(size.options.batch);
}

}  // namespace

void fit_heads(const std::function<bool(const std::string& key)>& is_free, ModelConfig& model) {
  if (is_free("heads")) {
    model.heads = heads_for(model.width);
  } else if (is_free("width")) {
    model.width = width_for(model.width, model.heads);
  }
}

std::vector<DialChoice> choose_split(const Dial& dial, std::uint64_t bytes, TextOptions& text) {
  if (!dial.is_free("val_fraction") || !text.val.empty()) return {};
  const double most_tokens = kEvaluationShare * dial.whole_s * kEvaluationsASecond * kSlowestTokensPerS;
  const double fraction = most_tokens / static_cast<double>(std::max<std::uint64_t>(1, bytes));
  if (fraction >= text.val_fraction) return {};
  text.val_fraction = fraction;
  return {{"--val-fraction " + shortest(fraction),
           "more than " + grouped(std::llround(most_tokens)) + " characters would take long to evaluate"}};
}

std::vector<DialChoice> choose_tokenizer(const Dial& dial, std::int64_t vocabulary_size, TokenizerOptions& tokenizer) {
  if (!dial.is_free("tokenizer") || tokenizer.tokenizer != "char" || vocabulary_size <= kMostCharacters) return {};
  tokenizer.tokenizer = "sentencepiece";
  return {{"--tokenizer sentencepiece --vocab-size " + std::to_string(tokenizer.vocab_size),
           "the text has " + grouped(vocabulary_size) + " different characters, many for a small model"}};
}

std::vector<DialChoice> choose_sizes(const Dial& dial, std::int64_t train_tokens, std::int64_t val_tokens,
                                     ModelConfig& model, TrainOptions& options) {
  const double measure_s = std::min(kMeasureMost_s, kMeasureShare * dial.whole_s);
  const auto text_tokens = static_cast<double>(train_tokens);
  Measured best;
  for (const Rung& rung : kLadder) {
    Measured size{model, options};
    take(dial, rung, size.model, size.options);
    if (dial.is_free("context"))
      size.model.context = std::min(size.model.context, std::max<std::int64_t>(1, train_tokens - 1));
    if (best.step_s > 0.0 && (text_tokens < rung.text_tokens || train_tokens <= size.model.context)) break;
    Problems problems;
    size.model.validate(problems);
    problems.throw_if_any();
    size.step_s = dial.measure_step_s(size.model, size.options, measure_s);
    if (best.step_s > 0.0 && size.tokens_per_s() * dial.left_s < rung.tokens) break;
    best = size;
    if (!has_free_size(dial)) break;
  }
  const double tokens = best.tokens_per_s() * dial.left_s, times = tokens / text_tokens;
  std::vector<DialChoice> choices = {{sizes_as_flags(best), "the largest size that learns most in the time, by " +
                                                                grouped(std::llround(best.tokens_per_s())) +
                                                                " tokens/s measured and " + grouped(train_tokens) +
                                                                " tokens of text"}};
  choices.push_back({"--optimizer " + options.optimizer + " --schedule " + options.schedule + " --learning-rate " +
                         shortest(options.learning_rate),
                     options.optimizer == "muon" ? "the recipe that learned most from as many tokens (docs/recipes.md)"
                                                 : "as the settings say"});
  if (dial.is_free("save_every_minutes")) {
    options.save_every_minutes = best.options.save_every_minutes = kSaveEveryMinutes;
    choices.push_back(
        {"--save-every-minutes " + shortest(kSaveEveryMinutes), "evaluations, which save too, may be further apart"});
  }
  if (dial.is_free("dropout")) {
    best.model.dropout = dropout_for(times);
    choices.push_back(
        {"--dropout " + shortest(best.model.dropout), "the text is read about " + fixed(times, 1) + " times over"});
  }
  model = best.model;
  options = best.options;
  const double evaluation_s = static_cast<double>(val_tokens) / (kEvaluationsASecond * best.tokens_per_s());
  const Pace pace = next_pace({}, 0, {dial.whole_s, dial.left_s, best.step_s, evaluation_s});
  if (pace.last_step < 1) {
    throw WrongUse("the time given is over before the first step: reading the text and measuring took " +
                   human_seconds(dial.whole_s - dial.left_s) + ", a step takes " + human_seconds(best.step_s) +
                   ", an evaluation " + human_seconds(evaluation_s) + "; give more --minutes, or less text");
  }
  options.steps = pace.last_step;
  options.eval_every = pace.next_evaluation;
  choices.push_back(
      {"--steps " + grouped(options.steps), "as many as fit in, at " + fixed(best.step_s * 1000.0, 1) +
                                                " ms each, beside evaluations; corrected as it goes, to end on time"});
  return choices;
}

}  // namespace tinylm
