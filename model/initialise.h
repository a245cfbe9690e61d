// The weights a training starts from.
#pragma once

#include <cstdint>

#include "core/torch.h"
#include "model/config.h"

namespace tinylm {

/// Fills every matrix of the model with normal numbers that are a function of (seed, place of the parameter, element).
/// Vectors (norm weights, biases) keep their ones and zeros. Standard deviations, by config.initialisation:
/// gpt2 (Radford et al. 2019): 0.02, and 0.02 / sqrt(2 L) for the two projections that end in the residual stream.
/// zero-residual: those two zero, so that every block begins as the identity (Zhang, Dauphin & Ma, "Fixup", 2019); the
/// other matrices of blocks 0.6 / sqrt(inputs), so that they keep the size of what comes in whatever the width;
/// embeddings 0.1.
/// The matrix that gives the logits gets at most kLogitDeviation / sqrt(C) with either, so that the first loss is near
/// ln V at any width.
void initialise(torch::nn::Module& model, const ModelConfig& config, std::uint64_t seed);

inline constexpr double kLogitDeviation = 0.25;

}  // namespace tinylm
