// How well the model predicts a text it was not trained on.
#pragma once

#include <cstdint>

#include "data/batch.h"
#include "model/model.h"

namespace tinylm {

/// Mean next-token loss in nats over the whole split, in fixed windows of which `rows` are computed at a time, each
/// token weighing the same; NaN when nothing can be predicted. No graphs are built and no dropout is
/// used; later tokens are hidden whatever the model was trained with.
double evaluate(LanguageModel& model, const EvaluationWindows& windows, std::int64_t rows);

/// Windows to compute at a time: enough tokens to be fast, few enough to take less memory than a training step. At
/// least 1.
std::int64_t evaluation_rows(const ModelConfig& config);

}  // namespace tinylm
