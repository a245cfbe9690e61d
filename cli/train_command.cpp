// tinylm train: text -> tokens -> model -> training loop -> run folder.
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>

#include "cli/command.h"
#include "cli/configuration.h"
#include "cli/flag_checks.h"
#include "cli/machine_setup.h"
#include "cli/minutes.h"
#include "cli/prepare.h"
#include "cli/training_watch.h"
#include "core/freed_memory.h"
#include "core/logging.h"
#include "core/machine.h"
#include "core/numbers.h"
#include "core/signals.h"
#include "data/text_changes.h"
#include "run/run_lock.h"
#include "train/checkpoint_observer.h"
#include "train/metrics_file.h"
#include "train/metrics_observer.h"
#include "train/plan.h"
#include "train/step_operations.h"
#include "train/trainer.h"

namespace tinylm {
namespace {

/// "runs/x/" is the folder runs/x.
std::filesystem::path without_last_slash(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

class TrainCommand : public Command {
 public:
  std::string name() const override { return "train"; }
  std::string summary() const override { return "learn from a text"; }
  std::string introduction() const override {
    return "Without arguments it learns from the bundled text with the preset 'demo', in about a minute. The defaults "
           "shown here hold where neither the preset (see configs/) nor --config says anything. With --minutes it "
           "measures this machine and chooses for itself what does best in that time.";
  }
  std::string examples() const override {
    return "  tinylm train my.txt\n"
           "  tinylm train my.txt --minutes 5\n"
           "  tinylm train my.txt --layers 6 --width 256 --steps 5000 --out runs/mine\n"
           "  tinylm train --resume runs/mine --steps 8000";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  Run open_or_create();
  Run create_run();
  /// Both throw when there is not enough; before the vocabulary is known they ask for what one word would take.
  void require_memory_for_model() const;  // while there is none yet
  void require_disk_at(const std::filesystem::path& folder, std::int64_t step = 0, std::int64_t saved = 0) const;
  ModelConfig known_model() const;
  Trainer make_trainer(const Dataset& dataset);
  void load_starting_point(const Run& run, const Tokenizer& tokenizer, Trainer& trainer);
  Origin origin_of(const Dataset& dataset) const;
  ExitCode conclude(const Run& run, const Trainer& trainer) const;

  ConfigurationFlags flags_;
  TokenCacheFlag cache_;
  WatchFlags watch_;
  std::string out_, resume_;
  Configuration configuration_;
  StopWatch since_start_;
};

void TrainCommand::describe(CLI::App& app) {
  flags_.describe(app);
  cache_.describe(app);
  watch_.describe(app);
  app.add_option("--out", out_, "folder of the new run; default: runs/DATE-TIME-NAME")
      ->type_name("FOLDER")
      ->check(not_empty());
  app.add_option("--resume", resume_, "go on with this run where it stopped; --steps extends it")
      ->type_name("RUN")
      ->check(not_empty());
}

ExitCode TrainCommand::run() {
  ignore_closed_pipes();
  const Run run = open_or_create();
  const RunLock lock(run.folder());
  add_log_file(run.log_file());
  const Dataset dataset = Dataset::open(run.data_folder(), /*verify=*/true);
  configuration_.run.model.vocabulary_size = dataset.tokenizer().vocabulary_size();
  if (!resume_.empty()) require_memory_for_model();
  Trainer trainer = make_trainer(dataset);
  load_starting_point(run, dataset.tokenizer(), trainer);

  const TrainingState start = trainer.state();
  if (start.step >= trainer.last_step()) {
    spdlog::info(
        "{} is at step {}, and {} were asked for: nothing is left to do; to go on: tinylm train --resume {} "
        "--steps N, with N above {}",
        run.folder().string(), start.step, trainer.last_step(), shell_word(run.folder().string()), start.step);
    watch_.tell_of_nothing_to_do(run, start);
    return ExitCode::kDone;
  }
  if (!resume_.empty()) {
    require_disk_at(run.folder(), start.step, static_cast<std::int64_t>(run.checkpoints().steps().size()));
    run.save_config(flags_.effective_toml());
  }
  truncate_metrics(run.metrics_file(), start.step);
  trainer.add_observer(std::make_shared<MetricsObserver>(run.metrics_file(), start.step));
  TrainingWatch watch(run, watch_, configuration_, dataset, trainer);
  // Last: what a checkpoint's steps left elsewhere is there when it is, and a resumed run cuts off what is beyond it.
  trainer.add_observer(std::make_shared<CheckpointObserver>(
      run.checkpoints(/*clean=*/true), trainer.model(), trainer.optimizer(), configuration_.train, origin_of(dataset)));
  catch_stop_signals();
  watch.run([] { return stop_signal() != 0; });
  return conclude(run, trainer);
}

Run TrainCommand::open_or_create() {
  if (resume_.empty()) return create_run();
  if (!out_.empty()) throw WrongUse("--resume goes on in the run's own folder: leave out --out");
  Run run = Run::open(resume_);
  configuration_ = flags_.resolve_resumed(run);
  watch_.validate(configuration_.run.model);
  set_up_machine(configuration_.run.machine);
  spdlog::info("going on with {}", run.folder().string());
  for (const std::filesystem::path& text : changed_texts(DatasetManifest::read(run.data_folder())))
    spdlog::warn(
        "{} was changed since the run began, which goes on with the text as it was: its tokens are in {}. To "
        "learn from the text as it is, begin a new run; --init-from {} begins it from these weights",
        text.string(), run.data_folder().string(), shell_word(run.folder().string()));
  return run;
}

Run TrainCommand::create_run() {
  configuration_ = flags_.resolve();
  watch_.validate(configuration_.run.model);
  const std::filesystem::path folder =
      out_.empty() ? Run::fresh_folder("runs", flags_.label()) : without_last_slash(out_);
  Run::require_creatable(folder);
  if (configuration_.train.minutes == 0.0) {  // else sizes are chosen later
    require_memory_for_model();
    require_disk_at(folder);
  }
  set_up_machine(configuration_.run.machine);
  const Dataset dataset = prepare_in_time(flags_, configuration_, cache_, since_start_);
  const ModelConfig& model = configuration_.run.model;
  require_validation(EvaluationWindows(dataset.val(), model.context), configuration_.train);
  require_memory_for_model();
  require_disk_at(folder);
  Run run =
      Run::create(folder, flags_.effective_toml(), [&](const std::filesystem::path& data) { dataset.link_into(data); });
  spdlog::info("run {}", run.folder().string());
  return run;
}

ModelConfig TrainCommand::known_model() const {
  ModelConfig model = configuration_.run.model;
  model.vocabulary_size = std::max<std::int64_t>(1, model.vocabulary_size);
  return model;
}

void TrainCommand::require_memory_for_model() const {
  give_back_freed_memory();  // what measuring sizes left is available too
  require_memory(plan_memory(known_model(), configuration_.train, configuration_.run.machine.training_ops()),
                 available_memory_bytes());
}

void TrainCommand::require_disk_at(const std::filesystem::path& folder, std::int64_t step, std::int64_t saved) const {
  require_disk(checkpoints_bytes(known_model(), configuration_.train, step, saved), free_disk_bytes(folder), folder);
}

Trainer TrainCommand::make_trainer(const Dataset& dataset) {
  const ModelConfig& sizes = configuration_.run.model;
  const TrainOptions& options = configuration_.train;
  LanguageModel model(sizes, options.seed, configuration_.run.machine.training_ops());
  std::unique_ptr<Optimizer> optimizer = make_optimizer(options, *model);
  if (dataset.val().count < 2) spdlog::warn("no validation: no text is held out, so the best checkpoint is the last");
  if (options.warmup > options.steps) {
    spdlog::warn("--warmup {} is longer than --steps {}: the learning rate never reaches {}", options.warmup,
                 options.steps, shortest(options.learning_rate));
  }
  if (sizes.attention_mask == MaskKind::kNone) {
    spdlog::warn(
        "attention_mask is none: every position sees the token that it is asked to predict, so the training "
        "loss says nothing; validation hides later tokens. An experiment that sample refuses");
  }
  spdlog::debug("{} training tokens, {} validation tokens, vocabulary {} ({})", grouped(dataset.train().count),
                grouped(dataset.val().count), sizes.vocabulary_size, dataset.tokenizer().kind());
  spdlog::info("{} parameters, {}; precision {}; seed {}", grouped(sizes.parameter_count()),
               optimizer->describe_groups(), configuration_.run.machine.precision, options.seed);
  if (spdlog::should_log(spdlog::level::debug))
    spdlog::debug("operations of a step: {}", step_operations(model).text());
  return Trainer(model, std::move(optimizer), BatchSource(dataset.train(), sizes.context, options.seed),
                 EvaluationWindows(dataset.val(), sizes.context), options);
}

void TrainCommand::load_starting_point(const Run& run, const Tokenizer& tokenizer, Trainer& trainer) {
  CheckpointStore store = run.checkpoints();
  if (store.empty()) {
    TrainingState start;
    if (configuration_.train.minutes > 0.0) start.elapsed_s = since_start_.seconds();
    trainer.start_from(start);
    if (configuration_.init_from.empty()) return;
    const LoadedModel source = load_model(Run::open(configuration_.init_from), "best");
    load_parameters(*trainer.model(), SafetensorsFile(source.checkpoint.model_file()));
    spdlog::info("weights of {}", source.checkpoint.folder.string());
    return;
  }
  const Checkpoint checkpoint = store.open_newest_whole();
  require_same_tokenizer(checkpoint, tokenizer, run);
  require_same_model(checkpoint, configuration_.run.model, run);
  store.go_back_to(checkpoint);
  load_parameters(*trainer.model(), SafetensorsFile(checkpoint.model_file()));
  trainer.optimizer().load_state(SafetensorsFile(checkpoint.optimizer_file()));
  trainer.start_from(checkpoint.state);
  spdlog::info("from step {}", checkpoint.state.step);
}

Origin TrainCommand::origin_of(const Dataset& dataset) const {
  return {dataset.tokenizer().fingerprint(), model_options_json(configuration_.run.model)};
}

ExitCode TrainCommand::conclude(const Run& run, const Trainer& trainer) const {
  const TrainingState& state = trainer.state();
  const std::string folder = run.folder().string();
  if (!std::isnan(state.best_val_loss_nats)) {
    spdlog::info("best validation loss {} nats/token at step {}; last {}", fixed(state.best_val_loss_nats, 4),
                 state.best_step, fixed(state.last_val_loss_nats, 4));
  }
  if (state.skipped_steps > 0)
    spdlog::warn("{} steps were skipped: their loss or gradient was not finite", state.skipped_steps);
  if (stop_signal() != 0 && state.step < trainer.last_step()) {
    spdlog::info("stopped after step {} and saved; go on with: tinylm train --resume {}", state.step,
                 shell_word(folder));
    return static_cast<ExitCode>(128 + stop_signal());
  }
  if (state.stopped_early)
    spdlog::info(
        "stopped by --patience {}: {} evaluations in a row brought no better loss; more patience, or --resume, goes on",
        configuration_.train.patience, state.evaluations_without_gain);
  const bool causal = configuration_.run.model.attention_mask == MaskKind::kCausal;
  const std::string place = shell_word(folder);
  spdlog::info("trained {} steps in {}; next: {}", state.step, human_seconds(state.elapsed_s),
               causal ? fmt::format("tinylm sample {0}, tinylm inspect {0}", place)
                      : fmt::format("tinylm inspect {} --check", place));
  if (!watch_.json()) std::cout << folder << '\n';
  return ExitCode::kDone;
}

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace tinylm
