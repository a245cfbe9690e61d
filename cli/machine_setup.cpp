#include "cli/machine_setup.h"

#include <spdlog/spdlog.h>

#include "core/freed_memory.h"
#include "core/instruction_set.h"
#include "core/machine.h"
#include "core/torch_compat.h"
#include "measure/blas.h"

namespace tinylm {

void set_up_machine(const MachineOptions& options) {
  const int threads = options.threads > 0 ? static_cast<int>(options.threads) : usable_cores();
  use_threads(threads);
  keep_freed_memory();
  spdlog::debug("{} thread(s), loops in {} code", threads, name_of(instruction_set()));
  if (options.ops != Ops::kPlain) return;
  const std::string advice = advice_on_blas(probe_blas_gflops(), threads);
  if (!advice.empty()) spdlog::warn("{}", advice);
}

}  // namespace tinylm
