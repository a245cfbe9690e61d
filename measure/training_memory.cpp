#include "measure/training_memory.h"

#include <omp.h>

#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/numbers.h"
#include "data/temporary.h"
#include "measure/child_process.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

// Runs its arguments and writes the last line of their stderr, which peak_memory wrote.
constexpr const char* kLastLine =
    R"(said=$("$@" 2>&1 >/dev/null </dev/null) || { echo "$said" >&2; exit 1; }; echo "$said" | tail -n 1)";

double peak_bytes(const MemoryPrograms& programs, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {
      "/bin/sh", "-c", kLastLine, "sh", programs.peak_memory.string(), programs.tinylm.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string line = ChildProcess(words).read_line();
  const std::optional<double> kilobytes = parse_decimal(line);
  if (!kilobytes)
    throw FileError("'" + programs.peak_memory.string() + "' ended with \"" + line + "\", expected kilobytes");
  return *kilobytes * 1024.0;
}

std::vector<std::string> training_arguments(const BenchShape& shape, const fs::path& folder) {
  const ModelConfig& model = shape.model;
  std::vector<std::string> words = {"train",
                                    "--quiet",
                                    "--tokenizer",
                                    "char",
                                    "--activation",
                                    model.activation == ActivationKind::kGelu ? "gelu" : "relu2",
                                    model.tied_embeddings ? "--tied-embeddings" : "--no-tied-embeddings",
                                    "--precision",
                                    shape.ops == Ops::kBfloat16 ? "bf16" : "fp32",
                                    "--out",
                                    (folder / "run").string(),
                                    "--token-cache",
                                    (folder / "tokens").string()};
  const std::pair<const char*, std::int64_t> numbers[] = {{"--layers", model.layers},
                                                          {"--heads", model.heads},
                                                          {"--width", model.width},
                                                          {"--context", model.context},
                                                          {"--batch", shape.train.batch},
                                                          {"--accumulate", shape.train.accumulate},
                                                          {"--threads", omp_get_max_threads()},
                                                          {"--steps", kMemorySteps},
                                                          {"--warmup", 2},
                                                          {"--val-fraction", 0},
                                                          {"--sample-every", 0}};
  for (const auto& [flag, value] : numbers) {
    words.push_back(flag);
    words.push_back(std::to_string(value));
  }
  return words;
}

}  // namespace

std::uint64_t training_memory_bytes(const MemoryPrograms& programs, const BenchShape& shape) {
  const TemporaryPath folder(fs::temp_directory_path() / "tinylm-bench");
  const double started = peak_bytes(programs, {"--version"});
  const double trained = peak_bytes(programs, training_arguments(shape, folder.path()));
  if (trained <= started) throw FileError("'" + programs.tinylm.string() + "' took no memory for training");
  return static_cast<std::uint64_t>(trained - started);
}

}  // namespace tinylm
