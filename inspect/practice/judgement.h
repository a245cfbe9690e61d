// Whether an answer to an exercise is right, and if not, which step is off and why.
#pragma once

#include <string>

#include "inspect/practice/exercise.h"

namespace tinylm {

/// What the person last gave for the steps before, float64 [n]; undefined where nothing was given.
struct EarlierAnswers {
  torch::Tensor scores = {};
  torch::Tensor weights = {};
};

struct Verdict {
  bool right = false;
  std::string why = {};  // for a wrong answer: the diagnosis, one or two sentences
};

/// Judges `answer`, float64 [n], to a step. Right is what is within a tolerance (inspect/practice/typed_numbers.h) of
/// the right numbers, or of what follows from the person's own rounded but right answer to the step before; for a
/// hidden key's score minus infinity, too. The diagnosis of a wrong answer is the nearest within a tolerance of: it
/// follows correctly from the person's wrong answer to the step before, or a usual mistake; otherwise the first number
/// that is off.
Verdict judge(const Exercise& exercise, Step step, const torch::Tensor& answer, const EarlierAnswers& earlier = {});

}  // namespace tinylm
