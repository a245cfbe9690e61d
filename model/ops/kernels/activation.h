// Activations of float32 rows and their gradients. Where a product in bfloat16 reads the results, these are rounded as
// they are written: Out is float or Bfloat16. Pointers and sizes only; ops/activations.h has the definitions.
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
template <class Out>
void activation_forward(const ActivationRows& sizes, const float* h, Out* a);

/// From h and da: dh (shaped like h), a again, and, unless dbias is null, dbias: the sums of dh over the rows, added in
/// slices fixed by `rows` alone and before dh is rounded. dh may be da unless the kind is gated.
template <class Out>
void activation_backward(const ActivationRows& sizes, const float* h, const float* da, Out* dh, Out* a, float* dbias);

}  // namespace tinylm::ops
