// An attention calculation that a person gave or a model made, worked out step by step.
#pragma once

#include <string>
#include <vector>

#include "core/torch.h"
#include "model/ops/attention_steps.h"

namespace tinylm {

/// Rows of a matrix as they are typed: numbers separated by commas, rows by semicolons ("1,0;0,1"). float64 [n, d].
/// Throws BadInput, naming `what`, for nothing, for something that is no finite number and for rows of unlike lengths.
torch::Tensor parse_rows(const std::string& text, const std::string& what);

/// What an attention calculation starts from. Everything float64.
struct AttentionInputs {
  torch::Tensor q;          // [Tq, d_k]
  torch::Tensor k;          // [Tk, d_k]
  torch::Tensor v;          // [Tk, d_v]
  bool causal = false;      // key j is hidden from query i when j > i + Tk - Tq
  torch::Tensor mask = {};  // [Tq, Tk] or [1, Tk] of 1 (may look) and 0, or undefined
};

struct WorkedAttention {
  AttentionInputs inputs;
  ops::AttentionSteps steps;
};

/// Throws BadInput when the shapes do not fit together, naming queries, keys and values by their counts and sizes, for
/// a mask of other numbers than 0 and 1, and when a score or an output is too large for float64.
WorkedAttention work_attention(AttentionInputs inputs);

/// The example that is shown when a person gives none: one query that matches the second of two keys.
AttentionInputs example_inputs();
/// One for the causal mask: four tokens.
AttentionInputs causal_example_inputs();

}  // namespace tinylm
