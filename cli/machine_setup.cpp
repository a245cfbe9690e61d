#include "cli/machine_setup.h"

#include <spdlog/spdlog.h>

#include "core/errors.h"
#include "core/freed_memory.h"
#include "core/instruction_set.h"
#include "core/machine.h"
#include "core/numbers.h"
#include "core/torch_compat.h"
#include "measure/blas.h"
#include "measure/square_product.h"
#include "model/ops/matmul.h"
#include "model/ops/matmul_processor.h"

namespace tinylm {

namespace {

/// Throws WrongUse where there are no bfloat16 products, and says what they cost where they are slower.
void check_bfloat16() {
  if (!ops::has_bf16_matmul())
    throw WrongUse(
        "precision is bf16, but this processor has no bfloat16 products (they need AVX-512): --precision fp32. A run "
        "that began in bf16 can be begun anew from its weights: --init-from RUN --precision fp32");
  if (ops::matmul_processor().favours_bfloat16()) return;
  const double ratio = product_gflops(kPeakProductSize, ops::MatmulInputs::kBfloat16) /
                       product_gflops(kPeakProductSize, ops::MatmulInputs::kFloat32);
  if (ratio < 1.0)
    spdlog::warn("--precision bf16: products run at {} times the rate of float32 on this processor; fp32 is faster",
                 fixed(ratio, 1));
}

}  // namespace

void set_up_machine(const MachineOptions& options) {
  const int threads = options.threads > 0 ? static_cast<int>(options.threads) : usable_cores();
  use_threads(threads);
  keep_freed_memory();
  spdlog::debug("{} thread(s), loops in {} code", threads, name_of(instruction_set()));
  if (options.precision == "bf16") check_bfloat16();
  if (options.ops != Ops::kPlain) return;
  const std::string advice = advice_on_blas(probe_blas_gflops(), threads);
  if (!advice.empty()) spdlog::warn("{}", advice);
}

}  // namespace tinylm
