// tinylm inspect: prompt -> what the model's heads do, to the terminal and to files.
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <optional>

#include "cli/command.h"
#include "cli/flag_checks.h"
#include "cli/inspect_outputs.h"
#include "cli/inspected_text.h"
#include "cli/machine_setup.h"
#include "cli/open_run.h"
#include "core/option_table.h"
#include "inspect/attention_text.h"
#include "inspect/causality.h"
#include "inspect/explanation.h"
#include "inspect/probe.h"
#include "inspect/term_view.h"
#include "inspect/terminal.h"

namespace tinylm {
namespace {

std::string joined_names(const std::vector<Probe>& probes) {
  std::string names;
  for (const Probe& probe : probes) names += (names.empty() ? "" : ", ") + probe.name;
  return names;
}

class InspectCommand : public Command {
 public:
  std::string name() const override { return "inspect"; }
  std::string summary() const override { return "show what attention looks at, and what each head is good for"; }
  std::string introduction() const override {
    return "Without arguments it takes the newest run and the beginning of its held-out text, says which head to look "
           "at "
           "first, and draws it.";
  }
  std::string examples() const override {
    return "  tinylm inspect --prompt \"The ferry waits\"\n"
           "  tinylm inspect runs/mine --prompt \"The ferry waits\" --html page.html --open\n"
           "  tinylm inspect --prompt \"The ferry waits\" --head L1H2 --svg head.svg\n"
           "  tinylm inspect --compare runs/one runs/two --prompt \"The ferry waits\" --html page.html\n"
           "  tinylm inspect --prompt \"The ferry waits\" --explain 0.2.5\n"
           "  tinylm inspect --probe induction";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  void validate() const;
  void validate_views(Problems& problems) const;
  ExitCode answer(LoadedModel& loaded, const Run& run) const;
  std::vector<View> views() const;
  View view_of(const Run& run, LoadedModel& loaded, const std::optional<std::string>& prompt, std::string title) const;
  HeadSelection shown_heads(const ModelConfig& model) const;
  HeadPlace head_of(const View& view) const;
  void draw(const std::vector<View>& views) const;

  RunArgument run_;
  PromptArgument prompt_{2};
  TextFlags text_;
  OutputFlags outputs_;
  MachineOptions machine_;
  OptionTable table_;
  std::vector<std::string> compare_;
  std::string layers_, heads_, head_, explain_, probe_;
  AblationChoice ablation_ = AblationChoice::kAuto;
  int digits_ = kDefaultDigits;
  bool check_ = false;
};

void InspectCommand::describe(CLI::App& app) {
  run_.describe(app);
  prompt_.describe(app);
  text_.describe(app);
  app.add_option("--compare", compare_, "two runs instead of one: the same text in both, side by side")
      ->type_name("RUN RUN")
      ->expected(2)
      ->check(not_empty());
  app.add_option("--layers", layers_, "layers to show, from 0, such as 0,2-3; default: all")->check(not_empty());
  app.add_option("--heads", heads_, "heads to show of each layer, likewise")->check(not_empty());
  app.add_option("--head", head_, "head to draw, such as 0.2 or L0H2; default: the most notable")
      ->type_name("L.H")
      ->check(not_empty());
  outputs_.describe(app);
  CLI::Option* explain =
      app.add_option("--explain", explain_, "work out one row of a head instead: layer, head and query token, from 0")
          ->type_name("L.H.Q")
          ->check(not_empty());
  app.add_option("--digits", digits_, "decimals of --explain, 0 to 15")->capture_default_str()->needs(explain);
  app.add_flag("--check", check_, "prove instead that no position sees later tokens; exit code 1 if one does");
  app.add_option("--probe", probe_, "test instead, without a text, which heads do this; exit code 1 if none does")
      ->type_name(joined_names(probes()))
      ->check(not_empty());
  table_
      .add_choice(
          "inspect", "ablation", ablation_,
          {{"auto", AblationChoice::kAuto},
           {"all", AblationChoice::kAll},
           {"notable", AblationChoice::kNotable},
           {"none", AblationChoice::kNone}},
          "heads that are taken out to see what the loss becomes; auto: all where that takes seconds, else those "
          "that stand out")
      .saved = false;
  machine_.describe(table_);
  table_.add_to(app);
}

void InspectCommand::validate() const {
  Problems problems;
  machine_.validate(problems);
  prompt_.validate(problems);
  text_.validate(problems);
  problems.require(digits_ >= 0 && digits_ <= kMostDigits, "--digits must be 0 to 15, not " + std::to_string(digits_));
  const bool files = outputs_.any();
  const bool selects = !head_.empty() || !layers_.empty() || !heads_.empty();
  const int others = (check_ ? 1 : 0) + (explain_.empty() ? 0 : 1) + (probe_.empty() ? 0 : 1);
  problems.require(others == 0 || (!files && !selects && compare_.empty()),
                   "--check and --probe look at every head and --explain names its own: leave out --layers, --heads, "
                   "--head, --compare and the files to write");
  const auto is_asked = [&](const Probe& probe) { return probe.name == probe_; };
  problems.require(probe_.empty() || std::any_of(probes().begin(), probes().end(), is_asked),
                   "--probe: found '" + probe_ + "', expected one of " + joined_names(probes()));
  problems.require(probe_.empty() || (prompt_.count() == 0 && !text_.given() && ablation_ == AblationChoice::kAuto),
                   "--probe makes texts of its own: leave out --prompt, --generate, --last and --ablation");
  problems.require(others <= 1, "--check, --explain and --probe are different things to do: give one");
  if (others == 0) validate_views(problems);
  problems.throw_if_any();
}

void InspectCommand::validate_views(Problems& problems) const {
  problems.require(compare_.empty() || !run_.given(), "--compare names both runs: leave out the first RUN");
  const bool two = !compare_.empty() || prompt_.count() > 1;
  problems.require(compare_.empty() || prompt_.count() < 2, "--compare takes one --prompt: two runs, or two prompts");
  outputs_.validate(two, problems);
}

ExitCode InspectCommand::run() {
  table_.apply_command_line();
  validate();
  if (!head_.empty()) parse_head(head_, "--head");
  if (!explain_.empty()) parse_head_row(explain_);
  set_up_machine(machine_);
  if (check_ || !explain_.empty() || !probe_.empty()) {
    const Run run = run_.open();
    LoadedModel loaded = load_model(run, run_.checkpoint(), machine_.ops);
    return answer(loaded, run);
  }
  const std::vector<View> all = views();
  const bool output_taken = outputs_.write(all, head_of(all.front()));
  if (outputs_.draws() && !output_taken) draw(all);
  return ExitCode::kDone;
}

ExitCode InspectCommand::answer(LoadedModel& loaded, const Run& run) const {
  if (!probe_.empty()) {
    const ProbeResult result = run_probe(loaded, probe_);
    std::cout << probe_text(result, columns_of_terminal(STDOUT_FILENO));
    return result.passing.empty() ? ExitCode::kCheckFailed : ExitCode::kDone;
  }
  const std::vector<std::string> prompts = prompt_.texts(loaded.config.text.keep_crlf);
  const std::vector<TokenId> ids = prompts.empty()
                                       ? inspected_ids(loaded, own_text(run, loaded.config.model), text_).ids
                                       : inspected_prompt(loaded, prompts.front(), text_).ids;
  if (check_) {
    const CausalityReport report = check_causality(loaded, ids);
    std::cout << causality_text(report);
    return report.passed() ? ExitCode::kDone : ExitCode::kCheckFailed;
  }
  const Explanation explanation = explain(loaded, ids, parse_head_row(explain_));
  std::cout << explanation_text(explanation, digits_);
  return explanation.agrees() ? ExitCode::kDone : ExitCode::kCheckFailed;
}

std::vector<View> InspectCommand::views() const {
  std::vector<View> all;
  std::optional<std::string> text_of_first;  // for a comparison without a prompt: the text of the first run
  std::vector<Run> runs;
  for (const std::string& folder : compare_) runs.push_back(Run::open(folder));
  if (runs.empty()) runs.push_back(run_.open());
  for (const Run& run : runs) {
    LoadedModel loaded = load_model(run, run_.checkpoint(), machine_.ops);
    const std::vector<std::string> prompts = prompt_.texts(loaded.config.text.keep_crlf);
    try {
      if (prompts.empty()) {
        if (runs.size() > 1 && !text_of_first)
          text_of_first = loaded.tokenizer->decode(own_text(run, loaded.config.model));
        all.push_back(view_of(run, loaded, text_of_first, run.folder().string()));
      }
      for (const std::string& prompt : prompts)
        all.push_back(view_of(run, loaded, prompt, prompts.size() > 1 ? prompt : run.folder().string()));
    } catch (const BadInput& error) {
      if (runs.size() == 1) throw;
      throw BadInput("for " + run.folder().string() + ": " + error.what());
    }
  }
  return all;
}

View InspectCommand::view_of(const Run& run, LoadedModel& loaded, const std::optional<std::string>& prompt,
                             std::string title) const {
  InspectedText text = prompt ? inspected_prompt(loaded, *prompt, text_)
                              : inspected_ids(loaded, own_text(run, loaded.config.model), text_);
  ViewOptions options;
  options.shown = shown_heads(loaded.config.model);
  if (!head_.empty()) options.head = parse_head(head_, "--head");
  options.ablation = outputs_.show_effects() ? ablation_ : AblationChoice::kNone;
  options.title = std::move(title);
  options.run = run.folder().string();
  options.tracked_heads = run.heads_file();
  options.notes = std::move(text.notes);
  options.generated_from = text.generated_from;
  outputs_.require_writable(options.shown, loaded.config.model, static_cast<std::int64_t>(text.ids.size()));
  return make_view(loaded, text.ids, options);
}

HeadSelection InspectCommand::shown_heads(const ModelConfig& model) const {
  HeadSelection shown = HeadSelection::all(model);
  if (!layers_.empty()) shown.layers = parse_numbers(layers_, model.layers, "--layers");
  if (!heads_.empty()) shown.heads = parse_numbers(heads_, model.heads, "--heads");
  if (head_.empty()) return shown;
  const HeadPlace head = parse_head(head_, "--head");
  if (head.layer >= model.layers || head.head >= model.heads)
    throw WrongUse(fmt::format("--head is {}, expected L0H0 to {}", head_name(head.layer, head.head),
                               head_name(model.layers - 1, model.heads - 1)));
  if (!shown.holds(head))
    throw WrongUse("--head is " + head_name(head.layer, head.head) + ", which --layers and --heads leave out");
  return shown;
}

HeadPlace InspectCommand::head_of(const View& view) const {
  return view.head.value_or(view.finding.head);
}

void InspectCommand::draw(const std::vector<View>& views) const {
  for (const View& view : views) {
    if (views.size() > 1) std::cout << "--- " << view.title << '\n';
    std::cout << term_view(view, head_of(view), columns_of_terminal(STDOUT_FILENO),
                           color_depth_of_terminal(STDOUT_FILENO));
  }
  if (!outputs_.any()) spdlog::info("all heads, and more, in a page: --html FILE --open");
}

}  // namespace

std::unique_ptr<Command> make_inspect_command() {
  return std::make_unique<InspectCommand>();
}

}  // namespace tinylm
