// A program of bench/ that computes as the textbook does: what this one's speed is compared with. It is a process of
// its own, so that it has a BLAS told which processor this is, and none of this program's settings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/processor.h"
#include "measure/child_process.h"
#include "measure/shape.h"

namespace tinylm {

/// The value of OPENBLAS_CORETYPE whose kernels suit `processor`, which an OpenBLAS older than it does not find by
/// itself: "SkylakeX" with AVX-512, "Haswell" with AVX2, else "".
std::string openblas_core(const Processor& processor);

/// The words behind the program's that describe the model of `shape` to it. Throws std::invalid_argument for a model
/// that the bare programs do not have: they know learned positions, LayerNorm without biases, and as many key/value
/// heads as query heads.
std::vector<std::string> bare_arguments(const BenchShape& shape);

class BareProgram {
 public:
  /// What bench/ calls its programs: "bare_loop".
  BareProgram(const std::filesystem::path& file, const BenchShape& shape) : file_(file), shape_(shape) {}

  /// Starts it, with as many threads as this program uses; once. Throws FileError.
  void start();
  /// Has it do its work `count` times; the seconds of one. Threads that still spin behind what was done before are
  /// waited for, there and here, so that neither takes the cores from the other. Throws FileError when it ends, or
  /// answers otherwise than it should.
  double mean_s(std::int64_t count);
  /// The most memory that it had so far above that of the started program; 0 before mean_s().
  std::uint64_t memory_bytes() const { return memory_bytes_; }

 private:
  std::filesystem::path file_;
  BenchShape shape_;
  std::unique_ptr<ChildProcess> child_;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace tinylm
