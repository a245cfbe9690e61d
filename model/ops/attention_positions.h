// What fused attention must know of a model's positions to do their work between projection and softmax itself.
#pragma once

#include "core/torch.h"

namespace tinylm {

/// Undefined tensors: nothing is done there.
struct AttentionPositions {
  torch::Tensor cosines, sines;  // [T, D/2]: the pair (x[i], x[i + D/2]) of the query and the key at t turns by the
                                 // angle with this cosine and sine
  torch::Tensor slopes;          // [H]: what the score of a key is lowered by for each token between it and the query
};

}  // namespace tinylm
