#include "cli/configuration.h"

#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/flag_checks.h"
#include "core/errors.h"
#include "core/numbers.h"
#include "core/program_files.h"
#include "model/ops/matmul_processor.h"
#include "train/dial.h"

namespace tinylm {
namespace {

/// What a resumed run may change: how long it goes on, how it is watched and kept, how the machine is used. Everything
/// else decides which numbers come out, and stays.
const std::vector<std::string> kResumable = {"steps", "eval_every", "save_every", "save_every_minutes",
                                             "keep",  "on_nan",     "patience",   "threads"};

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string flag_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

std::string absolute_text(const std::string& text) {
  return text == "-" ? text : std::filesystem::absolute(text).lexically_normal().string();
}

}  // namespace

void Configuration::describe(OptionTable& table) {
  run.describe(table);
  train.describe(table);
  table
      .add("train", "init_from", init_from,
           "begin with the weights and the tokenizer of this run; empty: from random weights")
      .value_name = "RUN";
}

void Configuration::validate() const {
  Problems problems;
  run.validate(problems);
  train.validate(problems);
  problems.require(train.patience == 0 || !run.text.val.empty() || run.text.val_fraction > 0.0,
                   "patience is " + std::to_string(train.patience) +
                       ", but no text is held out to wait for: give --val or --val-fraction, or --patience 0");
  problems.throw_if_any();
}

void ConfigurationFlags::describe(CLI::App& app) {
  app.add_option("TEXT", texts_, "files or folders to learn from, '-' for standard input; none: the bundled text")
      ->type_name("");
  preset_option_ = app.add_option(
                          "--preset", preset_,
                          "sizes and settings to begin with: a file of configs/, " +
                              [] {
                                std::string names;
                                for (const std::string& name : preset_names())
                                  names += (names.empty() ? "" : ", ") + name;
                                return names;
                              }())
                       ->capture_default_str();
  app.add_option("--config", config_file_, "a TOML file of settings, read after the preset")
      ->type_name("FILE")
      ->check(not_empty());
  configuration_.describe(table_);
  table_.add_to(app);
}

void ConfigurationFlags::read_files_and_flags() {
  configuration_ = {};
  preset_keys_ = table_.read_toml(preset_file(preset_));
  given_.clear();
  if (!config_file_.empty()) given_ = table_.read_toml(config_file_);
  for (const std::string& key : table_.apply_command_line()) given_.push_back(key);
}

bool ConfigurationFlags::leaves_open(const std::string& key) const {
  if (contains(given_, key) || (!preset_option_->empty() && contains(preset_keys_, key))) return false;
  return configuration_.init_from.empty() || !contains(keys_of_init_from(), key);
}

void ConfigurationFlags::require_time_alone() {
  for (const std::string& key : table_.apply_command_line())
    if (key == "steps" || key == "eval_every")
      throw WrongUse("--minutes chooses the steps and when to evaluate: leave out " + flag_of(key) + ", or --minutes");
  for (const char* key : {"steps", "eval_every"})
    if (contains(given_, key)) spdlog::warn("--minutes chooses {}: what {} says of it is not used", key, config_file_);
}

const Configuration& ConfigurationFlags::resolve() {
  read_files_and_flags();
  if (configuration_.train.minutes > 0.0) {
    require_time_alone();
    if (preset_option_->empty()) {
      preset_ = "auto";
      read_files_and_flags();
    }
  }
  if (!texts_.empty()) configuration_.run.text.text = texts_;
  for (std::string& text : configuration_.run.text.text) {
    if (text.empty()) throw WrongUse("a TEXT is empty: name files, folders, or - for standard input");
    text = absolute_text(text);
  }
  if (!configuration_.run.text.val.empty()) configuration_.run.text.val = absolute_text(configuration_.run.text.val);
  if (!configuration_.init_from.empty()) {
    configuration_.init_from = absolute_text(configuration_.init_from);
    take_init_from();
  }
  configuration_.run.machine.resolve_precision(ops::matmul_processor());
  if (configuration_.train.minutes > 0.0)
    fit_heads([this](const std::string& key) { return leaves_open(key); }, configuration_.run.model);
  configuration_.validate();
  return configuration_;
}

std::vector<std::string> ConfigurationFlags::keys_of_init_from() const {
  TokenizerOptions tokenizer;
  OptionTable of_tokenizer;
  tokenizer.describe(of_tokenizer);
  std::vector<std::string> keys;
  for (const Option& option : of_tokenizer.options()) keys.push_back(option.key);
  for (const Option& option : table_.options()) {
    if (option.section == "model" && option.key != "dropout") keys.push_back(option.key);
  }
  return keys;
}

void ConfigurationFlags::take_init_from() {
  const std::vector<std::string> taken = keys_of_init_from();
  for (const std::string& key : given_) {
    if (!contains(taken, key)) continue;
    throw WrongUse("--init-from takes the model and the tokenizer of " + configuration_.init_from + ": leave out " +
                   flag_of(key) + (config_file_.empty() ? "" : ", here or in " + config_file_));
  }
  const RunConfig source = Run::open(configuration_.init_from).config();
  const double dropout = configuration_.run.model.dropout;
  configuration_.run.model = source.model;
  configuration_.run.model.dropout = dropout;
  configuration_.run.tokenizer = source.tokenizer;
}

const Configuration& ConfigurationFlags::resolve_resumed(const Run& run) {
  if (!texts_.empty()) throw WrongUse("--resume goes on with the run's own text: leave out " + texts_.front());
  if (!config_file_.empty() || !preset_option_->empty()) {
    throw WrongUse("--resume goes on with the run's own configuration: leave out --config and --preset");
  }
  table_.read_toml(run.config_file());
  for (const std::string& key : table_.apply_command_line()) {
    if (key == "steps") configuration_.train.minutes = 0.0;  // from now on steps say when it ends
    if (contains(kResumable, key)) continue;
    std::string allowed;
    for (const std::string& name : kResumable) allowed += (allowed.empty() ? "" : ", ") + flag_of(name);
    throw WrongUse("a resumed run keeps its " + flag_of(key) + "; only " + allowed +
                   " may change. To begin anew from its weights: --init-from " + shell_word(run.folder().string()));
  }
  configuration_.validate();
  return configuration_;
}

std::string ConfigurationFlags::label() const {
  const std::vector<std::string>& texts = configuration_.run.text.text;
  if (texts.empty()) return preset_;
  return texts.front() == "-" ? "stdin" : std::filesystem::path(texts.front()).stem().string();
}

}  // namespace tinylm
