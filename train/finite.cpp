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

}  // namespace

double clipping_scale(double norm, double clip) {
  return clip > 0.0 && norm > clip ? clip / norm : 1.0;
}

std::string step_fault(double loss_nats, double gradient_norm, double clip) {
  if (!std::isfinite(loss_nats)) return "the training loss is " + in_words(loss_nats);
  if (!std::isfinite(gradient_norm)) return "the gradient's norm is " + in_words(gradient_norm);
  if (gradient_norm * clipping_scale(gradient_norm, clip) > kLargestNorm)
    return "the gradient's norm is " + shortest(gradient_norm) + ", too large for float32";
  return "";
}

void stop_training(std::int64_t step, const std::string& fault, const TrainOptions& options) {
  std::string advice = "try a lower --learning-rate (it is " + shortest(options.learning_rate) + "), ";
  advice += options.clip > 0.0 ? "a lower --clip (it is " + shortest(options.clip) + ")" : "--clip 1 (it is off)";
  advice += " or a longer --warmup (it is " + std::to_string(options.warmup) + ")";
  if (options.on_nan != "skip") advice += "; where it is a rare batch that does it, --on-nan skip";
  throw NotFinite("step " + std::to_string(step) + ": " + fault +
                  ", so training stops; checkpoints saved so far are unharmed. What to do: " + advice);
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
