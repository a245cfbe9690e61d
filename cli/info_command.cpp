// tinylm info: what a run is, and what this machine is.
#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/configuration.h"
#include "cli/machine_setup.h"
#include "cli/open_run.h"
#include "core/checksum.h"
#include "core/errors.h"
#include "core/numbers.h"
#include "measure/machine_report.h"
#include "run/sessions.h"
#include "train/metrics_file.h"
#include "train/schedule.h"

namespace tinylm {
namespace {

class InfoCommand : public Command {
 public:
  std::string name() const override { return "info"; }
  std::string summary() const override { return "what a run, or this machine, is"; }
  std::string introduction() const override { return "Without arguments it describes the newest run."; }
  std::string examples() const override {
    return "  tinylm info runs/mine\n"
           "  tinylm info --json\n"
           "  tinylm info --machine";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  void describe_machine() const;
  void describe_run() const;

  RunArgument run_;
  bool json_ = false;
  bool machine_ = false;
};

void InfoCommand::describe(CLI::App& app) {
  run_.describe(app);
  app.add_flag("--json", json_, "one JSON object on stdout");
  app.add_flag("--machine", machine_, "measure this machine instead");
}

ExitCode InfoCommand::run() {
  if (machine_ && run_.given())
    throw WrongUse("--machine tells about this machine and takes no run; leave out RUN or --machine");
  if (machine_) {
    describe_machine();
  } else {
    describe_run();
  }
  return ExitCode::kDone;
}

void InfoCommand::describe_machine() const {
  set_up_machine(MachineOptions{});
  const MachineReport report = measure_machine();
  std::cout << (json_ ? to_json(report) + "\n" : to_text(report));
}

/// A loss for people: "1.8512 nats/token", or that there is none.
std::string loss_text(double nats) {
  return std::isnan(nats) ? "none measured" : fixed(nats, 4) + " nats/token";
}

/// With what a part of a training was computed.
std::string session_text(const Session& session) {
  std::string command;
  for (const std::string& word : session.command_line) command += " " + shell_word(word);
  return "session     " + session.started + ", steps " + std::to_string(session.from_step) + " to " +
         std::to_string(session.to_step) + ": " +
         (session.outcome.empty() ? "not ended yet, or killed" : session.outcome) + "\n            tinylm " +
         session.tinylm + ", libtorch " + session.libtorch + ", oneDNN " + session.onednn + "; " + session.processor +
         ", " + session.instruction_set + ", " + std::to_string(session.threads) + " threads, " + session.precision +
         "; seed " + std::to_string(session.seed) + "; text " + session.text_checksum + "\n           " + command +
         "\n";
}

/// Where the run stands; `otherwise` where its last checkpoint cannot be read.
TrainingState last_state_of(const Run& run, const TrainingState& otherwise) {
  try {
    return run.checkpoints().last_state().value_or(otherwise);
  } catch (const FileError& damage) {
    spdlog::warn("{}", damage.what());
    return otherwise;
  }
}

void InfoCommand::describe_run() const {
  const Run run = run_.open();
  const LoadedModel loaded = load_model(run, run_.checkpoint());
  const TrainingState& state = loaded.checkpoint.state;
  const TrainingState last = last_state_of(run, state);
  Configuration configuration;
  OptionTable table;
  configuration.describe(table);
  table.read_toml(run.config_file());
  const std::int64_t parameters = loaded.config.model.parameter_count();
  const double train_loss = training_loss_at(run.metrics_file(), state.step);
  const Tokenizer& tokenizer = *loaded.tokenizer;
  if (json_) {
    const nlohmann::ordered_json info = {
        {"run", run.folder().string()},
        {"checkpoint", loaded.checkpoint.folder.filename().string()},
        {"parameters", parameters},
        {"step", state.step},
        {"tokens_seen", state.tokens_seen},
        {"train_loss_nats", train_loss},
        {"best_val_loss_nats", state.best_val_loss_nats},
        {"best_step", state.best_step},
        {"last_step", last.step},
        {"last_val_loss_nats", last.last_val_loss_nats},
        {"config", nlohmann::ordered_json::parse(table.to_json())},
        {"tokenizer",
         {{"kind", tokenizer.kind()},
          {"vocabulary_size", tokenizer.vocabulary_size()},
          {"fingerprint", to_hex(tokenizer.fingerprint())}}},
        {"sessions", nlohmann::ordered_json::parse(sessions_json(read_sessions(run.sessions_file()))).at("sessions")},
    };
    std::cout << info.dump(2) << '\n';
    return;
  }
  std::cout << "run         " << run.folder().string() << "\n"
            << "checkpoint  " << loaded.checkpoint.folder.filename().string() << ", step " << state.step << " of "
            << pace_of(configuration.train, state).last_step << ", " << grouped(state.tokens_seen) << " tokens seen\n"
            << "training    loss " << loss_text(train_loss) << " on the batch of step " << state.step << "\n"
            << "validation  loss best " << loss_text(state.best_val_loss_nats) << " at step " << state.best_step
            << ", last " << loss_text(last.last_val_loss_nats) << " at step " << last.step << "\n"
            << "model       " << grouped(parameters) << " parameters"
            << (loaded.config.model.attention_mask == MaskKind::kNone
                    ? "; attention_mask none: it was shown the answers"
                    : "")
            << "\n"
            << "tokenizer   " << tokenizer.kind() << ", vocabulary " << tokenizer.vocabulary_size() << "\n";
  for (const Session& session : read_sessions(run.sessions_file())) std::cout << session_text(session);
  std::cout << "\n" << table.to_toml();
}

}  // namespace

std::unique_ptr<Command> make_info_command() {
  return std::make_unique<InfoCommand>();
}

}  // namespace tinylm
