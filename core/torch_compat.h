// The one place that knows differences between libtorch versions (1.13, Debian 12's, to current 2.x), and that sets
// libtorch's threads. Include it only from rooms that use libtorch.
#pragma once

#include <omp.h>
#include <torch/version.h>

#include "core/torch.h"

namespace tinylm {

/// Uses `threads` threads in libtorch, oneDNN and our own loops, which share OpenMP's pool. libtorch 1.13 as Debian
/// builds it starts with one.
inline void use_threads(int threads) {
  omp_set_num_threads(threads);
  at::set_num_threads(threads);
}

/// Whether libtorch has torch::scaled_dot_product_attention (from 2.0).
#if TORCH_VERSION_MAJOR >= 2
#define TINYLM_HAS_TORCH_ATTENTION 1
#else
#define TINYLM_HAS_TORCH_ATTENTION 0
#endif

}  // namespace tinylm
