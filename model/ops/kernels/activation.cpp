#include "model/ops/kernels/activation.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "core/vector_math.h"
#include "core/vectorised.h"
#include "model/ops/kernels/bfloat16.h"
#include "model/ops/kernels/row_slices.h"

namespace tinylm::ops {
namespace {

/// An activation and its slope at one number.
struct Slope {
  float value, slope;
};

struct SquaredRelu {
  static Slope at(float x) {
    const float positive = select(x < 0.0F, 0.0F, x);  // NaN stays
    return {positive * positive, 2.0F * positive};
  }
};

struct Gelu {
  static Slope at(float x) {
    const Normal normal = normal_distribution(x);
    return {x * normal.cumulative, normal.cumulative + x * normal.density};
  }
};

struct Silu {
  static Slope at(float x) {
    const float sigmoid = 1.0F / (1.0F + exponential(-x));
    return {x * sigmoid, sigmoid * (1.0F + x * (1.0F - sigmoid))};
  }
};

template <class Function, class Out>
void forward_elements(const float* h, Out* a, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) put(Function::at(h[i]).value, a[i]);
}

template <class Out>
void gate_rows(const float* h, Out* a, std::int64_t rows, std::int64_t F) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float *gates = h + row * 2 * F, *values = gates + F;
    Out* result = a + row * F;
#pragma omp simd
    for (std::int64_t f = 0; f < F; ++f) put(Silu::at(gates[f]).value * values[f], result[f]);
  }
}

/// `summed`: whether dbias is wanted; else it is not touched.
template <class Function, class Out, bool summed>
void backward_rows(const float* h, const float* da, Out* dh, Out* a, float* __restrict dbias, std::int64_t rows,
                   std::int64_t F) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = row * F;
#pragma omp simd
    for (std::int64_t f = 0; f < F; ++f) {
      const Slope at = Function::at(h[first + f]);
      const float gradient = at.slope * da[first + f];
      put(at.value, a[first + f]);
      put(gradient, dh[first + f]);
      if constexpr (summed) dbias[f] += gradient;
    }
  }
}

template <class Out, bool summed>
void backward_gated_rows(const float* h, const float* da, Out* dh, Out* a, float* __restrict dbias, std::int64_t rows,
                         std::int64_t F) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float *gates = h + row * 2 * F, *values = gates + F, *changes = da + row * F;
    Out *result = a + row * F, *dgates = dh + row * 2 * F, *dvalues = dgates + F;
#pragma omp simd
    for (std::int64_t f = 0; f < F; ++f) {
      const Slope gate = Silu::at(gates[f]);
      const float value = values[f], change = changes[f];
      const float dgate = change * value * gate.slope, dvalue = change * gate.value;
      put(gate.value * value, result[f]);
      put(dgate, dgates[f]);
      put(dvalue, dvalues[f]);
      if constexpr (summed) {
        dbias[f] += dgate;
        dbias[F + f] += dvalue;
      }
    }
  }
}

template <class Out, bool summed>
void backward_of_kind(ActivationRows sizes, const float* h, const float* da, Out* dh, Out* a, float* dbias) {
  switch (sizes.kind) {
    case ActivationKind::kSquaredRelu:
      return vectorised<backward_rows<SquaredRelu, Out, summed>>(h, da, dh, a, dbias, sizes.rows, sizes.F);
    case ActivationKind::kGelu:
      return vectorised<backward_rows<Gelu, Out, summed>>(h, da, dh, a, dbias, sizes.rows, sizes.F);
    case ActivationKind::kSwiGlu:
      return vectorised<backward_gated_rows<Out, summed>>(h, da, dh, a, dbias, sizes.rows, sizes.F);
  }
}

/// Rows that make a thread worth waking.
std::int64_t rows_per_thread(const ActivationRows& sizes) {
  constexpr std::int64_t kElements = 1 << 13;
  return std::max<std::int64_t>(1, kElements / std::max<std::int64_t>(1, sizes.F));
}

}  // namespace

template <class Out>
void activation_forward(const ActivationRows& sizes, const float* h, Out* a) {
  const std::int64_t F = sizes.F;
  parallel_for(0, sizes.rows, rows_per_thread(sizes), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t rows = last - first;
    switch (sizes.kind) {
      case ActivationKind::kSquaredRelu:
        return vectorised<forward_elements<SquaredRelu, Out>>(h + first * F, a + first * F, rows * F);
      case ActivationKind::kGelu:
        return vectorised<forward_elements<Gelu, Out>>(h + first * F, a + first * F, rows * F);
      case ActivationKind::kSwiGlu:
        return vectorised<gate_rows<Out>>(h + first * 2 * F, a + first * F, rows, F);
    }
  });
}

template <class Out>
void activation_backward(const ActivationRows& sizes, const float* h, const float* da, Out* dh, Out* a, float* dbias) {
  const std::int64_t F = sizes.F, inputs = sizes.kind == ActivationKind::kSwiGlu ? 2 * F : F;
  const std::int64_t summed = dbias ? inputs : 0;
  const std::vector<float> sums =
      sum_over_rows(sizes.rows, summed, rows_per_thread(sizes), [&](std::int64_t first, std::int64_t last, float* sum) {
        const auto of_kind = dbias ? backward_of_kind<Out, true> : backward_of_kind<Out, false>;
        of_kind({sizes.kind, last - first, F}, h + first * inputs, da + first * F, dh + first * inputs, a + first * F,
                sum);
      });
  std::copy_n(sums.data(), summed, dbias);
}

template void activation_forward(const ActivationRows&, const float*, float*);
template void activation_forward(const ActivationRows&, const float*, Bfloat16*);
template void activation_backward(const ActivationRows&, const float*, const float*, float*, float*, float*);
template void activation_backward(const ActivationRows&, const float*, const float*, Bfloat16*, Bfloat16*, float*);

}  // namespace tinylm::ops
