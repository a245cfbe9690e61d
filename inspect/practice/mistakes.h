// The mistakes that people usually make in an attention calculation.
#pragma once

#include <string_view>
#include <vector>

#include "inspect/practice/exercise.h"

namespace tinylm {

struct Mistake {
  torch::Tensor answer;  // float64 [n], what one who makes it comes to; not always as many numbers as are right
  std::string_view why;  // a sentence for that person; lives as long as the program
};

/// What each usual mistake in `step` gives, all steps before it being right. Mistakes that the exercise gives no
/// occasion for are left out: with d_k = 1 there is nothing to divide by, without a mask nothing to forget.
std::vector<Mistake> usual_mistakes(const Exercise& exercise, Step step);

/// Whether `answer` [n] is what one of them gives.
bool is_usual_mistake(const Exercise& exercise, Step step, const torch::Tensor& answer);

}  // namespace tinylm
