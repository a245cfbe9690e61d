#include "core/option_table.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/numbers.h"

namespace tinylm {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The default as the help shows it: as in a file, but a text without quotes.
std::string shown_default(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty() ? "none" : *text;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    return texts->empty() ? "none" : joined(*texts);
  return to_toml(value);
}

std::string full_help(const Option& option) {
  const std::string choices = option.choices.empty() ? "" : joined(option.choices) + "; ";
  return option.help + " (" + choices +
         "default: " + (option.default_name.empty() ? shown_default(option.get()) : option.default_name) + ")";
}

std::string type_name(const OptionValue& value) {
  if (std::holds_alternative<std::int64_t>(value)) return "INT";
  if (std::holds_alternative<double>(value)) return "NUMBER";
  return "TEXT";
}

std::string capitalized(std::string word) {
  if (!word.empty()) word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  return word;
}

/// All that a flag's repetitions gave as one value, nothing when the option does not take one of them.
std::optional<OptionValue> value_from(const Option& option, const std::vector<std::string>& texts) {
  const OptionValue like = option.get();
  if (std::holds_alternative<std::vector<std::string>>(like)) return option.accept(texts);
  const auto parsed = parse_value(texts.back(), like);
  return parsed ? option.accept(*parsed) : std::nullopt;
}

nlohmann::ordered_json json_of(const OptionValue& value) {
  return std::visit([](const auto& alternative) { return nlohmann::ordered_json(alternative); }, value);
}

}  // namespace

std::string Option::flag() const {
  std::string name = "--" + key;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string Option::expected() const {
  const OptionValue like = get();
  const bool is_list = std::holds_alternative<std::vector<std::string>>(like);
  if (!choices.empty()) return (is_list ? "a list of " : "one of ") + joined(choices);
  const bool limited = minimum != std::numeric_limits<std::int64_t>::min();
  return kind_in_words(like) + (limited ? " from " + std::to_string(minimum) + " to 9223372036854775807" : "");
}

std::optional<OptionValue> Option::accept(const OptionValue& value) const {
  auto converted = convert_value(value, get());
  if (!converted) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(&*converted); number && *number < minimum) return std::nullopt;
  if (const auto* word = std::get_if<std::string>(&*converted); word && !choices.empty() && !contains(choices, *word)) {
    return std::nullopt;
  }
  return converted;
}

Option& OptionTable::add_option(Option option) {
  for (const Option& other : options_) {
    if (other.key == option.key) throw std::logic_error("two options have the key " + option.key);
  }
  options_.push_back(std::move(option));
  return options_.back();
}

Option& OptionTable::add_choice(const std::string& section, const std::string& key, std::string& field,
                                std::vector<std::string> words, const std::string& help) {
  Option& option = add(section, key, field, help);
  option.choices = std::move(words);
  return option;
}

void OptionTable::add_to(CLI::App& app) {
  for (std::size_t index = 0; index < options_.size(); ++index) {
    const Option& option = options_[index];
    if (!option.has_flag) continue;
    const OptionValue like = option.get();
    const std::string name = option.flag();
    CLI::Option* flag = nullptr;
    if (std::holds_alternative<bool>(like)) {
      const auto note = [this, index](std::int64_t count) {
        given_.push_back({index, {count > 0 ? "true" : "false"}});
      };
      flag = app.add_flag_function(name + ",!--no-" + name.substr(2), note, full_help(option));
      flag->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    } else {
      const auto note = [this, index](const std::vector<std::string>& texts) {
        given_.push_back({index, texts});
        return true;
      };
      flag = app.add_option(name, CLI::callback_t(note), full_help(option));
      flag->type_name(option.value_name.empty() ? type_name(like) : option.value_name);
      if (std::holds_alternative<std::vector<std::string>>(like)) {
        flag->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      }
    }
    flag->group(capitalized(option.section));
  }
}

std::vector<std::string> OptionTable::apply_command_line() {
  Problems problems;
  std::vector<std::pair<const Option*, OptionValue>> accepted;
  for (const auto& [index, texts] : given_) {
    const Option& option = options_[index];
    if (const auto value = value_from(option, texts)) {
      accepted.emplace_back(&option, *value);
      continue;
    }
    problems.add(option.flag() + ": found '" + joined(texts) + "', expected " + option.expected() +
                 did_you_mean(texts.back(), option.choices));
  }
  problems.throw_if_any();
  std::vector<std::string> keys;
  for (const auto& [option, value] : accepted) {
    option->set(value);
    keys.push_back(option->key);
  }
  return keys;
}

std::vector<std::string> OptionTable::saved_sections() const {
  std::vector<std::string> sections;
  for (const Option& option : options_) {
    if (option.saved && !contains(sections, option.section)) sections.push_back(option.section);
  }
  return sections;
}

std::string OptionTable::to_toml() const {
  std::string text;
  for (const std::string& section : saved_sections()) {
    text += (text.empty() ? "[" : "\n[") + section + "]\n";
    for (const Option& option : options_) {
      if (option.saved && option.section == section) {
        text += option.key + " = " + tinylm::to_toml(option.get()) + "\n";
      }
    }
  }
  return text;
}

std::string OptionTable::to_json() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const std::string& section : saved_sections()) {
    for (const Option& option : options_) {
      if (option.saved && option.section == section) all[section][option.key] = json_of(option.get());
    }
  }
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tinylm
