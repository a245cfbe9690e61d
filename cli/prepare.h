// What `train` and `plan` do before anything is trained: encode the text, and see that everything will fit.
#pragma once

#include <string>

#include "cli/configuration.h"
#include "data/dataset.h"

namespace tinylm {

/// --token-cache: where encoded texts are kept.
class TokenCacheFlag {
 public:
  void describe(CLI::App& app);
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_ = "runs/.tokens";
};

/// Makes or reuses the dataset of `configuration`, with the tokenizer of --init-from if that is given, and puts the
/// vocabulary's size into configuration.run.model. Throws BadInput when the training split is shorter than a window.
Dataset prepare(Configuration& configuration, const TokenCacheFlag& cache);

}  // namespace tinylm
