// Templates of core/option_table.h: how a field of each type is read and written.
#pragma once

#include <stdexcept>
#include <type_traits>

#include "core/option_table.h"

namespace tinylm {

template <class Field>
Option& OptionTable::add(const std::string& section, const std::string& key, Field& field, const std::string& help) {
  Option option{section, key, help, {}, {}, {}};
  if constexpr (std::is_same_v<Field, std::uint64_t>) {
    option.minimum = 0;
    option.get = [&field, key]() -> OptionValue {
      if (field > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
        throw std::logic_error(key + " above 2^63 - 1");
      return static_cast<std::int64_t>(field);
    };
    option.set = [&field](const OptionValue& value) { field = static_cast<Field>(std::get<std::int64_t>(value)); };
  } else {
    option.get = [&field]() -> OptionValue { return field; };
    option.set = [&field](const OptionValue& value) { field = std::get<Field>(value); };
  }
  return add_option(std::move(option));
}

template <class Enum>
Option& OptionTable::add_choice(const std::string& section, const std::string& key, Enum& field,
                                std::vector<std::pair<std::string, Enum>> words, const std::string& help) {
  Option option{section, key, help, {}, {}, {}};
  for (const auto& [word, value] : words) option.choices.push_back(word);
  option.get = [&field, words, key]() -> OptionValue {
    for (const auto& [word, value] : words) {
      if (value == field) return word;
    }
    throw std::logic_error("no word for the value of " + key);
  };
  option.set = [&field, words](const OptionValue& given) {
    for (const auto& [word, value] : words) {
      if (word == std::get<std::string>(given)) field = value;
    }
  };
  return add_option(std::move(option));
}

}  // namespace tinylm
