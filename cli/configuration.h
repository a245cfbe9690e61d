// The whole configuration of a training: what the command line, a file, a preset and the defaults make of it together.
#pragma once

#include <filesystem>
#include <string>

#include "core/option_table.h"
#include "run/run.h"
#include "train/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tinylm {

/// Options of every room that a training uses; the table binds all their fields.
struct Configuration {
  RunConfig run;
  TrainOptions train;
  std::string init_from;  // run whose weights and tokenizer this one begins with; "": none

  void describe(OptionTable& table);
  /// Throws WrongUse with every problem of every room, before any file is opened or tensor made.
  void validate() const;
};

/// Configuration of a command line: defaults, then the preset, then --config, then flags.
class ConfigurationFlags {
 public:
  /// Adds TEXT..., --preset, --config and a flag for every option.
  void describe(CLI::App& app);
  /// Reads files and flags in order of precedence. Call after parsing.
  const Configuration& resolve();
  /// For a run that goes on: its own config.toml, then the few flags that may change. Throws WrongUse naming any other.
  const Configuration& resolve_resumed(const Run& run);

  /// What was resolved, as the text of a config.toml.
  const std::string& effective_toml() const { return effective_toml_; }
  /// What the run is about, for its folder's name: the first text's name, or "demo".
  std::string label() const;

 private:
  void take_init_from(const std::vector<std::string>& given);

  Configuration configuration_;
  OptionTable table_;
  std::vector<std::string> texts_;
  std::string preset_ = "demo";
  std::string config_file_;
  std::string effective_toml_;
  CLI::Option* preset_option_ = nullptr;
};

}  // namespace tinylm
