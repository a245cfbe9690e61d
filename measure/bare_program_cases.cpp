// What this program gains over the textbook's ways, in the sections "training" and "generation" of the suite.
#include <algorithm>
#include <memory>

#include "measure/bare_program.h"
#include "measure/suite.h"
#include "measure/training_memory.h"
#include "train/plan.h"

namespace tinylm {
namespace {

constexpr double kBareSeconds = 0.1;  // so many steps a round, at least one

/// `seconds` is how a round times the program, once it runs.
TimedCase bare_case(const std::string& name, const std::filesystem::path& file, const BenchShape& shape,
                    const std::function<double(BareProgram&)>& seconds) {
  const auto program = std::make_shared<BareProgram>(file, shape);
  const auto prepare = [program, seconds] {
    program->start();
    return [program, seconds] { return seconds(*program); };
  };
  const MemoryPlan memory = plan_memory(shape.model, shape.train, Ops::kPlain);
  return {name, prepare, memory.total_bytes() - memory.activations_bytes, memory.activations_bytes, file};
}

/// A case whose `bytes` are the same in every round: they are measured before the first.
void add_bytes(Suite& suite, const std::string& name, const std::filesystem::path& file, const MemoryPlan& memory,
               const std::function<std::uint64_t()>& bytes) {
  const auto prepare = [bytes] {
    const auto measured = static_cast<double>(bytes());
    return [measured] { return measured; };
  };
  suite.cases.push_back({name, prepare, 0, memory.total_bytes(), file, /*steady=*/true});
  suite.results.push_back({"training", name, "MB", name, 1e-6});
}

/// Of as many steps as training_memory_bytes() makes: one to warm up, and these.
std::uint64_t memory_of_bare_loop(const std::filesystem::path& file, const BenchShape& shape) {
  BareProgram bare(file, shape);
  bare.start();
  bare.mean_s(kMemorySteps - 1);
  return bare.memory_bytes();
}

}  // namespace

void add_bare_loop(Suite& suite, const BenchShape& shape, const BenchPrograms& programs) {
  const std::string name = "bare_loop_" + shape.name;
  const auto steps = std::make_shared<std::int64_t>(1);
  suite.cases.push_back(bare_case(name, programs.bare / "bare_loop", shape, [steps](BareProgram& bare) {
    const double seconds = bare.mean_s(*steps);
    *steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(kBareSeconds / seconds));
    return seconds;
  }));
  suite.results.push_back({"training", name, "tokens/s", name, static_cast<double>(shape.tokens_per_step()), true});
  suite.ratios.push_back({"training", "training_" + shape.name + "_over_bare_loop", name, "step_" + shape.name,
                          "tokens/s over those of the same training by the textbook, bench/bare_loop.cpp"});
}

void add_training_memory(Suite& suite, const BenchShape& shape, const BenchPrograms& programs) {
  const std::string ours = "memory_" + shape.name, bare = "memory_bare_loop_" + shape.name;
  const MemoryPrograms measured{programs.bare / "peak_memory", programs.tinylm};
  add_bytes(suite, ours, measured.peak_memory, plan_memory(shape.model, shape.train, shape.ops),
            [measured, shape] { return training_memory_bytes(measured, shape); });
  const std::filesystem::path file = programs.bare / "bare_loop";
  add_bytes(suite, bare, file, plan_memory(shape.model, shape.train, Ops::kPlain),
            [file, shape] { return memory_of_bare_loop(file, shape); });
  suite.ratios.push_back({"training", ours + "_over_bare_loop", ours, bare,
                          "the most memory above that of the started program, over the bare loop's"});
}

void add_bare_generation(Suite& suite, const BenchShape& shape, const BenchPrograms& programs) {
  const std::string name = "bare_generate_" + shape.name, ours = "generation_" + shape.name;
  const std::int64_t tokens = shape.tokens_of_one_text();
  suite.cases.push_back(bare_case(name, programs.bare / "bare_generate", shape,
                                  [tokens](BareProgram& bare) { return bare.mean_s(tokens); }));
  suite.results.push_back({"generation", name, "tokens/s", name, 1.0, true});
  suite.ratios.push_back({"generation", "generation_" + shape.name + "_over_bare_generate", name, ours,
                          "tokens/s over those of torch::nn modules with a key/value cache, bench/bare_generate.cpp"});
}

}  // namespace tinylm
