// tinylm score: how well a model predicts a text; or how likely it takes given answers to be, and, apart from that,
// whether it gives them.
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <iostream>

#include "cli/command.h"
#include "cli/machine_setup.h"
#include "cli/open_run.h"
#include "cli/text_comparison.h"
#include "cli/text_scoring.h"
#include "core/logging.h"
#include "core/option_table.h"
#include "sample/task_report.h"

namespace tinylm {
namespace {

class ScoreCommand : public Command {
 public:
  std::string name() const override { return "score"; }
  std::string summary() const override { return "how well a model predicts a text, or answers a file of tasks"; }
  std::string introduction() const override {
    return "It takes the newest run. Of a text it gives the loss, the perplexity and the bits per byte, and says what "
           "surprised the model. Of --tasks, each line of FILE is a JSON object with a prompt, the accepted answers "
           "and a kind: task, fact, source, held-out or a word of your own. Reported for each kind, apart from each "
           "other: how likely the model takes the first accepted answer to be, and how often its own greedy answer "
           "begins with an accepted one.";
  }
  std::string examples() const override {
    return "  tinylm score my.txt\n"
           "  tinylm score --text \"The ferry waits\" --tokens\n"
           "  tinylm score my.txt --run runs/mine --stride 16 --json\n"
           "  tinylm score my.txt --compare runs/mine runs/other\n"
           "  echo '" +
           std::string(kExampleTask) +
           "' > tasks.jsonl\n"
           "  tinylm score --tasks tasks.jsonl\n"
           "  tinylm score --run runs/mine --tasks tasks.jsonl --json";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  std::vector<TaskScore> score_all(const LoadedModel& loaded) const;

  RunArgument run_;
  TextScoring text_;
  TextComparison comparison_;
  MachineOptions machine_;
  OptionTable table_;
  std::string tasks_file_;
  bool json_ = false;
};

void ScoreCommand::describe(CLI::App& app) {
  run_.describe_as_flag(app);
  text_.describe(app);
  comparison_.describe(app);
  app.add_option("--tasks", tasks_file_, "file of prompts and accepted answers, JSON Lines")->type_name("FILE");
  machine_.describe(table_);
  table_.add_to(app);
  app.add_flag("--json", json_, "one JSON object on stdout instead of text");
}

ExitCode ScoreCommand::run() {
  table_.apply_command_line();
  Problems problems;
  machine_.validate(problems);
  problems.require(
      text_.given() || !tasks_file_.empty(),
      "nothing to score was given: name a TEXT (files, folders, or - for standard input), give one with --text, or "
      "name a file of tasks with --tasks FILE, one JSON object a line, such as " +
          std::string(kExampleTask));
  text_.validate(!tasks_file_.empty(), json_, problems);
  comparison_.validate(text_.texts(), run_.given() || !tasks_file_.empty() || text_.lists_tokens(), problems);
  problems.throw_if_any();
  set_up_machine(machine_);
  if (comparison_.asked()) {
    const RunComparison found =
        comparison_.compare(text_.texts(), text_.literal(), text_.stride(), run_.checkpoint(), machine_.ops);
    std::cout << (json_ ? to_json(found) + "\n" : to_text(found));
    return ExitCode::kDone;
  }
  const Run run = run_.open();
  const LoadedModel loaded = load_model(run, run_.checkpoint(), machine_.ops);
  if (text_.given()) {
    text_.score(run, loaded, json_);
    return ExitCode::kDone;
  }
  const TaskReport report{run.folder().string(), loaded.checkpoint.folder.filename().string(), score_all(loaded)};
  std::cout << (json_ ? to_json(report) + "\n" : to_text(report));
  return ExitCode::kDone;
}

std::vector<TaskScore> ScoreCommand::score_all(const LoadedModel& loaded) const {
  TaskScorer scorer(loaded.model, *loaded.tokenizer, loaded.empty_prompt_id);
  const std::vector<Task> tasks =
      read_tasks(tasks_file_, [&](const Task& task, Problems& problems) { scorer.check(task, problems); });
  LiveLine progress;
  std::vector<TaskScore> scores;
  for (const Task& task : tasks) {
    scores.push_back(scorer.score(task));
    progress.show("scored " + std::to_string(scores.size()) + " of " + std::to_string(tasks.size()));
  }
  return scores;
}

}  // namespace

std::unique_ptr<Command> make_score_command() {
  return std::make_unique<ScoreCommand>();
}

}  // namespace tinylm
