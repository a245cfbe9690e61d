// Activations of float32 rows and their gradients. Pointers and sizes only; ops/activations.h has the definitions.
#pragma once

#include <cstdint>

#include "model/config.h"

namespace tinylm::ops {

/// Rows without gaps: h [rows, F] (SwiGLU: [rows, 2 F], the gates first), a [rows, F].
struct ActivationRows {
  ActivationKind kind = ActivationKind::kGelu;
  std::int64_t rows = 0, F = 0;
};

/// a = activation(h). a may be h unless the kind is gated.
void activation_forward(const ActivationRows& sizes, const float* h, float* a);

/// From h and da: dh (shaped like h), a again, and, unless dbias is null, dbias: the sums of dh over the rows, added in
/// slices fixed by `rows` alone. dh may be da unless the kind is gated.
void activation_backward(const ActivationRows& sizes, const float* h, const float* da, float* dh, float* a,
                         float* dbias);

}  // namespace tinylm::ops
