// What an exercise says: the task, the question of each step and the worked solution.
#pragma once

#include <cstdint>
#include <string>

#include "inspect/practice/exercise.h"

namespace tinylm {

// Keys, values and tokens are counted from 1. All texts end without a new line, and none is wider than 120 columns.

/// The query or queries, keys, values and the mask, in a few lines.
std::string given_text(const Exercise& exercise);
/// What is asked for: "Scaled scores, q . k_j / sqrt(2), one for each key:".
std::string question_text(const Exercise& exercise, Step step);
/// "score 2", "weight 2" or "output 2" for `number` 1.
std::string number_name(Step step, std::int64_t number);
/// How one number of a step, counted from 0, comes about: "(0*1 + 1*3) / sqrt(2) = 2.121".
std::string formula_text(const Exercise& exercise, Step step, std::int64_t number);
/// Every number of a step with its formula, a line each.
std::string solution_text(const Exercise& exercise, Step step);
/// All numbers from the dot products to the output, a line for each step.
std::string summary_text(const Exercise& exercise);

}  // namespace tinylm
