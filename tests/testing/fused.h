// What tests of fused operations share: other instruction sets, other numbers of threads, sizes drawn at random.
#pragma once

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "core/instruction_set.h"
#include "core/torch.h"
#include "model/ops/matmul.h"
#include "testing/tensors.h"

namespace tinylm::testing {

/// Runs `check` with loops at each instruction set that the machine has.
template <class Check>
void at_each_instruction_set(const Check& check) {
  for (const InstructionSet set : available_instruction_sets()) {
    const InstructionSetLimit limit(set);
    SCOPED_TRACE(name_of(set));
    check();
  }
}

/// OpenMP uses this many threads while it lives.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

/// Whether oneDNN's products are the same bit for bit with any number of threads: those in float32 of its AVX-512
/// kernels are. Others may sum in another order, and with AMX those in bfloat16.
inline bool products_agree_across_threads(ops::MatmulInputs inputs) {
  const ops::MatrixView dense{.row_stride = 64};
  const std::string kernel =
      ops::matmul_implementation({.m = 64, .n = 64, .k = 64, .a = dense, .b = dense, .c = dense}, inputs);
  return kernel.find("avx512") != std::string::npos && kernel.find("amx") == std::string::npos;
}

/// What `compute` gives (a vector of tensors) is the same bit for bit a second time with 1, 2 and 3 threads, and, with
/// `across_threads`, whatever their number.
template <class Compute>
void expect_reproducible(const Compute& compute, bool across_threads = true) {
  std::vector<torch::Tensor> expected = compute();
  for (const int threads : {omp_get_max_threads(), 1, 2, 3}) {
    const ThreadCount count(threads);
    if (!across_threads) expected = compute();
    const std::vector<torch::Tensor> found = compute();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(tensors_equal(found[i], expected[i])) << "result " << i << " with " << threads << " threads";
  }
}

/// |found - expected| <= tolerance times the largest |expected|, or times 1 when that is smaller. `expected` may be
/// float64.
inline ::testing::AssertionResult close_by_scale(const torch::Tensor& found, const torch::Tensor& expected,
                                                 double tolerance) {
  if (!found.defined() || !expected.defined() || found.numel() == 0) return tensors_close(found, expected, 0.0);
  const double scale = std::max(1.0, expected.abs().max().item<double>());
  return tensors_close(found.to(torch::kFloat64), expected.to(torch::kFloat64), tolerance * scale);
}

/// Sizes and choices of test cases, from a seed.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : generator_(seed) {}
  /// A whole number in [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool coin() { return between(0, 1) == 1; }
  std::int64_t one_of(std::initializer_list<std::int64_t> values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

 private:
  std::mt19937 generator_;  // gives the same numbers with every library
};

}  // namespace tinylm::testing
