// Questions about the limits of attention: the causal mask, a single key, a query of zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tinylm {

using TextPositions = std::vector<std::int64_t>;  // ascending, counted from 1

struct BoundaryQuestion {
  std::string text;                                 // one or more lines, none at the end
  std::variant<double, TextPositions, char> right;  // a number, positions, or the letter of a choice
  std::string reason;                               // why that is right
};

/// `count` different questions, all of them when there are fewer; which, in which order and with which numbers is a
/// pure function of `seed`.
std::vector<BoundaryQuestion> boundary_questions(std::uint64_t seed, std::size_t count);

/// Whether the answer on `line` is right: a number to a tolerance (inspect/practice/typed_numbers.h), positions in any
/// order, a letter of either case. Nothing when the line is no answer of the question's kind.
std::optional<bool> is_right(const BoundaryQuestion& question, std::string_view line);

/// What an answer looks like: "one number, such as 0.25".
std::string expected_answer(const BoundaryQuestion& question);
/// The right answer as one types it: "1, 2, 3".
std::string right_answer_text(const BoundaryQuestion& question);

}  // namespace tinylm
