// The product engine: float32 matrix products on the processor through oneDNN, which asks the processor what it has. Takes
// pointers and shapes and sees no libtorch header, because a libtorch may bring the headers of another oneDNN.
// Primitives are made once a shape and kept. Works with oneDNN 2 and 3.
#pragma once

#include <cstdint>

namespace tinylm::ops {

/// One matrix of a batched product, element strides: element (b, i, j) is data[b * batch_stride + i * row_stride + j * column_stride].
/// One of row_stride and column_stride is 1.
struct MatrixView {
  std::int64_t batch_stride = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;
};

/// C[b] = A[b] B[b] (+ bias[n], one row added to every row), for b < batch; A is m x k, B is k x n, C is m x n.
struct MatmulShape {
  std::int64_t batch = 1;
  std::int64_t m = 0, n = 0, k = 0;
  MatrixView a, b, c;
  bool has_bias = false;
};

/// float32, all pointers to float; `bias` is null unless shape.has_bias. m, n, k, batch of 0 are allowed (C untouched or, for
/// k = 0, zero). Results do not depend on values of other rows. Throws std::runtime_error with oneDNN's status on failure.
void matmul_f32(const MatmulShape& shape, const float* a, const float* b, float* c, const float* bias = nullptr);

/// Measured rate of a 512^3 product through this engine, GFLOP/s, taking about 20 ms.
double probe_matmul_gflops();

/// The version of oneDNN in use, e.g. "2.6.3".
const char* matmul_engine_version();

}  // namespace tinylm::ops
