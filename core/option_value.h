// The value of an option: what kinds there are, how one is read from the command line, and how it is written to files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tinylm {

/// A value as it stands in a file: booleans, whole numbers, floating point, text, list of texts.
using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// `text` as a value of the same alternative as `like`; nothing when it cannot be read as one. Whole numbers have no
/// point or exponent, floating-point numbers are finite. A list takes the text as its one element.
std::optional<OptionValue> parse_value(std::string_view text, const OptionValue& like);

/// Converts to the alternative of `like` what means the same in a file: whole numbers stand for floating-point ones.
/// Nothing when the alternatives differ otherwise or the number is not finite.
std::optional<OptionValue> convert_value(const OptionValue& value, const OptionValue& like);

/// The kind in words: "a whole number", "true or false", "a list of texts".
std::string kind_in_words(const OptionValue& value);

/// One line of TOML that reads back to the same value. Throws BadInput for text that is no UTF-8, which TOML cannot
/// hold.
std::string to_toml(const OptionValue& value);

}  // namespace tinylm
