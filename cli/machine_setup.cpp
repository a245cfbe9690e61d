#include "cli/machine_setup.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "core/freed_memory.h"
#include "core/instruction_set.h"
#include "core/machine.h"
#include "core/numbers.h"
#include "core/torch_compat.h"

namespace tinylm {
namespace {

/// Below this rate a BLAS package is not using the vector units of any processor of the last ten years.
constexpr double kSlowBlasGflopsPerThread = 20.0;

void warn_of_slow_blas(int threads) {
  const double gflops = probe_blas_gflops();
  if (gflops >= kSlowBlasGflopsPerThread * threads) return;
  spdlog::warn(
      "--ops plain multiplies through BLAS, which reaches only {} GFLOP/s on {} thread(s) here: the package may not "
      "know "
      "this processor. Choose another with update-alternatives --config libblas.so.3-x86_64-linux-gnu, set "
      "OPENBLAS_CORETYPE (Haswell, SkylakeX) if it is OpenBLAS, or leave out --ops plain",
      fixed(gflops, 0), threads);
}

}  // namespace

double probe_blas_gflops() {
  constexpr std::int64_t kSize = 512;
  const torch::NoGradGuard no_grad;
  const torch::Tensor a = torch::ones({kSize, kSize}), b = torch::ones({kSize, kSize});
  torch::mm(a, b);  // the first call loads and chooses kernels
  const auto begin = std::chrono::steady_clock::now();
  double elapsed_s = 0.0;
  int products = 0;
  while (elapsed_s < 0.02) {
    torch::mm(a, b);
    ++products;
    elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return 2.0 * kSize * kSize * kSize * products / elapsed_s * 1e-9;
}

void set_up_machine(const MachineOptions& options) {
  const int threads = options.threads > 0 ? static_cast<int>(options.threads) : usable_cores();
  use_threads(threads);
  keep_freed_memory();
  spdlog::debug("{} thread(s), loops in {} code", threads, name_of(instruction_set()));
  if (options.ops == Ops::kPlain) warn_of_slow_blas(threads);
}

}  // namespace tinylm
