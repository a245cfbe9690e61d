#include "train/finite.h"

#include <cmath>

#include "core/errors.h"
#include "core/numbers.h"

namespace tinylm {
namespace {

constexpr double kLargestNorm = 1e18;  // its square, 1e36, is still a float32

/// "not a number", or which infinity.
std::string in_words(double value) {
  return std::isnan(value) ? "not a number" : value < 0 ? "minus infinity" : "infinite";
}

[[noreturn]] void stop_training(std::int64_t step, const std::string& what, const TrainOptions& options) {
  std::string advice = "try a lower --learning-rate (it is " + shortest(options.learning_rate) + "), ";
  advice += options.clip > 0.0 ? "a lower --clip (it is " + shortest(options.clip) + ")" : "--clip 1 (it is off)";
  advice += " or a longer --warmup (it is " + std::to_string(options.warmup) + ")";
  throw NotFinite(
      "step " + std::to_string(step) + ": " + what +
      ", so training stops before it spoils the weights; checkpoints saved so far are unharmed. What to do: " + advice);
}

}  // namespace

double clipping_scale(double norm, double clip) {
  return clip > 0.0 && norm > clip ? clip / norm : 1.0;
}

void require_finite_step(std::int64_t step, double loss_nats, double gradient_norm, const TrainOptions& options) {
  if (!std::isfinite(loss_nats)) stop_training(step, "the training loss is " + in_words(loss_nats), options);
  if (!std::isfinite(gradient_norm)) stop_training(step, "the gradient's norm is " + in_words(gradient_norm), options);
  if (gradient_norm * clipping_scale(gradient_norm, options.clip) > kLargestNorm) {
    stop_training(step, "the gradient's norm is " + shortest(gradient_norm) + ", too large for float32", options);
  }
}

void require_finite_evaluation(std::int64_t step, double loss_nats, const TrainOptions& options) {
  if (!std::isfinite(loss_nats)) stop_training(step, "the validation loss is " + in_words(loss_nats), options);
}

void require_finite_weights(std::int64_t step, const torch::nn::Module& model, const TrainOptions& options) {
  for (const auto& item : model.named_parameters()) {
    if (item.value().isfinite().all().item<bool>()) continue;
    stop_training(step, "the weights of " + item.key() + " are no longer finite", options);
  }
}

}  // namespace tinylm
