// Scores of every head through a training, as `tinylm train --track-heads` keeps them in heads.jsonl: one JSON object a
// line and evaluation. The one place that knows its keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "inspect/random_repeats.h"

namespace tinylm {

/// At each of some steps, by the id of a score.
struct TrackedHeads {
  std::vector<std::int64_t> steps;
  std::map<std::string, torch::Tensor> scores;  // [steps, L, H] float32; NaN where nothing could be measured
};

/// {"step": 250, "previous": [[..H] ..L], "duplicate_random": .., "induction_random": ..}, all on random repeats,
/// without a newline.
std::string tracked_line(std::int64_t step, const RandomRepeats& repeats);

/// Lines that are torn or none are passed over; an empty result when the file does not exist. Throws FileError when it
/// cannot be read or holds lines of models of other sizes.
TrackedHeads read_tracked_heads(const std::filesystem::path& file);

}  // namespace tinylm
