// tinylm compare: runs side by side, as a table, a page, or JSON.
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <set>

#include "cli/command.h"
#include "cli/flag_checks.h"
#include "cli/run_report.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/utf8.h"
#include "inspect/report/comparison.h"

namespace tinylm {
namespace {

class CompareCommand : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string summary() const override { return "runs side by side"; }
  std::string introduction() const override {
    return "Says what each run came to and in which settings they differ; reads their metrics, so a run may be "
           "compared while it is trained.";
  }
  std::string examples() const override {
    return "  tinylm compare runs/first runs/second\n"
           "  tinylm compare runs/* --html compared.html";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  std::vector<RunReport> read_runs() const;

  std::vector<std::string> folders_;
  std::string page_;
  bool json_ = false;
};

void CompareCommand::describe(CLI::App& app) {
  app.add_option("RUN", folders_, "folders of two or more runs")->type_name("")->check(not_empty());
  app.add_option("--html", page_, "also write a page with the runs' curves laid over each other")
      ->type_name("FILE")
      ->check(not_empty());
  app.add_flag("--json", json_, "one JSON object on stdout instead of a table");
}

std::vector<RunReport> CompareCommand::read_runs() const {
  if (folders_.size() < 2) throw WrongUse("compare needs two runs or more: tinylm compare RUN RUN...");
  std::vector<RunReport> runs;
  std::set<std::string> names;
  for (const std::string& folder : folders_) {
    runs.push_back(read_report(Run::open(folder)));
    names.insert(runs.back().name);
  }
  if (names.size() == runs.size()) return runs;
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].name = folders_[i];  // folders of one name, in other places
  return runs;
}

ExitCode CompareCommand::run() {
  std::vector<RunReport> runs = read_runs();
  for (RunReport& run : runs) run.name = utf8::visible(run.name);
  const std::vector<std::string> notes = comparison_notes(runs);
  for (const std::string& note : notes) spdlog::warn("{}", note);
  if (!page_.empty()) write_atomically(page_, report_page(runs, /*live=*/false, notes));
  std::cout << (json_ ? comparison_json(runs) + "\n" : comparison_table(runs));
  if (!page_.empty()) spdlog::info("page {}", page_);
  return ExitCode::kDone;
}

}  // namespace

std::unique_ptr<Command> make_compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace tinylm
