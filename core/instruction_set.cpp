#include "core/instruction_set.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

#include "core/errors.h"

namespace tinylm {
namespace {

constexpr InstructionSet kAll[] = {InstructionSet::kBaseline, InstructionSet::kAvx2, InstructionSet::kAvx512};

InstructionSet allowed_by_environment() {
  const char* value = std::getenv("TINYLM_MAX_ISA");
  if (value == nullptr || *value == '\0') return detected_instruction_set();
  for (const InstructionSet set : kAll)
    if (std::string(value) == name_of(set)) return std::min(set, detected_instruction_set());
  throw WrongUse("the environment variable TINYLM_MAX_ISA must be baseline, avx2 or avx512, found \"" +
                 std::string(value) + "\"");
}

std::atomic<InstructionSet>& in_use() {
  static std::atomic<InstructionSet> set{allowed_by_environment()};
  return set;
}

}  // namespace

const char* name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return "avx512";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kBaseline:
      break;
  }
  return "baseline";
}

InstructionSet detected_instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return avx512 ? InstructionSet::kAvx512 : InstructionSet::kAvx2;
  }
#endif
  return InstructionSet::kBaseline;
}

std::vector<InstructionSet> available_instruction_sets() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : kAll)
    if (set <= detected_instruction_set()) sets.push_back(set);
  return sets;
}

InstructionSet instruction_set() {
  return in_use().load(std::memory_order_relaxed);
}

InstructionSetLimit::InstructionSetLimit(InstructionSet most)
    : before_(in_use().exchange(std::min(most, detected_instruction_set()))) {}

InstructionSetLimit::~InstructionSetLimit() {
  in_use() = before_;
}

}  // namespace tinylm
