// Everything that is known about one text in one model: what every output of `tinylm inspect` shows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "inspect/finding.h"
#include "inspect/head_scores.h"
#include "inspect/head_selection.h"
#include "inspect/inspection.h"
#include "inspect/logit_attribution.h"
#include "inspect/logit_lens.h"
#include "inspect/next_tokens.h"
#include "inspect/random_repeats.h"
#include "inspect/tracked_heads.h"

namespace tinylm {

/// Which heads are taken out to see what the loss becomes.
enum class AblationChoice {
  kAuto,     // all, where that takes at most kQuickOperations; else those that stand out
  kAll,      // all that are shown
  kNotable,  // the strongest head of each job
  kNone
};
/// About three seconds of two cores with AVX-512.
inline constexpr double kQuickOperations = 3e11;

struct ViewOptions {
  HeadSelection shown;
  std::optional<HeadPlace> head;  // to look at first; nothing: that of the finding
  AblationChoice ablation = AblationChoice::kAuto;
  std::string title;
  std::string run;                      // its folder, as it is to be shown
  std::filesystem::path tracked_heads;  // the run's file of them; need not exist
  std::vector<std::string> notes;
  std::optional<std::int64_t> generated_from;  // index of the first token that the model wrote
};

/// Facts of the run that the text went through.
struct ModelFacts {
  std::string run, tokenizer;  // folder; kind
  std::int64_t step = 0;
  double val_loss_nats = 0.0;  // NaN where there was no evaluation
  std::int64_t parameters = 0;
  ModelConfig config;
};

/// Tensors of heads hold every layer and head of the model; `shown` says which of them are to be written.
struct View {
  std::string title;
  ModelFacts model;
  std::vector<std::string> notes;
  std::optional<std::int64_t> generated_from;
  HeadSelection shown;
  std::optional<HeadPlace> head;  // that was asked for
  Inspection text;
  std::vector<HeadScores> scores;
  Finding finding;
  torch::Tensor value_norms;               // [L, H, T] float32
  torch::Tensor rollout, uniform_rollout;  // [T, T] float64; of every head; undefined where they see later tokens
  NextTokens next;
  LogitLens lens;
  std::optional<Ablation> ablation;
  LogitAttribution attribution;
  std::optional<TrackedHeads> training;
  std::vector<torch::Tensor> residuals;   // L+1 x [T, C]
  std::vector<TracedHeads> heads;         // L: q [H, T, D], k, v [Hkv, T, D], output [H, T, D]
  std::vector<std::string> token_labels;  // V: of every id

  std::int64_t tokens() const { return text.tokens(); }
  /// The loss of the text with every head in place.
  double mean_loss_nats() const { return text.mean_loss_nats(); }
};

/// Traces `ids` and works everything out. Throws as inspect(), and FileError for a damaged file of tracked heads.
View make_view(LoadedModel& loaded, const std::vector<TokenId>& ids, const ViewOptions& options);

}  // namespace tinylm
