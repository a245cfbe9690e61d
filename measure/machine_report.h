// What this machine is and how fast it multiplies: what `tinylm info --machine` says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/processor.h"
#include "measure/blas.h"

namespace tinylm {

struct MachineReport {
  Processor processor;
  Processor onednn_processor;                 // the same, as oneDNN may use it
  std::vector<std::string> instruction_sets;  // of our own loops, that this machine can run, lowest first
  std::string instruction_set;                // the one in use
  std::string instruction_set_limit;          // the variable TINYLM_MAX_ISA; "": not set
  int cores = 0, threads = 0;
  std::uint64_t memory_bytes = 0;     // that can still be taken; what the cgroup leaves counts
  std::string libtorch, onednn;       // versions
  std::string onednn_kernels;         // of a float32 product
  double fp32_gflops = 0.0;           // 512^3 products through oneDNN
  std::optional<double> bf16_gflops;  // nothing: oneDNN has no such product for this processor
  BlasLibrary blas;
  double blas_gflops = 0.0;  // 512^3 through libtorch's own product
};

/// Takes about 100 ms; uses the threads that are set.
MachineReport measure_machine();

/// One JSON object.
std::string to_json(const MachineReport& report);
/// Lines for people, with what is wrong and what to do about it at the end.
std::string to_text(const MachineReport& report);

/// What --precision auto comes to, and what bfloat16 could give, in a sentence.
std::string precision_advice(const MachineReport& report);

}  // namespace tinylm
