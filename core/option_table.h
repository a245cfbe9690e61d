// One table of options. A component describes the fields of its options struct once (section, key, meaning, allowed
// values); the table then reads them from TOML and from the command line, and writes the effective values back.
// Precedence: command line over file over the default that stands in the struct. `key = value` in section [model] is
// `--key value` on the command line, with '-' for '_'.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/option_value.h"

namespace CLI {
class App;
}

namespace tinylm {

struct Option {
  std::string section;                          // table of the TOML file: "text", "model", "train", "machine"
  std::string key;                              // snake_case, unique over all sections
  std::string help;                             // one line, with unit and off-value
  std::vector<std::string> choices;             // allowed words, empty: any
  std::function<OptionValue()> get;             // reads the bound field
  std::function<void(const OptionValue&)> set;  // writes it; the value has the field's own alternative
  bool saved = true;                            // false: command line only, never in a file
  bool has_flag = true;                         // false: files only; the command line gives it in another way
  std::string value_name = {};                  // in the help, instead of TEXT or INT: "FILE"
  std::string default_name = {};                // in the help, instead of the default's value
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min();  // of a whole number: 0 for an unsigned field

  std::string flag() const;  // "--kv-heads"
  /// What a value must be, for messages: "a whole number", "one of none, line, file".
  std::string expected() const;
  /// `value` (of any alternative) as this option takes it; nothing when it must not be.
  std::optional<OptionValue> accept(const OptionValue& value) const;
};

/// Options bound to fields of structs that outlive the table. The references that add() and add_choice() return serve
/// to set further fields at once: table.add(...).saved = false; the next call invalidates them.
class OptionTable {
 public:
  OptionTable() = default;
  OptionTable(const OptionTable&) = delete;  // the command line's callbacks point here
  OptionTable& operator=(const OptionTable&) = delete;

  /// Binds a field of type bool, std::int64_t, std::uint64_t, double, std::string or std::vector<std::string>. Of an
  /// unsigned field the values up to 2^63 - 1 can be given and saved, which is as far as TOML's whole numbers go.
  template <class Field>
  Option& add(const std::string& section, const std::string& key, Field& field, const std::string& help);

  /// Binds an enumeration through a list of (word, value) pairs.
  template <class Enum>
  Option& add_choice(const std::string& section, const std::string& key, Enum& field,
                     std::vector<std::pair<std::string, Enum>> words, const std::string& help);

  /// Binds a text field whose allowed words come from a table of components.
  Option& add_choice(const std::string& section, const std::string& key, std::string& field,
                     std::vector<std::string> words, const std::string& help);

  const std::vector<Option>& options() const { return options_; }

  /// Sets fields from a TOML file. Unknown sections and keys, wrong types and words outside `choices` throw WrongUse
  /// with file, line, key, what was found and the nearest known name, one line for each problem; nothing is set then.
  /// Sections in `ignored` are passed over unread. A file that cannot be read throws FileError.
  /// Returns the keys that the file names.
  std::vector<std::string> read_toml(const std::filesystem::path& file, const std::vector<std::string>& ignored = {});
  std::vector<std::string> read_toml_text(const std::string& text, const std::string& name,
                                          const std::vector<std::string>& ignored = {});

  /// Adds a flag for every option to `app`, grouped by section, with its default in the help. Values given are kept
  /// until apply_command_line(), so that a file can be read first. Booleans give --key and --no-key; lists take one
  /// element a flag, which may be repeated. Call it after all add().
  void add_to(CLI::App& app);
  /// Sets the fields that the command line named; returns their keys. Throws WrongUse with one line for each value that
  /// an option does not take; nothing is set then.
  std::vector<std::string> apply_command_line();

  /// The effective values as TOML, one table a section in the order of add(); reads back to the same values. Throws
  /// BadInput for a text that is no UTF-8.
  std::string to_toml() const;
  /// The same as a JSON object of objects (serialized). Numbers that are not finite are null, bytes that are no UTF-8
  /// U+FFFD.
  std::string to_json() const;

 private:
  Option& add_option(Option option);
  std::vector<std::string> saved_sections() const;

  std::vector<Option> options_;
  // What the command line gave, by index into options_, as text; filled by CLI11's callbacks.
  std::vector<std::pair<std::size_t, std::vector<std::string>>> given_;
};

}  // namespace tinylm

#include "core/option_table_inl.h"
