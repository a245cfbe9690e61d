// Synthetic tests of what heads can do: they need a model, and no text.
#pragma once

#include <string>
#include <vector>

#include "inspect/attention_patterns.h"
#include "inspect/head_selection.h"
#include "run/run.h"

namespace tinylm {

/// A head passes a test with this score: more than half of what a perfect one does.
inline constexpr double kProbePasses = 0.5;

struct Probe {
  std::string name;
  std::string explanation;  // one sentence
  PatternScore (*measure)(LoadedModel& loaded);
};

/// induction and previous: attention on random tokens that come twice (random_repeats.h). copy: how often the head's
/// output for a random token raises that token's own logit more than almost all others' (Wang et al., "Interpretability
/// in the Wild", 2022, there the five highest; here at most a tenth of the vocabulary).
const std::vector<Probe>& probes();

struct ProbeResult {
  const Probe* probe = nullptr;
  PatternScore score = {};         // rows: sequences
  std::vector<HeadPlace> passing;  // the best first
};

/// `name`: one of probes(). Throws BadInput where the model's context is too short for a test.
ProbeResult run_probe(LoadedModel& loaded, const std::string& name);

/// What was tested, the score of every head, which pass.
std::string probe_text(const ProbeResult& result, std::size_t columns);

}  // namespace tinylm
