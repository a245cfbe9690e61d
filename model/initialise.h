// The weights a training starts from.
#pragma once

#include <cstdint>

#include "core/torch.h"
#include "model/config.h"

namespace tinylm {

/// Fills every matrix of the model with normal numbers that are a function of (seed, place of the parameter, element):
/// standard deviation 0.02, the two projections that end in the residual stream 0.02 / sqrt(2 L) (GPT-2, Radford et al.
/// 2019). The matrix that gives the logits gets at most kLogitDeviation / sqrt(C), so that the first loss is near ln V
/// at any width. Vectors (norm weights, biases) keep their ones and zeros.
void initialise(torch::nn::Module& model, const ModelConfig& config, std::uint64_t seed);

inline constexpr double kMatrixDeviation = 0.02;
inline constexpr double kLogitDeviation = 0.25;

}  // namespace tinylm
