// The product engine: matrix products on the processor through oneDNN, which asks the processor what it has.
// Takes pointers and shapes and sees no libtorch header, because a libtorch may bring the headers of another oneDNN.
// Primitives are made once a shape and kept. Works with oneDNN 2 and 3.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/ops/kernels/bfloat16.h"

namespace tinylm::ops {

/// The matrices of a batched product, element strides: element (o, b, i, j) is
/// data[o * outer_stride + b * batch_stride + i * row_stride + j * column_stride]. One of row_stride and column_stride
/// is 1.
struct MatrixView {
  std::int64_t outer_stride = 0;
  std::int64_t batch_stride = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;
  bool operator==(const MatrixView&) const = default;
};

/// C[o, b] = scale * (A[o, b] B[o, b] + bias), for o < outer and b < batch; A is m x k, B is k x n, C is m x n with
/// column stride 1, bias one row of n added to every row. `accumulate` adds that to what C holds instead.
struct MatmulShape {
  std::int64_t outer = 1, batch = 1;
  std::int64_t m = 0, n = 0, k = 0;
  MatrixView a = {}, b = {}, c = {};
  bool has_bias = false;
  float scale = 1.0F;
  bool accumulate = false;
  bool operator==(const MatmulShape&) const = default;
};

/// float32, all pointers to float; `bias` is null unless shape.has_bias. Sizes of 0 are allowed (k = 0 gives the bias
/// alone). Results do not depend on values of other rows. May be called from several threads. Throws std::runtime_error
/// with oneDNN's reason on failure, std::invalid_argument for strides that are not allowed.
void matmul_f32(const MatmulShape& shape, const float* a, const float* b, float* c, const float* bias = nullptr);

/// The same with A and B in bfloat16; bias, sums and C in float32. Throws as
/// matmul_f32(), and where has_bf16_matmul() is false.
void matmul_bf16(const MatmulShape& shape, const Bfloat16* a, const Bfloat16* b, float* c, const float* bias = nullptr);

/// B of a product in the layout that oneDNN reads fastest, for as long as many products read it.
class PackedMatrix {
 public:
  PackedMatrix() = default;  // fits nothing
  /// Copies the `b` that matmul_bf16() would take for `shape`, which is of one matrix (outer and batch 1).
  PackedMatrix(const MatmulShape& shape, const Bfloat16* b);
  /// Whether a product of this shape, with this B, can read it. Products that differ in rows alone mostly can.
  bool fits(const MatmulShape& shape) const;

 private:
  friend void matmul_bf16(const MatmulShape& shape, const Bfloat16* a, const PackedMatrix& b, float* c,
                          const float* bias);
  struct Numbers;
  std::shared_ptr<const Numbers> numbers_;
};

/// matmul_bf16() with a B that fits; else throws std::invalid_argument.
void matmul_bf16(const MatmulShape& shape, const Bfloat16* a, const PackedMatrix& b, float* c,
                 const float* bias = nullptr);
/// Which of the instructions for bfloat16 oneDNN may use: those of the processor that ONEDNN_MAX_CPU_ISA does not keep
/// it from.
struct MatmulInstructions {
  bool avx512_bf16 = false, amx_bf16 = false;
};
MatmulInstructions matmul_instructions();

/// Whether oneDNN has bfloat16 products for this processor: from AVX-512 on, at whatever speed.
bool has_bf16_matmul();

enum class MatmulInputs { kFloat32, kBfloat16 };
/// What oneDNN chose for a shape, e.g. "brg:avx512_core"; names with "ref" are its slow definitions.
std::string matmul_implementation(const MatmulShape& shape, MatmulInputs inputs = MatmulInputs::kFloat32);

/// The version of oneDNN in use, e.g. "2.6.3".
const char* matmul_engine_version();

}  // namespace tinylm::ops
