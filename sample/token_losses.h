// The loss of every token of a text: the one loop behind validation and scoring.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "data/batch.h"
#include "model/model.h"

namespace tinylm {

/// Losses in nats, -ln p(token | those before it in its window), of tokens that follow each other in the text.
using LossSink = std::function<void(std::span<const double> losses_nats)>;

/// Gives `sink` the loss of each of the windows' predicted_tokens(), in their order, those of `rows` windows at a time.
/// Neither graphs nor dropout; later tokens are hidden whatever the model was trained with. Logits exist for some rows
/// at a time (ops/projected_loss.h), so memory does not grow with the text.
void for_each_loss(LanguageModel& model, const EvaluationWindows& windows, std::int64_t rows, const LossSink& sink);

}  // namespace tinylm
