// The BLAS library behind libtorch's own products (--ops plain): which one it is, and whether it knows this processor.
#pragma once

#include <string>

namespace tinylm {

struct BlasLibrary {
  std::string file;     // the library that libtorch's sgemm_ comes from; "" when it cannot be told
  std::string kernels;  // the kind of processor whose kernels OpenBLAS took, e.g. "SkylakeX"; "" for other libraries
};
BlasLibrary blas_in_use();

/// Measured rate of libtorch's own float32 product (512^3), GFLOP/s; takes about 20 ms.
double probe_blas_gflops();

/// What to do when products through BLAS reach `gflops` on `threads` threads; "" when they are as fast as they should
/// be: at least 20 GFLOP/s a thread, which the vector units of any processor of the last ten years give.
std::string advice_on_blas(double gflops, int threads);

}  // namespace tinylm
