#include "inspect/inspection.h"

#include <limits>

#include <spdlog/fmt/fmt.h>

#include "core/errors.h"
#include "sample/token_text.h"

namespace tinylm {

namespace {

/// Minus the logarithm of the probability of each token given those before it; NaN for the first. logits [T, V].
std::vector<double> token_losses(const torch::Tensor& logits, const torch::Tensor& ids) {
  const std::int64_t T = ids.size(0);
  std::vector<double> losses(static_cast<std::size_t>(T), std::numeric_limits<double>::quiet_NaN());
  const torch::Tensor log_probabilities = torch::log_softmax(logits.to(torch::kCPU, torch::kFloat64), -1);  // [T, V]
  const torch::Tensor targets = ids.slice(0, 1).unsqueeze(1);                                               // [T-1, 1]
  const torch::Tensor chosen =
      log_probabilities.slice(0, 0, T - 1).gather(1, targets).squeeze(1).contiguous();  // [T-1]
  for (std::int64_t t = 1; t < T; ++t) losses[static_cast<std::size_t>(t)] = -chosen.data_ptr<double>()[t - 1];
  return losses;
}

}  // namespace

torch::Tensor ids_tensor(const std::vector<TokenId>& ids) {
  return torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()));
}

double Inspection::mean_loss_nats() const {
  double sum = 0.0;
  for (std::size_t t = 1; t < losses_nats.size(); ++t) sum += losses_nats[t];
  return sum / static_cast<double>(losses_nats.size() - 1);  // 0 / 0: NaN
}

Inspection inspect(LoadedModel& loaded, const std::vector<TokenId>& ids) {
  Trace trace;
  return inspect(loaded, ids, trace);
}

Inspection inspect(LoadedModel& loaded, const std::vector<TokenId>& ids, Trace& trace) {
  const std::int64_t context = loaded.model->config().context;
  const auto T = static_cast<std::int64_t>(ids.size());
  if (T < 1 || T > context) {
    throw BadInput("a text of " + std::to_string(T) + " tokens cannot be inspected: expected 1 to " +
                   std::to_string(context) + ", the model's context");
  }
  const torch::NoGradGuard no_grad;
  loaded.model->eval();
  trace.want_attention = true;
  ForwardOptions options;
  options.trace = &trace;
  const torch::Tensor inputs = ids_tensor(ids);                                                 // [T]
  const torch::Tensor logits = loaded.model->forward(inputs.unsqueeze(0), options).squeeze(0);  // [T, V]

  Inspection inspection;
  inspection.ids = ids;
  for (const TokenId id : ids) {
    inspection.texts.push_back(token_text(*loaded.tokenizer, id));
    inspection.labels.push_back(token_label(*loaded.tokenizer, id));
  }
  inspection.causal = loaded.model->config().attention_mask == MaskKind::kCausal;
  inspection.logits = logits.to(torch::kCPU, torch::kFloat32).contiguous();
  inspection.losses_nats = token_losses(logits, inputs);
  inspection.attention = torch::stack(trace.attention)  // [L, 1, H, T, T]
                             .squeeze(1)
                             .to(torch::kCPU, torch::kFloat32)
                             .contiguous();
  return inspection;
}

std::string head_name(std::int64_t layer, std::int64_t head) {
  return fmt::format("L{}H{}", layer, head);
}

}  // namespace tinylm
