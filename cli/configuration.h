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

/// Configuration of a command line: defaults, then the preset, then --config, then flags. With --minutes the preset is
/// "auto" unless another is asked for.
class ConfigurationFlags {
 public:
  /// Adds TEXT..., --preset, --config and a flag for every option.
  void describe(CLI::App& app);
  /// Reads files and flags in order of precedence. Call after parsing.
  const Configuration& resolve();
  /// For a run that goes on: its own config.toml, then the few flags that may change. Throws WrongUse naming any other.
  const Configuration& resolve_resumed(const Run& run);

  /// Whether neither a flag, nor --config, nor a preset that was asked for says anything about an option.
  bool leaves_open(const std::string& key) const;
  /// Takes over what was chosen for the options that they leave open.
  void adopt(const Configuration& chosen) { configuration_ = chosen; }
  /// What was resolved, as the text of a config.toml.
  std::string effective_toml() const { return table_.to_toml(); }
  /// What the run is about, for its folder's name: the first text's name, or "demo".
  std::string label() const;

 private:
  void read_files_and_flags();
  void require_time_alone();
  std::vector<std::string> keys_of_init_from() const;
  void take_init_from();

  Configuration configuration_;
  OptionTable table_;
  std::vector<std::string> texts_;
  std::string preset_ = "demo";
  std::string config_file_;
  std::vector<std::string> preset_keys_, given_;  // keys that the preset sets; that --config and flags do
  CLI::Option* preset_option_ = nullptr;
};

}  // namespace tinylm
