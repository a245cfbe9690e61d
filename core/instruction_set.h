// Which vector instructions the program's own loops (vectorised.h) use, chosen when it runs: one binary serves all
// processors. oneDNN chooses for its products by itself (ONEDNN_MAX_CPU_ISA limits it).
#pragma once

#include <vector>

namespace tinylm {

/// Lowest first. kAvx2 comes with fused multiply-add; kAvx512 is what Skylake-X and Zen 4 have: F, BW, DQ, VL.
enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

/// "baseline", "avx2", "avx512".
const char* name_of(InstructionSet set);

/// The best that this processor and operating system can run.
InstructionSet detected_instruction_set();
/// All that this machine can run, lowest first.
std::vector<InstructionSet> available_instruction_sets();

/// What loops use: the detected one, at most what the environment variable TINYLM_MAX_ISA names (read once). Throws
/// WrongUse when it names none; programs ask once before they start threads.
InstructionSet instruction_set();

/// Has loops use a lower instruction set while it lives; for tests. One at a time, and not while loops run.
class InstructionSetLimit {
 public:
  explicit InstructionSetLimit(InstructionSet most);
  ~InstructionSetLimit();
  InstructionSetLimit(const InstructionSetLimit&) = delete;
  InstructionSetLimit& operator=(const InstructionSetLimit&) = delete;

 private:
  InstructionSet before_;
};

}  // namespace tinylm
