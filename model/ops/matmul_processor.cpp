#include "model/ops/matmul_processor.h"

#include "model/ops/matmul.h"

namespace tinylm::ops {

Processor matmul_processor() {
  Processor processor = read_processor();
  const MatmulInstructions usable = matmul_instructions();
  if (!usable.avx512_bf16) processor.features.erase("avx512_bf16");
  if (!usable.amx_bf16) processor.features.erase("amx_bf16");
  return processor;
}

}  // namespace tinylm::ops
