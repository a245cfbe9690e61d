#include "cli/training_watch.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/program.h"
#include "cli/progress_observer.h"
#include "cli/run_report.h"
#include "core/checksum.h"
#include "core/errors.h"
#include "core/instruction_set.h"
#include "core/machine.h"
#include "core/numbers.h"
#include "core/processor.h"
#include "core/signals.h"
#include "core/torch_compat.h"
#include "data/dataset_manifest.h"
#include "inspect/head_tracker.h"
#include "measure/shape.h"
#include "measure/square_product.h"
#include "model/ops/matmul.h"
#include "train/metrics_file.h"
#include "train/tensorboard/tensorboard_observer.h"

namespace tinylm {
namespace {

using Json = nlohmann::ordered_json;

/// A line of metrics.jsonl a step on stdout.
struct JsonObserver : Observer {
  void on_step(const StepReport& report) override { std::cout << metrics_line(report) << std::endl; }
};

Session session_of(const Run& run, const Configuration& configuration, const Dataset& dataset, std::int64_t step) {
  const MachineOptions& machine = configuration.run.machine;
  Session session;
  session.started = utc_now();
  session.from_step = session.to_step = step;
  session.tinylm = TINYLM_VERSION;
  session.libtorch = TORCH_VERSION;
  session.onednn = ops::matmul_engine_version();
  session.processor = read_processor().name;
  session.instruction_set = name_of(instruction_set());
  session.threads = machine.threads > 0 ? machine.threads : usable_cores();
  session.precision = machine.precision;
  session.ops = machine.ops == Ops::kPlain ? "plain" : "auto";
  session.seed = configuration.train.seed;
  session.text_checksum = DatasetManifest::read(run.data_folder()).text_checksum;
  session.tokenizer_fingerprint = to_hex(dataset.tokenizer().fingerprint());
  session.command_line = command_line();
  return session;
}

/// Of a training of `model` that does its operations at the rate of a large product of the numbers that it multiplies.
double peak_tokens_per_s(const ModelConfig& model, Ops ops) {
  const auto inputs = ops == Ops::kBfloat16 ? ops::MatmulInputs::kBfloat16 : ops::MatmulInputs::kFloat32;
  return 1e9 * product_gflops(kPeakProductSize, inputs) / training_flops_per_token(model);
}

void print(const Json& line) {
  std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

Json run_line(const Run& run) {
  return {{"run", run.folder().string()}};
}

Json outcome_line(const std::string& outcome, int exit_code, const TrainingState& state) {
  return {{"outcome", outcome},           {"exit_code", exit_code},
          {"step", state.step},           {"tokens_seen", state.tokens_seen},
          {"elapsed_s", state.elapsed_s}, {"best_val_loss_nats", state.best_val_loss_nats},
          {"best_step", state.best_step}, {"last_val_loss_nats", state.last_val_loss_nats}};
}

}  // namespace

void WatchFlags::describe(CLI::App& app) {
  app.add_flag("--json", json_, "one JSON object a line on stdout: the run's folder, each step, how it ended");
  app.add_option("--sample-every", sample_every_,
                 "steps between samples of what the model writes, 0: none; default: one at every evaluation")
      ->type_name("INT");
  app.add_flag("--track-heads", track_heads_,
               "also keep what each head does, at every evaluation: `tinylm inspect --html` shows how heads form");
  app.add_flag("--tensorboard", tensorboard_, "also write event files for TensorBoard, in the run's tensorboard/");
}

void WatchFlags::validate(const ModelConfig& model) const {
  Problems problems;
  problems.require(sample_every_ >= SampleTimes::kAtEvaluations,
                   "--sample-every must be 0 (none) or more steps, not " + std::to_string(sample_every_));
  problems.require(sample_every_ <= 0 || model.attention_mask == MaskKind::kCausal,
                   "--sample-every is " + std::to_string(sample_every_) +
                       ", but a model with attention_mask none cannot write: leave it out");
  problems.throw_if_any();
}

SampleTimes WatchFlags::sample_times(const ModelConfig& model) const {
  return {model.attention_mask == MaskKind::kNone ? 0 : sample_every_};
}

void WatchFlags::tell_of_nothing_to_do(const Run& run, const TrainingState& state) const {
  if (!json_) return;
  print(run_line(run));
  print(outcome_line("trained", static_cast<int>(ExitCode::kDone), state));
}

TrainingWatch::TrainingWatch(const Run& run, const WatchFlags& flags, const Configuration& configuration,
                             const Dataset& dataset, Trainer& trainer)
    : run_(run), trainer_(trainer), json_(flags.json()) {
  const std::int64_t step = trainer.state().step;
  sessions_ = read_sessions(run.sessions_file());
  sessions_.push_back(session_of(run, configuration, dataset, step));
  write_sessions(run.sessions_file(), sessions_);
  if (json_) print(run_line(run));

  const ModelConfig& model = configuration.run.model;
  trainer.add_observer(
      std::make_shared<ProgressObserver>(peak_tokens_per_s(model, configuration.run.machine.training_ops())));
  trainer.add_observer(std::make_shared<SampleObserver>(run.samples_file(), step, trainer.model(), dataset.tokenizer(),
                                                        dataset.empty_prompt_id(), flags.sample_times(model),
                                                        configuration.train.seed));
  if (flags.track_heads() || std::filesystem::exists(run.heads_file())) {  // a resumed run goes on keeping them
    trainer.add_observer(std::make_shared<HeadTracker>(run.heads_file(), step, trainer.model(), dataset.tokenizer()));
  }
  const ReportFiles files{run.report_file(), run.metrics_file(), run.samples_file(), run.sessions_file()};
  report_ = std::make_shared<ReportObserver>(files, report_of(run, configuration, dataset.tokenizer()));
  trainer.add_observer(report_);
  if (flags.tensorboard()) {
    trainer.add_observer(std::make_shared<TensorboardObserver>(run.tensorboard_folder(), step));
  }
  if (json_) trainer.add_observer(std::make_shared<JsonObserver>());
}

const TrainingState& TrainingWatch::run(const std::function<bool()>& stop) {
  try {
    const TrainingState& state = trainer_.run(stop);
    const bool stopped = stop_signal() != 0 && state.step < trainer_.last_step();
    end(stopped               ? "stopped"
        : state.stopped_early ? "patience ran out"
                              : "trained",
        "", stopped ? 128 + stop_signal() : 0);
    return state;
  } catch (const NotFinite& error) {
    const NotFinite told(std::string(error.what()) + ". " + last_good_checkpoint());
    end("failed", told.what(), static_cast<int>(told.code()));
    throw told;
  } catch (...) {
    const Failure failure = describe_current_exception();
    end("failed", failure.message, static_cast<int>(failure.code));
    throw;
  }
}

std::string TrainingWatch::last_good_checkpoint() const {
  const std::vector<std::int64_t> steps = run_.checkpoints().steps();
  const std::string folder = run_.folder().string();
  if (steps.empty()) return folder + " has no checkpoint yet";
  return "The last good checkpoint is that of step " + std::to_string(steps.back()) +
         "; a new run from its weights: --init-from " + shell_word(folder);
}

void TrainingWatch::end(const std::string& outcome, const std::string& message, int exit_code) {
  const TrainingState& state = trainer_.state();
  sessions_.back().to_step = state.step;
  sessions_.back().outcome = message.empty() ? outcome : outcome + ": " + message;
  try {
    write_sessions(run_.sessions_file(), sessions_);
  } catch (const FileError&) {  // what ended the training, a full disk perhaps, is told already
  }
  report_->conclude(sessions_.back().outcome);
  if (!json_) return;
  Json line = outcome_line(outcome, exit_code, state);
  if (!message.empty()) line["message"] = message;
  print(line);
}

}  // namespace tinylm
