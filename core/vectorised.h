// Runs a function with a plain loop over many numbers in the copy that the compiler made of it for the instruction set
// in use (instruction_set.h).
#pragma once

#include "core/instruction_set.h"

#if defined(__x86_64__)
#define TINYLM_AVX2 __attribute__((target("avx2,fma"), flatten))
#define TINYLM_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,prefer-vector-width=512"), flatten))
#else
#define TINYLM_AVX2
#define TINYLM_AVX512
#endif

namespace tinylm {
namespace vectorised_detail {

// What kFunction calls is compiled into these ("flatten"), so its helpers need no mark as long as they can be inlined:
// templates, functions of the same file or inline ones. Others run in their baseline form.
template <auto kFunction, class... Arguments>
TINYLM_AVX512 auto at_avx512(Arguments... arguments) {
  return kFunction(arguments...);
}
template <auto kFunction, class... Arguments>
TINYLM_AVX2 auto at_avx2(Arguments... arguments) {
  return kFunction(arguments...);
}

}  // namespace vectorised_detail

/// kFunction(arguments...), which are passed by value; with AVX-512 kAvx512Function, for loops that make use of its
/// registers being twice as many. The results of the instruction sets differ in rounding. Threads are started outside
/// (parallel.h).
template <auto kFunction, auto kAvx512Function = kFunction, class... Arguments>
auto vectorised(Arguments... arguments) {
  switch (instruction_set()) {
    case InstructionSet::kAvx512:
      return vectorised_detail::at_avx512<kAvx512Function>(arguments...);
    case InstructionSet::kAvx2:
      return vectorised_detail::at_avx2<kFunction>(arguments...);
    case InstructionSet::kBaseline:
      break;
  }
  return kFunction(arguments...);
}

}  // namespace tinylm
