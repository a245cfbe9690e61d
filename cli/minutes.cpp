#include "cli/minutes.h"

#include <spdlog/spdlog.h>

#include <filesystem>

#include "core/numbers.h"
#include "train/dial.h"
#include "train/step_timer.h"

namespace tinylm {
namespace {

/// Of all files that `arguments` name; 0 for what cannot be known yet, or not be read.
std::uint64_t bytes_of(const std::vector<std::string>& arguments) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto size = [&](const fs::path& file) {
    return fs::is_regular_file(file, ignored) ? static_cast<std::uint64_t>(fs::file_size(file, ignored)) : 0U;
  };
  std::uint64_t bytes = 0;
  for (const std::string& argument : arguments) {
    bytes += size(argument);
    if (!fs::is_directory(argument, ignored)) continue;
    for (fs::recursive_directory_iterator file(argument, ignored), end; file != end; file.increment(ignored))
      bytes += size(file->path());
  }
  return bytes;
}

void say(const std::vector<DialChoice>& choices) {
  for (const DialChoice& choice : choices) spdlog::info("chosen: {}  ({})", choice.flags, choice.reason);
}

}  // namespace

Dataset prepare_in_time(ConfigurationFlags& flags, Configuration& configuration, const TokenCacheFlag& cache,
                        const StopWatch& since_start) {
  if (configuration.train.minutes == 0.0) return prepare(configuration, cache);
  RunConfig& run = configuration.run;
  Dial dial{.whole_s = 60.0 * configuration.train.minutes};
  dial.is_free = [&](const std::string& key) { return flags.leaves_open(key); };
  dial.measure_step_s = [&](const ModelConfig& model, const TrainOptions& options, double seconds) {
    return measure_step_s(model, options, run.machine.training_ops(), seconds);
  };
  say(choose_split(dial, bytes_of(run.text.text), run.text));
  if (flags.leaves_open("context")) run.model.context = 1;  // chosen below, as the text allows
  Dataset dataset = prepare(configuration, cache);
  const std::vector<DialChoice> tokenizer = choose_tokenizer(dial, run.model.vocabulary_size, run.tokenizer);
  say(tokenizer);
  if (!tokenizer.empty()) dataset = prepare(configuration, cache);
  dial.left_s = dial.whole_s - since_start.seconds();
  spdlog::info("measuring the speed of models of several sizes ...");
  say(choose_sizes(dial, dataset.train().count, dataset.val().count, run.model, configuration.train));
  flags.adopt(configuration);
  return dataset;
}

}  // namespace tinylm
