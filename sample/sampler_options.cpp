#include "sample/sampler_options.h"

#include <cmath>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"

namespace tinylm {
namespace {

// Beyond them nothing would change but that numbers overflow.
constexpr double kLargestFactor = 1e6, kLargestPenalty = 1e6;

void require_penalty(const std::string& name, double value, Problems& problems) {
  problems.require(std::abs(value) <= kLargestPenalty,
                   name + " is " + shortest(value) + ", expected a number from -1000000 to 1000000; 0: off");
}

}  // namespace

void SamplerOptions::describe(OptionTable& table) {
  table.add("sample", "repetition_penalty", repetition_penalty,
            "weaken the tokens of prompt and text: positive logits divided by it, negative multiplied; 1: off");
  table.add("sample", "presence_penalty", presence_penalty,
            "taken off the logit of each token that the text has, the prompt not counted; 0: off");
  table.add("sample", "frequency_penalty", frequency_penalty,
            "taken off for each time that the text has the token, the prompt not counted; 0: off");
  table.add("sample", "no_repeat_ngram", no_repeat_ngram,
            "no run of this many tokens of prompt and text comes again; 0: off");
  table.add("sample", "temperature", temperature, "logits are divided by it: below 1 safer, above 1 bolder; 0: greedy");
  table.add("sample", "top_k", top_k, "choose among the k likeliest tokens only; 0: off");
  table.add("sample", "top_p", top_p, "choose among the likeliest tokens that together reach this probability; 1: off");
  table.add("sample", "min_p", min_p, "choose among tokens at least this fraction as likely as the likeliest; 0: off");
  table.add("sample", "greedy", greedy, "always the likeliest token");
  table.add("sample", "seed", seed, "seed of the draws: same seed, same text").default_name =
      "another one each time, printed at the end";
}

void SamplerOptions::validate(Problems& problems) const {
  problems.require(
      repetition_penalty >= 1.0 / kLargestFactor && repetition_penalty <= kLargestFactor,
      "repetition_penalty is " + shortest(repetition_penalty) + ", expected a number from 0.000001 to 1000000; 1: off");
  require_penalty("presence_penalty", presence_penalty, problems);
  require_penalty("frequency_penalty", frequency_penalty, problems);
  problems.require(no_repeat_ngram >= 0,
                   "no_repeat_ngram is " + std::to_string(no_repeat_ngram) + ", expected 0 (off) or a positive number");
  problems.require(std::isfinite(temperature) && temperature >= 0.0,
                   "temperature is " + shortest(temperature) + ", expected 0 (greedy) or a positive number");
  problems.require(top_k >= 0, "top_k is " + std::to_string(top_k) + ", expected 0 (off) or a positive number");
  problems.require(top_p > 0.0 && top_p <= 1.0,
                   "top_p is " + shortest(top_p) + ", expected above 0 and at most 1 (off)");
  problems.require(min_p >= 0.0 && min_p <= 1.0, "min_p is " + shortest(min_p) + ", expected from 0 (off) to 1");
}

}  // namespace tinylm
