#include "model/ops/kernels/activation.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "core/vector_math.h"
#include "core/vectorised.h"
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

template <class Function>
void forward_elements(const float* h, float* a, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) a[i] = Function::at(h[i]).value;
}

void gate_rows(const float* h, float* a, std::int64_t rows, std::int64_t F) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float *gates = h + row * 2 * F, *values = gates + F;
    float* result = a + row * F;
#pragma omp simd
    for (std::int64_t f = 0; f < F; ++f) result[f] = Silu::at(gates[f]).value * values[f];
  }
}

/// sums[f] += x[f]; null sums: nothing.
void add_to(float* __restrict sums, const float* x, std::int64_t F) {
  if (sums == nullptr) return;
#pragma omp simd
  for (std::int64_t f = 0; f < F; ++f) sums[f] += x[f];
}

template <class Function>
void backward_rows(const float* h, const float* da, float* dh, float* a, float* dbias, std::int64_t rows,
                   std::int64_t F) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = row * F;
#pragma omp simd
    for (std::int64_t i = first; i < first + F; ++i) {
      const Slope at = Function::at(h[i]);
      a[i] = at.value;
      dh[i] = at.slope * da[i];
    }
    add_to(dbias, dh + first, F);
  }
}

void backward_gated_rows(const float* h, const float* da, float* dh, float* a, float* dbias, std::int64_t rows,
                         std::int64_t F) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float *gates = h + row * 2 * F, *values = gates + F, *changes = da + row * F;
    float *result = a + row * F, *dgates = dh + row * 2 * F, *dvalues = dgates + F;
#pragma omp simd
    for (std::int64_t f = 0; f < F; ++f) {
      const Slope gate = Silu::at(gates[f]);
      const float value = values[f], change = changes[f];
      result[f] = gate.value * value;
      dgates[f] = change * value * gate.slope;
      dvalues[f] = change * gate.value;
    }
    add_to(dbias, dgates, 2 * F);
  }
}

/// Rows that make a thread worth waking.
std::int64_t rows_per_thread(const ActivationRows& sizes) {
  constexpr std::int64_t kElements = 1 << 13;
  return std::max<std::int64_t>(1, kElements / std::max<std::int64_t>(1, sizes.F));
}

}  // namespace

void activation_forward(const ActivationRows& sizes, const float* h, float* a) {
  const std::int64_t F = sizes.F;
  parallel_for(0, sizes.rows, rows_per_thread(sizes), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t rows = last - first;
    switch (sizes.kind) {
      case ActivationKind::kSquaredRelu:
        return vectorised<forward_elements<SquaredRelu>>(h + first * F, a + first * F, rows * F);
      case ActivationKind::kGelu:
        return vectorised<forward_elements<Gelu>>(h + first * F, a + first * F, rows * F);
      case ActivationKind::kSwiGlu:
        return vectorised<gate_rows>(h + first * 2 * F, a + first * F, rows, F);
    }
  });
}

void activation_backward(const ActivationRows& sizes, const float* h, const float* da, float* dh, float* a,
                         float* dbias) {
  const std::int64_t F = sizes.F, inputs = sizes.kind == ActivationKind::kSwiGlu ? 2 * F : F;
  const std::int64_t summed = dbias ? inputs : 0;
  const std::vector<float> sums =
      sum_over_rows(sizes.rows, summed, rows_per_thread(sizes), [&](std::int64_t first, std::int64_t last, float* sum) {
        const float *hs = h + first * inputs, *das = da + first * F;
        float *dhs = dh + first * inputs, *as = a + first * F, *bias = dbias ? sum : nullptr;
        const std::int64_t rows = last - first;
        switch (sizes.kind) {
          case ActivationKind::kSquaredRelu:
            return vectorised<backward_rows<SquaredRelu>>(hs, das, dhs, as, bias, rows, F);
          case ActivationKind::kGelu:
            return vectorised<backward_rows<Gelu>>(hs, das, dhs, as, bias, rows, F);
          case ActivationKind::kSwiGlu:
            return vectorised<backward_gated_rows>(hs, das, dhs, as, bias, rows, F);
        }
      });
  std::copy_n(sums.data(), summed, dbias);
}

}  // namespace tinylm::ops
