// One table of options. A component describes the fields of its options struct once (section, key, meaning, allowed
// values); the table then reads them from TOML and from the command line, and writes the effective values back.
// Precedence: command line over file over the default that stands in the struct. `key = value` in section [model] is
// `--key value` on the command line, with '-' for '_'.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

namespace tinylm {

/// A value as it stands in a file: booleans, whole numbers, floating point, text, list of texts.
using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct Option {
  std::string section;                   // table of the TOML file: "text", "model", "train", "machine"
  std::string key;                       // snake_case, unique over all sections
  std::string help;                      // one line, with unit and off-value
  std::vector<std::string> choices;      // allowed words, empty: any
  std::function<OptionValue()> get;      // reads the bound field
  std::function<void(const OptionValue&)> set;  // writes it; the value has the field's own alternative
  bool saved = true;                     // false: command line only, never in a file
  std::string flag() const;              // "--kv-heads"
};

/// Options bound to fields of structs that outlive the table.
class OptionTable {
 public:
  /// Binds a field of type bool, std::int64_t, std::uint64_t, double, std::string or std::vector<std::string>.
  template <class Field>
  void add(const std::string& section, const std::string& key, Field& field, const std::string& help);

  /// Binds an enumeration through a list of (word, value) pairs.
  template <class Enum>
  void add_choice(const std::string& section, const std::string& key, Enum& field,
                  std::vector<std::pair<std::string, Enum>> words, const std::string& help);

  /// Binds a text field whose allowed words come from a table of components.
  void add_choice(const std::string& section, const std::string& key, std::string& field,
                  std::vector<std::string> words, const std::string& help);

  const std::vector<Option>& options() const { return options_; }

  /// Sets fields from a TOML file. Unknown sections and keys, wrong types and words outside `choices` throw WrongUse with
  /// file, line, key, what was found and the nearest known name. Sections in `ignored` are passed over unread.
  void read_toml(const std::filesystem::path& file, const std::vector<std::string>& ignored = {});
  void read_toml_text(const std::string& text, const std::string& name, const std::vector<std::string>& ignored = {});

  /// Adds a flag for every option to `app`, with its default in the help. Values given are kept until
  /// apply_command_line(), so that a file can be read first. Booleans give --key and --no-key.
  void add_to(CLI::App& app);
  /// Sets the fields that the command line named; returns their keys. Throws WrongUse on a value of the wrong type.
  std::vector<std::string> apply_command_line();

  /// The effective values as TOML, one table a section in the order of add(); reads back to the same values.
  std::string to_toml() const;
  /// The same as a JSON object of objects (serialized).
  std::string to_json() const;

 private:
  void add_option(Option option);
  const Option* find(const std::string& section, const std::string& key) const;

  std::vector<Option> options_;
  // What the command line gave, by index into options_, as text; filled by CLI11's callbacks.
  std::vector<std::pair<std::size_t, std::vector<std::string>>> given_;
};

}  // namespace tinylm

#include "core/option_table_inl.h"
