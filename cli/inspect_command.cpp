// tinylm inspect: prompt -> attention weights, to the terminal and to files.
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "cli/command.h"
#include "cli/flag_checks.h"
#include "cli/machine_setup.h"
#include "cli/open_run.h"
#include "core/option_table.h"
#include "data/dataset.h"
#include "inspect/attention_text.h"
#include "inspect/causality.h"
#include "inspect/explanation.h"
#include "inspect/formats.h"
#include "inspect/head_scores.h"
#include "inspect/heat_map.h"
#include "inspect/terminal.h"
#include "sample/prompt.h"

namespace tinylm {
namespace {

/// Tokens of the run's own text that are shown when no prompt is given: about a terminal's width of cells.
constexpr std::int64_t kDefaultTokens = 32;

class InspectCommand : public Command {
 public:
  std::string name() const override { return "inspect"; }
  std::string summary() const override { return "show what attention looks at"; }
  std::string introduction() const override {
    return "Without arguments it takes the newest run and the beginning of its held-out text, and draws the head that "
           "looks most at the previous token.";
  }
  std::string examples() const override {
    return "  tinylm inspect --prompt \"The ferry waits\"\n"
           "  tinylm inspect runs/mine --prompt \"The ferry waits\" --layer 0 --head 2\n"
           "  tinylm inspect --prompt \"The ferry waits\" --npy maps --json maps/all.json\n"
           "  tinylm inspect --prompt \"The ferry waits\" --explain 0.2.5\n"
           "  tinylm inspect --check";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  std::vector<TokenId> ids_to_show(const Run& run, const LoadedModel& loaded) const;
  ExitCode check(LoadedModel& loaded, const std::vector<TokenId>& ids) const;
  ExitCode explain_row(LoadedModel& loaded, const std::vector<TokenId>& ids, const HeadRow& row) const;
  /// Throws WrongUse when the model has no such layer or head.
  void require_places(const ModelConfig& model) const;
  /// True when standard output was taken by one of them.
  bool write_files(const Inspection& inspection) const;
  HeadPlace place_to_draw(const HeadScores& scores) const;
  void draw(const Inspection& inspection) const;

  RunArgument run_;
  PromptArgument prompt_;
  MachineOptions machine_;
  OptionTable table_;
  std::int64_t layer_ = -1, head_ = -1;
  std::string explain_;
  int digits_ = kDefaultDigits;
  bool check_ = false;
  std::map<std::string, std::string> places_;  // by name of format
};

void InspectCommand::describe(CLI::App& app) {
  run_.describe(app);
  prompt_.describe(app);
  app.add_option("--layer", layer_, "layer to draw, from 0; without --head its most notable head")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--head", head_, "head of --layer to draw, from 0; with neither, the most notable of all")
      ->check(CLI::NonNegativeNumber);
  CLI::Option* explain =
      app.add_option("--explain", explain_, "work out one row of a head instead: layer, head and query token, from 0")
          ->type_name("L.H.Q")
          ->check(not_empty());
  app.add_option("--digits", digits_, "decimals of --explain, 0 to 15")->capture_default_str()->needs(explain);
  app.add_flag("--check", check_, "prove instead that no position sees later tokens; exit code 1 if one does");
  for (const Format& format : formats()) {
    app.add_option("--" + format.name, places_[format.name], format.help)->type_name(format.place)->check(not_empty());
  }
  machine_.describe(table_);
  table_.add_to(app);
}

ExitCode InspectCommand::run() {
  table_.apply_command_line();
  Problems problems;
  machine_.validate(problems);
  prompt_.validate(problems);
  problems.require(head_ < 0 || layer_ >= 0, "--head counts within a layer: give --layer too");
  problems.require(digits_ >= 0 && digits_ <= kMostDigits, "--digits must be 0 to 15, not " + std::to_string(digits_));
  const bool files =
      std::any_of(places_.begin(), places_.end(), [](const auto& place) { return !place.second.empty(); });
  problems.require(
      (!check_ && explain_.empty()) || (!files && layer_ < 0),
      "--check looks at every head and --explain names its own: leave out --layer, --head and the files to write");
  problems.require(!check_ || explain_.empty(), "--check and --explain are two things to do: give one");
  problems.throw_if_any();
  const std::optional<HeadRow> row = explain_.empty() ? std::nullopt : std::optional(parse_head_row(explain_));
  set_up_machine(machine_);
  const Run run = run_.open();
  LoadedModel loaded = load_model(run, run_.checkpoint(), machine_.ops);
  require_places(loaded.config.model);
  const std::vector<TokenId> ids = ids_to_show(run, loaded);
  if (check_) return check(loaded, ids);
  if (row) return explain_row(loaded, ids, *row);
  const Inspection inspection = inspect(loaded, ids);
  if (!write_files(inspection)) draw(inspection);
  return ExitCode::kDone;
}

bool InspectCommand::write_files(const Inspection& inspection) const {
  bool to_output = false;
  for (const Format& format : formats()) {
    const std::string& place = places_.at(format.name);
    if (place.empty()) continue;
    if (place == "-" && format.text) {
      std::cout << format.text(inspection) << '\n';
      to_output = true;
    } else {
      format.write(inspection, place);
      spdlog::info("{} written to {}", format.name, place);
    }
  }
  return to_output;
}

std::vector<TokenId> InspectCommand::ids_to_show(const Run& run, const LoadedModel& loaded) const {
  const std::string prompt = prompt_.text(loaded.config.text.keep_crlf);
  if (!prompt.empty())
    return prompt_ids(prompt, *loaded.tokenizer, loaded.empty_prompt_id, loaded.config.model.context);
  const Dataset dataset = Dataset::open(run.data_folder(), /*verify=*/false);
  const TokenRange& range = dataset.val().count > 0 ? dataset.val() : dataset.train();
  const std::int64_t count = std::min({kDefaultTokens, loaded.config.model.context, range.count});
  spdlog::info("no prompt: the first {} tokens of the run's {} text", count,
               dataset.val().count > 0 ? "held-out" : "training");
  std::vector<TokenId> ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back((*range.file)[range.first + i]);
  return ids;
}

void InspectCommand::require_places(const ModelConfig& model) const {
  Problems problems;
  const auto require = [&](const char* flag, std::int64_t value, std::int64_t count) {
    problems.require(value < count, fmt::format("{} is {}, expected 0 to {}", flag, value, count - 1));
  };
  require("--layer", layer_, model.layers);
  require("--head", head_, model.heads);
  problems.throw_if_any();
}

ExitCode InspectCommand::check(LoadedModel& loaded, const std::vector<TokenId>& ids) const {
  const CausalityReport report = check_causality(loaded, ids);
  std::cout << causality_text(report);
  return report.passed() ? ExitCode::kDone : ExitCode::kCheckFailed;
}

ExitCode InspectCommand::explain_row(LoadedModel& loaded, const std::vector<TokenId>& ids, const HeadRow& row) const {
  const Explanation explanation = explain(loaded, ids, row);
  std::cout << explanation_text(explanation, digits_);
  return explanation.agrees() ? ExitCode::kDone : ExitCode::kCheckFailed;
}

HeadPlace InspectCommand::place_to_draw(const HeadScores& scores) const {
  if (layer_ < 0) return highest(scores);
  return head_ >= 0 ? HeadPlace{layer_, head_} : highest_of_layer(scores, layer_);
}

void InspectCommand::draw(const Inspection& inspection) const {
  const std::size_t columns = columns_of_terminal(STDOUT_FILENO);
  const HeadScores scores = previous_token_scores(inspection.attention);
  std::cout << sentence(scores) << "\nThe weight that each head gives to " << scores.what
            << ", on average; uniform: what even attention gives.\n\n"
            << table(scores, columns) << '\n';
  const HeadPlace place = place_to_draw(scores);
  std::cout << heat_map(inspection, place.layer, place.head, columns, color_depth_of_terminal(STDOUT_FILENO));
}

}  // namespace

std::unique_ptr<Command> make_inspect_command() {
  return std::make_unique<InspectCommand>();
}

}  // namespace tinylm
