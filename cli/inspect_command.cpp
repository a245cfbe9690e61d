// tinylm inspect: prompt -> attention weights, to the terminal and to files.
#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>

#include "cli/command.h"
#include "cli/machine_setup.h"
#include "cli/open_run.h"
#include "core/option_table.h"
#include "data/dataset.h"
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
  std::string examples() const override {
    return "Without arguments it takes the newest run and the beginning of its held-out text, and draws the head that looks\n"
           "most at the previous token.\n"
           "Examples:\n"
           "  tinylm inspect --prompt \"The ferry waits\"\n"
           "  tinylm inspect runs/mine --prompt \"The ferry waits\" --layer 0 --head 2\n"
           "  tinylm inspect --prompt \"The ferry waits\" --npy maps --json maps/all.json";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  std::vector<TokenId> ids_to_show(const Run& run, const LoadedModel& loaded) const;
  void draw(const Inspection& inspection) const;

  RunArgument run_;
  PromptArgument prompt_;
  MachineOptions machine_;
  OptionTable table_;
  std::int64_t layer_ = -1, head_ = -1;
  std::map<std::string, std::string> places_;  // by name of format
};

void InspectCommand::describe(CLI::App& app) {
  run_.describe(app);
  prompt_.describe(app);
  app.add_option("--layer", layer_, "layer to draw, from 0; default: the most notable head's");
  app.add_option("--head", head_, "head to draw, from 0; default: the most notable one");
  for (const Format& format : formats()) {
    app.add_option("--" + format.name, places_[format.name], format.help)->type_name(format.place);
  }
  machine_.describe(table_);
  table_.add_to(app);
}

ExitCode InspectCommand::run() {
  table_.apply_command_line();
  Problems problems;
  machine_.validate(problems);
  problems.require((layer_ < 0) == (head_ < 0), "--layer and --head name one head together: give both or none");
  problems.throw_if_any();
  set_up_machine(machine_);
  const Run run = run_.open();
  LoadedModel loaded = load_model(run, run_.checkpoint(), machine_.ops);
  const Inspection inspection = inspect(loaded, ids_to_show(run, loaded));
  draw(inspection);
  for (const Format& format : formats()) {
    const std::string& place = places_.at(format.name);
    if (place.empty()) continue;
    format.write(inspection, place);
    spdlog::info("{} written to {}", format.name, place);
  }
  return ExitCode::kDone;
}

std::vector<TokenId> InspectCommand::ids_to_show(const Run& run, const LoadedModel& loaded) const {
  const std::string prompt = prompt_.text();
  if (!prompt.empty()) return prompt_ids(prompt, *loaded.tokenizer, loaded.empty_prompt_id, loaded.config.model.context);
  const Dataset dataset = Dataset::open(run.data_folder(), /*verify=*/false);
  const TokenRange& range = dataset.val().count > 0 ? dataset.val() : dataset.train();
  const std::int64_t count = std::min({kDefaultTokens, loaded.config.model.context, range.count});
  spdlog::info("no prompt: the first {} tokens of the run's {} text", count, dataset.val().count > 0 ? "held-out" : "training");
  std::vector<TokenId> ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back((*range.file)[range.first + i]);
  return ids;
}

void InspectCommand::draw(const Inspection& inspection) const {
  const std::size_t columns = columns_of_terminal(STDOUT_FILENO);
  const HeadScores scores = previous_token_scores(inspection.attention);
  std::cout << sentence(scores) << "\n\n" << table(scores, columns) << '\n';
  const auto [layer, head] = layer_ < 0 ? highest(scores) : HeadPlace{layer_, head_};
  std::cout << heat_map(inspection, layer, head, columns, color_depth_of_terminal(STDOUT_FILENO));
}

}  // namespace

std::unique_ptr<Command> make_inspect_command() { return std::make_unique<InspectCommand>(); }

}  // namespace tinylm
