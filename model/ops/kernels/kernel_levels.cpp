#include "model/ops/kernels/kernel_levels.h"

namespace tinylm::ops {

const KernelLevel& kernel_level() {
#if TINYLM_LEVELS
  switch (instruction_set()) {
    case InstructionSet::kAvx512:
      return kernels_avx512();
    case InstructionSet::kAvx2:
      return kernels_avx2();
    case InstructionSet::kBaseline:
      break;
  }
#endif
  return kernels_baseline();
}

}  // namespace tinylm::ops
