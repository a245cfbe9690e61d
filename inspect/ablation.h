// What the loss of each token becomes without one head.
#pragma once

#include "inspect/head_selection.h"
#include "inspect/traced_text.h"

namespace tinylm {

/// Change of losses_nats[t] when a head's output is replaced at every position, by zero or by its mean over the text.
/// NaN for the first token, which has no loss, and for heads that were left out.
struct Ablation {
  torch::Tensor zero, mean;  // [L, H, T] float32
};

/// Takes the heads of `which` out one after the other. The output bias stays. Begins after the attention of the layer
/// concerned, some heads side by side, on the operations that the model was loaded with. Throws WrongUse for a model
/// with attention_mask none, whose losses see the tokens they are about.
Ablation ablate(const TracedText& traced, const std::vector<HeadPlace>& which);

/// Multiplications and additions that this takes, for saying beforehand what is worth waiting for.
double ablation_operations(const ModelConfig& config, std::int64_t T, const std::vector<HeadPlace>& which);

/// Every head of a selection, layer by layer.
std::vector<HeadPlace> places_of(const HeadSelection& selection);

}  // namespace tinylm
