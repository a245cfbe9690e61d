// Numbers as a person types and reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/torch.h"

namespace tinylm {

/// The words of a line, which commas, semicolons, white space and brackets separate: "[0.5, 1/3]" has two.
std::vector<std::string> words_of(std::string_view line);

/// The numbers of a line, float64 [n]: decimals, fractions ("1/3") and "-inf". Nothing when there is no number, or a
/// word that is none.
std::optional<torch::Tensor> parse_numbers(std::string_view line);

/// How far `answer` is from `value`, both [n], in tolerances: at most 1 counts as equal. One tolerance is 0.006 or 1%
/// of the value, whichever is larger, so that two decimals are enough. The largest over the numbers; infinite when the
/// counts differ or a difference is no number.
double distance_in_tolerances(const torch::Tensor& answer, const torch::Tensor& value);

/// At most three decimals, without zeros at the end: "2", "0.707", "-1.5".
std::string short_number(double value);
/// Short numbers, separated by commas, of a [n] tensor: "1, 0.707".
std::string short_numbers(const torch::Tensor& values);

}  // namespace tinylm
