// Everything that `tinylm bench` can measure: what is timed, and which results and ratios come from it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "measure/rounds.h"
#include "measure/shape.h"

namespace tinylm {

/// A figure that comes from one case: `factor` units for each second it took, or, for a rate, `factor` units a second.
struct ResultRule {
  std::string section, name, unit;
  std::string of;  // a case
  double factor = 1.0;
  bool rate = false;
};

/// A figure that compares two cases: factor * (time of `over` / time of `under`) + offset.
struct RatioRule {
  std::string section, name, over, under, meaning;
  double factor = 1.0, offset = 0.0;
};

struct Suite {
  std::vector<TimedCase> cases;
  std::vector<ResultRule> results;
  std::vector<RatioRule> ratios;

  /// What the sections, results and ratios of these names need; everything for no name. Throws WrongUse for a name that
  /// is none, with those that there are.
  Suite only(const std::vector<std::string>& names) const;
  /// Leaves out the cases whose programs are not there, with the figures that need them; gives those programs.
  std::vector<std::filesystem::path> leave_out_missing_programs();
  /// Throws MemoryError when the cases need more than `available_bytes` together.
  void require_memory(std::uint64_t available_bytes) const;
};

/// The trainings that are measured. Costs and generation are those of `tiny` and `baby`.
struct BenchShapes {
  BenchShape tiny, baby, context_1024;
};
/// Other programs that take part.
struct BenchPrograms {
  std::filesystem::path bare;    // the folder of bare_loop, bare_generate and peak_memory (bench/)
  std::filesystem::path tinylm;  // this program itself
};
Suite make_suite(const BenchShapes& shapes, const BenchPrograms& programs);

// The sections, one file each; every one adds its cases and rules.

/// "machine": rates of products and of reading memory.
void add_machine(Suite& suite);
/// "training": steps on the fused operations and on the definitions, and their bare products.
void add_training(Suite& suite, const BenchShape& shape);
/// The same: steps of the bare loop, and what the others gain over them. After add_training() of the same shape.
void add_bare_loop(Suite& suite, const BenchShape& shape, const BenchPrograms& programs);
/// The same: the memory of a training and of the bare loop.
void add_training_memory(Suite& suite, const BenchShape& shape, const BenchPrograms& programs);
/// "costs": what dropout, biases, clipping and norms take of a step. After add_training() of the same shape.
void add_costs(Suite& suite, const BenchShape& shape);
/// "attention": the fused attention against its bare products.
void add_attention(Suite& suite, const BenchShape& shape);
/// "generation": one text at a time and 32 together.
void add_generation(Suite& suite, const BenchShape& shape);
/// The same: a text by torch::nn modules. After add_generation() of the same shape.
void add_bare_generation(Suite& suite, const BenchShape& shape, const BenchPrograms& programs);
/// "tokenizing": a text through sentencepiece on all threads and on one.
void add_tokenizing(Suite& suite);

}  // namespace tinylm
