// What `tinylm score --compare` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sample/paired_losses.h"

namespace tinylm {

struct ComparedRun {
  std::string run;         // its folder
  std::string checkpoint;  // "step-2000"
  TextScore score;         // of the whole text
};

/// A place where the two differ much: a token, or, where the tokenizers differ, a piece of text.
struct DifferentPlace {
  std::int64_t position = 0;  // of the (first) token in the first run's token file
  std::int64_t tokens = 0;    // of the place, 1 or those of the piece
  std::string text;           // as people see it, shortened
  std::string before;         // what stands before it
  double a_nats = 0.0, b_nats = 0.0;
};

struct RunComparison {
  ComparedRun a, b;
  bool same_tokens = false;  // whether both have one tokenizer, so that tokens compare
  std::int64_t pieces = 0;
  BootstrapOptions bootstrap;
  Difference difference;
  std::vector<DifferentPlace> places;  // the largest difference first
};

/// For people: both runs' figures, the difference with its interval, and where they differ most.
std::string to_text(const RunComparison& comparison);

/// One JSON object on one line, UTF-8: "runs": [{"run", "checkpoint", "tokens", "total_loss_nats", "mean_loss_nats",
/// "bits_per_byte"}], "difference_bits_per_byte", "interval_bits_per_byte": [lowest, highest], "confidence", "bytes",
/// "pieces", "replicates", "seed", "same_tokens", "most_different": [{"position", "text", "a_nats", "b_nats"}].
std::string to_json(const RunComparison& comparison);

}  // namespace tinylm
