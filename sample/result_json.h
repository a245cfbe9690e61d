// What `tinylm sample --json` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sample/generator.h"

namespace tinylm {

/// Everything one call of the command generated.
struct SampleResult {
  std::string prompt;
  std::uint64_t seed = 0;
  double tokens_per_s = 0.0;  // new tokens a second, over all samples
  std::vector<Generated> samples;
};

/// One JSON object on one line, UTF-8: {"prompt", "seed", "samples": [{"text", "ids", "log_probabilities",
/// "entropy_nats", "alternatives", "finish_reason"}], "tokens_per_s"}. "alternatives" has a list for each token,
/// [{"id", "text", "log_probability"}], and is there where they were asked for; its texts are token_text(). Bytes of
/// the prompt that are no UTF-8 become U+FFFD; numbers that are not finite become null.
std::string to_json(const SampleResult& result, const Tokenizer& tokenizer);

}  // namespace tinylm
