// A worked attention calculation for people: each step a line with its formula, in the terminal.
#pragma once

#include <cstdint>
#include <string>

#include "inspect/worked_attention.h"

namespace tinylm {

/// Decimals that a number is printed with.
inline constexpr int kDefaultDigits = 4;
inline constexpr int kMostDigits = 15;

/// With so many decimals; no zero has a sign, what is not finite is "-inf", "inf" or "nan".
std::string with_digits(double value, int digits);
/// "[0, 1]": numbers as a person would write them, in shortest form.
std::string short_vector(const torch::Tensor& row);
/// "[1.9814, 2.0093]".
std::string vector_with_digits(const torch::Tensor& row, int digits);

/// The shapes of Q, K, V, the scores and the output, which keys may be looked at, then for each query every step from
/// the dot products to the output. A query without an allowed key is named, with the rule for it.
std::string worked_text(const WorkedAttention& worked, int digits = kDefaultDigits);

/// The weights as a matrix that fills row by row, one line for `query` (-1: the line above the first), a point for each
/// key that is hidden, the sum of the row at its end.
std::string matrix_line(const WorkedAttention& worked, std::int64_t query, int digits = kDefaultDigits);

/// Whether the weights of `query` sum to one within 1e-12, or to zero where no key is allowed.
bool row_sum_is_right(const WorkedAttention& worked, std::int64_t query);

}  // namespace tinylm
