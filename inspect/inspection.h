// What a forward pass looked at, ready for whoever measures or writes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/torch.h"
#include "run/run.h"

namespace tinylm {

/// T tokens of one text; layers and heads count from 0, as everywhere in what is shown or written.
struct Inspection {
  std::vector<TokenId> ids;         // T
  std::vector<std::string> texts;   // T, each token's own text; bytes that are no UTF-8 by themselves as <C3>
  std::vector<std::string> labels;  // T, for people: START, END, spaces and controls visible
  std::vector<double> losses_nats;  // T; losses_nats[t] is -ln p(ids[t] | ids before t), NaN for the first
  torch::Tensor attention;          // [L, H, T, T] float32 on the processor; rows sum to one, 0 where hidden
  torch::Tensor logits;             // [T, V] float32 on the processor: of the token after each
  bool causal = true;               // later keys are hidden; false for a model trained with attention_mask none

  std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
  /// Of all losses but the first's; NaN for one token.
  double mean_loss_nats() const;
};

/// Runs the model, put into evaluation mode, over `ids` with a trace. Throws BadInput unless 1 <= T <= context.
Inspection inspect(LoadedModel& loaded, const std::vector<TokenId>& ids);
/// The same, leaving in `trace` what else it asks for.
Inspection inspect(LoadedModel& loaded, const std::vector<TokenId>& ids, Trace& trace);

/// `ids` as a tensor, [T] int64.
torch::Tensor ids_tensor(const std::vector<TokenId>& ids);

/// "L1H2", as a head is called wherever people read of it.
std::string head_name(std::int64_t layer, std::int64_t head);

}  // namespace tinylm
