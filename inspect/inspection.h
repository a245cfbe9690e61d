// What a forward pass looked at, ready for the writers.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <string>
#include <vector>

#include "run/run.h"

namespace tinylm {

struct Inspection {
  std::vector<TokenId> ids;             // T
  std::vector<std::string> labels;      // T, for people
  std::vector<double> losses_nats;      // T; losses_nats[t] is -ln p(ids[t] | before), NaN for the first
  torch::Tensor attention;              // [L, H, T, T] float32; rows sum to one, 0 above the diagonal
};

/// Runs the model over `ids` (1 <= T <= context) with a trace. Throws BadInput outside.
Inspection inspect(LoadedModel& loaded, const std::vector<TokenId>& ids);

/// attention.npy (float32, C order, (L,H,T,T)) and tokens.json (ids, text, losses_nats) in `folder`.
void write_npy(const Inspection& inspection, const std::filesystem::path& folder);
/// {"ids", "text", "losses_nats", "attention": [L][H][T][T]}.
void write_json(const Inspection& inspection, const std::filesystem::path& file);

/// One head as a heat map, a row a query: token labels, then cells shaded by weight. `color`: 24-bit escapes; else ASCII shades.
std::string heat_map(const Inspection& inspection, std::int64_t layer, std::int64_t head, std::size_t columns, bool color);

}  // namespace tinylm
