// The sentence that an inspection begins with: which head to look at first, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inspect/head_scores.h"

namespace tinylm {

/// A head does one of the known jobs when its score lies at least this part of the way from chance (uniform attention)
/// to 1. Heads of untrained models stay below a tenth.
inline constexpr double kStandsOut = 0.2;
/// A head is needed when the mean loss of the text rises by at least this much without it.
inline constexpr double kNeededNats = 0.05;

/// The head without which the loss of the text rises most, where the sentence is about another one that is needed less,
/// by kNeededNats at least.
struct MostNeeded {
  std::string sentence;
  HeadPlace head;
};

struct Finding {
  std::string sentence;
  std::optional<MostNeeded> most_needed = {};
  HeadPlace head = {};     // what to show first
  std::int64_t query = 0;  // and which row of its map: the one that shows the job best
  std::string score;       // id of the score to show first
  bool notable = false;    // false: the sentence says that nothing stands out
};

/// Asks in this order, among the heads of `selection`: is there an induction head (on random repeats), a head for the
/// previous token, one for copies of the same token; if none stands out, is there a head that the text's loss depends
/// on. Says too what the loss becomes without the head, where that is known, and which head is needed most, where that
/// is known of all.
Finding find_notable(const std::vector<HeadScores>& scores, const Inspection& text, const HeadSelection& selection);

/// The head with the highest score for each of those jobs: where taking out every head would take too long, these.
std::vector<HeadPlace> strongest_heads(const std::vector<HeadScores>& scores, const HeadSelection& selection);

}  // namespace tinylm
