// The part of core/option_table.h that reads TOML files, and says where in them something is wrong.
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "core/errors.h"
#include "core/files.h"
#include "core/numbers.h"
#include "core/option_table.h"

namespace tinylm {
namespace {

/// A node as it would be written, for messages; long ones are cut.
std::string shown(const toml::node& node) {
  if (node.is_table()) return "a table";
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  constexpr std::size_t kLongest = 60;
  const std::string all = text.str();
  return all.size() <= kLongest ? all : "a value of " + std::to_string(all.size()) + " characters";
}

/// A node as an option's value; nothing for dates, tables and lists of other things than texts.
std::optional<OptionValue> value_of(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* text = node.as_string()) return text->get();
  const auto* list = node.as_array();
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const toml::node& element : *list) {
    if (!element.is_string()) return std::nullopt;
    texts.push_back(element.as_string()->get());
  }
  return texts;
}

/// Walks through one file, collecting the values and everything that is wrong.
class TomlReader {
 public:
  TomlReader(const std::vector<Option>& options, const std::string& name) : options_(options), name_(name) {}

  void read(const toml::table& file, const std::vector<std::string>& ignored) {
    for (const auto& [key, node] : file) {
      const std::string section(key.str());
      if (std::find(ignored.begin(), ignored.end(), section) != ignored.end()) continue;
      if (!node.is_table()) {
        complain(node, "'" + section + "' stands outside a section" + home_of(section, ""));
      } else if (!has_section(section)) {
        complain(node, "unknown section [" + section + "]" + did_you_mean(section, sections()));
      } else {
        read_section(section, *node.as_table());
      }
    }
  }

  /// Returns the keys of the fields that were set.
  std::vector<std::string> set_fields() const {
    problems_.throw_if_any();
    std::vector<std::string> keys;
    for (const auto& [option, value] : accepted_) {
      option->set(value);
      keys.push_back(option->key);
    }
    return keys;
  }

 private:
  void read_section(const std::string& section, const toml::table& table) {
    for (const auto& [toml_key, node] : table) {
      const std::string key(toml_key.str());
      const auto option = std::find_if(options_.begin(), options_.end(), [&](const Option& candidate) {
        return candidate.section == section && candidate.key == key;
      });
      if (option == options_.end()) {
        complain(node, "unknown key '" + key + "' in [" + section + "]" + home_of(key, section));
      } else if (!option->saved) {
        complain(node, "'" + key + "' is for the command line only (" + option->flag() + "); remove it here");
      } else {
        read_value(*option, node);
      }
    }
  }

  void read_value(const Option& option, const toml::node& node) {
    const auto value = value_of(node);
    const auto accepted = value ? option.accept(*value) : std::nullopt;
    if (accepted) {
      accepted_.emplace_back(&option, *accepted);
      return;
    }
    const std::string meant = node.is_string() ? did_you_mean(node.as_string()->get(), option.choices) : "";
    complain(node, "[" + option.section + "] " + option.key + ": found " + shown(node) + ", expected " +
                       option.expected() + meant);
  }

  void complain(const toml::node& node, const std::string& message) {
    problems_.add(name_ + ":" + std::to_string(node.source().begin.line) + ": " + message);
  }

  /// Where a key that stands in the wrong place belongs, or the nearest known one: first of the same section, then of
  /// all.
  std::string home_of(const std::string& key, const std::string& section) const {
    std::vector<std::string> near, all;
    for (const Option& option : options_) {
      if (option.key == key) return "; it belongs in [" + option.section + "]";
      if (option.section == section) near.push_back(option.key);
      all.push_back(option.key);
    }
    const std::string meant = did_you_mean(key, near);
    return meant.empty() ? did_you_mean(key, all) : meant;
  }

  std::vector<std::string> sections() const {
    std::vector<std::string> names;
    for (const Option& option : options_) names.push_back(option.section);
    return names;
  }

  bool has_section(const std::string& section) const {
    return std::any_of(options_.begin(), options_.end(),
                       [&](const Option& option) { return option.section == section; });
  }

  const std::vector<Option>& options_;
  const std::string& name_;
  std::vector<std::pair<const Option*, OptionValue>> accepted_;
  Problems problems_;
};

}  // namespace

std::vector<std::string> OptionTable::read_toml(const std::filesystem::path& file,
                                                const std::vector<std::string>& ignored) {
  return read_toml_text(read_file(file), file.string(), ignored);
}

std::vector<std::string> OptionTable::read_toml_text(const std::string& text, const std::string& name,
                                                     const std::vector<std::string>& ignored) {
  TomlReader reader(options_, name);
  try {
    reader.read(toml::parse(text, name), ignored);
  } catch (const toml::parse_error& error) {
    throw WrongUse(name + ":" + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
  return reader.set_fields();
}

}  // namespace tinylm
