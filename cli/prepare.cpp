#include "cli/prepare.h"

#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include "core/errors.h"
#include "core/numbers.h"
#include "data/batch.h"

namespace tinylm {

void TokenCacheFlag::describe(CLI::App& app) {
  app.add_option("--token-cache", folder_, "folder of encoded texts, reused when nothing changed")
      ->type_name("FOLDER")
      ->capture_default_str();
}

namespace {

/// Throws BadInput when the text would do, were it not for what is held out of it.
void require_training_text(const Dataset& dataset, const RunConfig& run) {
  const std::int64_t needed = run.model.context + 1, left = dataset.train().count, held_out = dataset.val().count;
  if (left >= needed || left + held_out < needed || !run.text.val.empty()) return;
  throw BadInput(fmt::format(
      "--val-fraction {} holds out {} of the text's {} tokens and leaves {} to learn from, at least "
      "{} (--context and 1) are needed: lower --val-fraction or --context, or give more text",
      shortest(run.text.val_fraction), grouped(held_out), grouped(left + held_out), grouped(left), grouped(needed)));
}

}  // namespace

Dataset prepare(Configuration& configuration, const TokenCacheFlag& cache) {
  std::unique_ptr<Tokenizer> fixed;
  if (!configuration.init_from.empty()) fixed = load_tokenizer(Run::open(configuration.init_from).data_folder());
  RunConfig& run = configuration.run;
  Dataset dataset = prepare_dataset(run.text, run.tokenizer, configuration.train.seed, cache.folder(), fixed.get());
  run.model.vocabulary_size = dataset.tokenizer().vocabulary_size();
  require_training_text(dataset, run);
  BatchSource(dataset.train(), run.model.context, configuration.train.seed);  // throws when there is too little text
  return dataset;
}

}  // namespace tinylm
