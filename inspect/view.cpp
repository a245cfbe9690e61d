#include "inspect/view.h"

#include <utility>

#include "inspect/rollout.h"
#include "sample/token_text.h"

namespace tinylm {
namespace {

ModelFacts facts_of(const LoadedModel& loaded, const std::string& run) {
  const TrainingState& state = loaded.checkpoint.state;
  ModelFacts facts;
  facts.run = run;
  facts.tokenizer = loaded.tokenizer->kind();
  facts.step = state.step;
  facts.val_loss_nats = state.step == state.best_step ? state.best_val_loss_nats : state.last_val_loss_nats;
  facts.parameters = loaded.model->config().parameter_count();
  facts.config = loaded.model->config();
  return facts;
}

/// Everything about a text that its trace and the random repeats say, without taking a head out.
class ViewMaker {
 public:
  ViewMaker(LoadedModel& loaded, const std::vector<TokenId>& ids)
      : traced_(loaded, ids),
        repeats_(random_repeats(loaded.model, *loaded.tokenizer)),
        attribution_(logit_attribution(traced_)) {}

  const TracedText& traced() const { return traced_; }
  const LogitAttribution& attribution() const { return attribution_; }
  std::vector<HeadScores> scores(const std::optional<Ablation>& ablation) const {
    return head_scores({traced_.text, repeats_, ablation ? &*ablation : nullptr, attribution_});
  }
  std::optional<Ablation> ablation(const ViewOptions& options) const {
    if (traced_.config().attention_mask == MaskKind::kNone) return std::nullopt;
    const std::vector<HeadPlace> which = heads_to_take_out(options);
    return which.empty() ? std::nullopt : std::optional(ablate(traced_, which));
  }

 private:
  std::vector<HeadPlace> heads_to_take_out(const ViewOptions& options) const {
    if (options.ablation == AblationChoice::kNone) return {};
    const std::vector<HeadPlace> all = places_of(options.shown);
    const bool quick = ablation_operations(traced_.config(), traced_.text.tokens(), all) <= kQuickOperations;
    if (options.ablation == AblationChoice::kAll || (options.ablation == AblationChoice::kAuto && quick)) return all;
    return strongest_heads(scores(std::nullopt), options.shown);
  }

  TracedText traced_;
  RandomRepeats repeats_;
  LogitAttribution attribution_;
};

void add_residual_stream(const Trace& trace, View& view) {
  for (const torch::Tensor& residual : trace.residuals) view.residuals.push_back(residual.squeeze(0));
  for (const TracedHeads& heads : trace.heads)
    view.heads.push_back({heads.q.squeeze(0), heads.k.squeeze(0), heads.v.squeeze(0), heads.output.squeeze(0)});
}

}  // namespace

View make_view(LoadedModel& loaded, const std::vector<TokenId>& ids, const ViewOptions& options) {
  const ViewMaker maker(loaded, ids);
  const TracedText& traced = maker.traced();
  View view;
  view.title = options.title;
  view.model = facts_of(loaded, options.run);
  view.notes = options.notes;
  view.generated_from = options.generated_from;
  view.shown = options.shown;
  view.head = options.head;
  view.text = traced.text;
  view.ablation = maker.ablation(options);
  view.scores = maker.scores(view.ablation);
  view.finding = find_notable(view.scores, view.text, view.shown);
  view.value_norms = traced.value_norms();
  if (view.text.causal) {
    view.rollout = rollout(view.text.attention);
    view.uniform_rollout = uniform_rollout(traced.config().layers, view.tokens());
  }
  view.next = next_tokens(view.text.logits);
  view.lens = logit_lens(traced);
  view.attribution = maker.attribution();
  TrackedHeads tracked = read_tracked_heads(options.tracked_heads);
  if (!tracked.steps.empty()) view.training = std::move(tracked);
  add_residual_stream(traced.trace, view);
  for (TokenId id = 0; id < loaded.tokenizer->vocabulary_size(); ++id)
    view.token_labels.push_back(token_label(*loaded.tokenizer, id));
  return view;
}

}  // namespace tinylm
