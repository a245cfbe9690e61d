#include "measure/bare_program.h"

#include <omp.h>

#include <chrono>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "core/errors.h"
#include "core/numbers.h"

namespace tinylm {
namespace {

// Threads of OpenMP and OpenBLAS that have nothing to do spin for up to some 30 ms before they sleep.
constexpr std::chrono::milliseconds kUntilThreadsSleep{50};

/// The number behind `name` in a line of names and numbers; nothing when there is none.
std::optional<double> number_behind(const std::string& name, const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (word == name && words >> word) return parse_decimal(word);
  return std::nullopt;
}

}  // namespace

std::string openblas_core(const Processor& processor) {
  if (processor.has("avx512f")) return "SkylakeX";
  return processor.has("avx2") ? "Haswell" : "";
}

std::vector<std::string> bare_arguments(const BenchShape& shape) {
  const ModelConfig& model = shape.model;
  const bool known = model.positions == "learned" && model.norm == NormKind::kLayerNorm && !model.bias &&
                     model.key_value_heads() == model.heads && model.hidden_width() == 4 * model.width &&
                     model.activation != ActivationKind::kSwiGlu && !model.query_key_norm && model.dropout == 0.0;
  if (!known) throw std::invalid_argument("the bare programs do not have the model of shape " + shape.name);
  std::vector<std::string> words = {model.activation == ActivationKind::kGelu ? "gelu" : "relu2",
                                    model.tied_embeddings ? "tied" : "own"};
  for (const std::int64_t size :
       {model.vocabulary_size, model.layers, model.heads, model.width, model.context, shape.train.batch})
    words.push_back(std::to_string(size));
  return words;
}

void BareProgram::start() {
  if (child_) return;
  const std::string threads = std::to_string(omp_get_max_threads());
  std::vector<std::string> words = {file_.string(), "--on-demand", threads};
  for (const std::string& word : bare_arguments(shape_)) words.push_back(word);
  std::map<std::string, std::string> variables = {{"OPENBLAS_NUM_THREADS", threads}};
  const std::string core = openblas_core(read_processor());
  if (!core.empty()) variables["OPENBLAS_CORETYPE"] = core;
  child_ = std::make_unique<ChildProcess>(words, variables);
}

double BareProgram::mean_s(std::int64_t count) {
  std::this_thread::sleep_for(kUntilThreadsSleep);
  const std::string answer = child_->ask(std::to_string(count));
  std::this_thread::sleep_for(kUntilThreadsSleep);
  const std::optional<double> seconds = number_behind("seconds", answer), bytes = number_behind("memory_bytes", answer);
  if (!seconds || !(*seconds > 0.0) || !bytes || !(*bytes >= 0.0))
    throw FileError("'" + file_.string() + "' answered \"" + answer +
                    "\", expected \"seconds S memory_bytes M\"; build it again");
  memory_bytes_ = static_cast<std::uint64_t>(*bytes);
  return *seconds / static_cast<double>(count);
}

}  // namespace tinylm
