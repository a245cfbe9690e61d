#include "cli/prepare.h"

#include <CLI/CLI.hpp>

#include "data/batch.h"

namespace tinylm {

void TokenCacheFlag::describe(CLI::App& app) {
  app.add_option("--token-cache", folder_, "folder of encoded texts, reused when nothing changed")
      ->type_name("FOLDER")
      ->capture_default_str();
}

Dataset prepare(Configuration& configuration, const TokenCacheFlag& cache) {
  std::unique_ptr<Tokenizer> fixed;
  if (!configuration.init_from.empty()) fixed = load_tokenizer(Run::open(configuration.init_from).data_folder());
  RunConfig& run = configuration.run;
  Dataset dataset = prepare_dataset(run.text, run.tokenizer, configuration.train.seed, cache.folder(), fixed.get());
  run.model.vocabulary_size = dataset.tokenizer().vocabulary_size();
  BatchSource(dataset.train(), run.model.context, configuration.train.seed);  // throws when there is too little text
  return dataset;
}

}  // namespace tinylm
