#include "inspect/causality.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <spdlog/fmt/fmt.h>

#include "core/errors.h"

namespace tinylm {
namespace {

/// `ids` [T] with every token after `cut` exchanged for another of the vocabulary.
torch::Tensor exchanged_after(const torch::Tensor& ids, std::int64_t cut, std::int64_t V) {
  const torch::Tensor kept = ids.slice(0, 0, cut + 1);
  const torch::Tensor others = ids.slice(0, cut + 1).add(1).remainder(V);
  return torch::cat({kept, others});
}

bool same_bits(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor left = a.contiguous(), right = b.contiguous();
  return std::memcmp(left.data_ptr<float>(), right.data_ptr<float>(), static_cast<std::size_t>(left.numel()) * 4) == 0;
}

torch::Tensor logits_of(LoadedModel& loaded, const torch::Tensor& ids, Trace* trace) {
  return loaded.model->forward(ids.unsqueeze(0), {.trace = trace}).squeeze(0).to(torch::kCPU);  // [T, V]
}

void check_weights(const Trace& trace, CausalityReport& report) {
  for (const torch::Tensor& layer : trace.attention) {  // [1, H, T, T]
    const double error =
        (layer.sum(-1) - 1.0).abs().nan_to_num(std::numeric_limits<double>::infinity()).max().item<double>();
    report.largest_sum_error = std::max(report.largest_sum_error, error);
    report.weights_above_diagonal += layer.triu(1).count_nonzero().item<std::int64_t>();
  }
}

}  // namespace

bool CausalityReport::passed() const {
  return leaks.empty() && largest_sum_error <= kRowSumTolerance && weights_above_diagonal == 0;
}

CausalityReport check_causality(LoadedModel& loaded, const std::vector<TokenId>& ids) {
  const ModelConfig& config = loaded.model->config();
  const auto T = static_cast<std::int64_t>(ids.size());
  if (T < 2 || T > config.context) {
    throw BadInput(
        fmt::format("causality is checked on 2 to {} tokens (the model's context), and the text has {}; give "
                    "another --prompt",
                    config.context, T));
  }
  if (config.vocabulary_size < 2) throw BadInput("the vocabulary has one token: there is none to exchange it for");
  const torch::NoGradGuard no_gradients;
  loaded.model->eval();
  const torch::Tensor original = torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()));  // [T]
  Trace trace;
  trace.want_attention = true;
  const torch::Tensor fast = logits_of(loaded, original, nullptr), traced = logits_of(loaded, original, &trace);
  CausalityReport report{.tokens = T, .cuts = T - 1};
  check_weights(trace, report);
  for (std::int64_t cut = 0; cut < T - 1; ++cut) {
    const torch::Tensor changed = exchanged_after(original, cut, config.vocabulary_size);
    const bool same = same_bits(logits_of(loaded, changed, nullptr).slice(0, 0, cut + 1), fast.slice(0, 0, cut + 1)) &&
                      same_bits(logits_of(loaded, changed, &trace).slice(0, 0, cut + 1), traced.slice(0, 0, cut + 1));
    if (!same) report.leaks.push_back(cut);
  }
  return report;
}

std::string causality_text(const CausalityReport& report) {
  const auto verdict = [](bool right) { return right ? "ok    " : "FAILED"; };
  std::string text = fmt::format("{}  earlier logits stay the same, bit for bit, when every later token is exchanged: ",
                                 verdict(report.leaks.empty()));
  if (report.leaks.empty()) {
    text += fmt::format("{} cuts of {} tokens\n", report.cuts, report.tokens);
  } else {
    text += fmt::format("{} of {} cuts changed them, the first after token {}\n", report.leaks.size(), report.cuts,
                        report.leaks.front());
  }
  text +=
      fmt::format("{}  attention weights of every row sum to one: largest difference {:.1e}, allowed {:.0e}\n",
                  verdict(report.largest_sum_error <= kRowSumTolerance), report.largest_sum_error, kRowSumTolerance);
  text += fmt::format("{}  weights on later tokens are exactly 0: {} are not\n",
                      verdict(report.weights_above_diagonal == 0), report.weights_above_diagonal);
  return text;
}

}  // namespace tinylm
