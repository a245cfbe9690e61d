#include "inspect/probe.h"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "core/errors.h"
#include "core/numbers.h"
#include "inspect/random_repeats.h"
#include "inspect/term_view.h"
#include "inspect/traced_text.h"

namespace tinylm {
namespace {

/// For one random sequence: of each head, the share of tokens whose own logit is among the `most` that its output for
/// that token raises most, [L, H] float64.
torch::Tensor copied_share(LoadedModel& loaded, const std::vector<TokenId>& ids, const torch::Tensor& ordinary,
                           std::int64_t most) {
  const TracedText traced(loaded, ids);
  const ModelConfig& config = traced.config();
  torch::Tensor readers = traced.weights.output().index_select(0, ordinary) * traced.weights.norm_weight();  // [V', C]
  if (config.norm == NormKind::kLayerNorm) readers = readers - readers.mean(-1, /*keepdim=*/true);
  const torch::Tensor own = ordinary.unsqueeze(0).eq(ids_tensor(ids).unsqueeze(1));  // [T, V']
  std::vector<torch::Tensor> shares;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const torch::Tensor values = traced.trace.heads[static_cast<std::size_t>(layer)].v.squeeze(0).repeat_interleave(
        config.heads / config.key_value_heads(), 0);                                   // [H, T, D]
    const torch::Tensor written = torch::bmm(values, traced.weights.of_heads(layer));  // [H, T, C]
    const torch::Tensor raised = torch::matmul(written, readers.t());                  // [H, T, V']
    const torch::Tensor of_own = raised.masked_select(own.unsqueeze(0)).view({config.heads, -1, 1});
    const torch::Tensor above = raised.ge(of_own).sum(-1) - 1;  // [H, T]: other tokens that it raises as much or more
    shares.push_back(above.lt(most).to(torch::kFloat64).mean(-1));
  }
  return torch::stack(shares);
}

PatternScore copy_score(LoadedModel& loaded) {
  const std::vector<TokenId> tokens = ordinary_tokens(*loaded.tokenizer);
  const RepeatOptions options;
  const std::int64_t S = repeat_length(loaded.model->config().context, tokens.size(), options.most_length);
  const auto count = static_cast<std::int64_t>(tokens.size());
  const std::int64_t most = std::clamp<std::int64_t>(count / 10, 1, 5);
  PatternScore score;
  if (S == 0) return score;
  for (std::int64_t text = 0; text < options.texts; ++text) {
    std::vector<TokenId> ids = repeated_tokens(tokens, S, options.seed, static_cast<std::uint64_t>(text));
    ids.resize(static_cast<std::size_t>(S));  // once
    const torch::Tensor share =
        copied_share(loaded, ids, ids_tensor(tokens), most) / static_cast<double>(options.texts);
    score.values = text == 0 ? share : score.values + share;
  }
  score.uniform = static_cast<double>(most) / static_cast<double>(count);
  score.rows = options.texts * S;
  return score;
}

}  // namespace

const std::vector<Probe>& probes() {
  static const std::vector<Probe> table = {
      {"induction",
       "Random tokens come twice. The score is the attention to the token after the same token in the first half.",
       [](LoadedModel& loaded) { return random_repeats(loaded.model, *loaded.tokenizer).induction; }},
      {"previous", "Random tokens. The score is the attention to the token just before.",
       [](LoadedModel& loaded) { return random_repeats(loaded.model, *loaded.tokenizer).previous; }},
      {"copy",
       "Random tokens. The score is how often the head, looking at a token, makes this token one of the likeliest to "
       "come "
       "next.",
       copy_score},
  };
  return table;
}

ProbeResult run_probe(LoadedModel& loaded, const std::string& name) {
  const auto probe = std::find_if(probes().begin(), probes().end(), [&](const Probe& one) { return one.name == name; });
  const torch::NoGradGuard no_gradient;
  ProbeResult result{&*probe, probe->measure(loaded), {}};
  const ModelConfig& config = loaded.model->config();
  if (result.score.rows == 0)
    throw BadInput(
        fmt::format("a context of {} tokens and a vocabulary of {} are too small for random tokens that come "
                    "twice: expected at least 4 and 2",
                    config.context, ordinary_tokens(*loaded.tokenizer).size()));
  const auto value = [&](const HeadPlace& place) {
    return result.score.values[place.layer][place.head].item<double>();
  };
  for (const HeadPlace& place : places_of(HeadSelection::all(config)))
    if (value(place) >= kProbePasses) result.passing.push_back(place);
  std::stable_sort(result.passing.begin(), result.passing.end(),
                   [&](const HeadPlace& a, const HeadPlace& b) { return value(a) > value(b); });
  return result;
}

std::string probe_text(const ProbeResult& result, std::size_t columns) {
  static const ScoreKind kind = {"", "", "", ScoreUnit::kWeight, false, nullptr};
  const HeadScores scores{&kind, result.score};
  ModelConfig sizes;
  sizes.layers = result.score.values.size(0);
  sizes.heads = result.score.values.size(1);
  const HeadSelection all = HeadSelection::all(sizes);
  const auto named = [&](const HeadPlace& place) {
    return head_name(place.layer, place.head) + " (" + fixed(scores.value(place), 2) + ")";
  };
  std::string text =
      fmt::format("{} A head passes with {}; chance is {}.\n\n{}\n", result.probe->explanation, fixed(kProbePasses, 2),
                  fixed(result.score.uniform, 2), score_table(scores, all, columns));
  if (result.passing.empty()) return text + "No head passes; the best is " + named(highest(scores, all)) + ".\n";
  text += result.passing.size() == 1 ? "One head passes: " : fmt::format("{} heads pass: ", result.passing.size());
  for (std::size_t i = 0; i < result.passing.size(); ++i) text += (i == 0 ? "" : ", ") + named(result.passing[i]);
  return text + ".\n";
}

}  // namespace tinylm
