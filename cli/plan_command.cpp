// tinylm plan: what a training will take, before it starts.
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>

#include "cli/command.h"
#include "cli/configuration.h"
#include "cli/machine_setup.h"
#include "cli/minutes.h"
#include "core/machine.h"
#include "core/numbers.h"
#include "train/plan.h"
#include "train/step_operations.h"
#include "train/step_timer.h"

namespace tinylm {
namespace {

/// Seconds spent on measuring a step.
constexpr double kMeasureSeconds = 3.0;

class PlanCommand : public Command {
 public:
  std::string name() const override { return "plan"; }
  std::string summary() const override { return "parameters, memory, speed and time of a training, before it starts"; }
  std::string introduction() const override {
    return "Takes what 'train' takes, encodes the text, runs a few steps on random tokens to measure the speed, and "
           "trains nothing.";
  }
  std::string examples() const override {
    return "  tinylm plan my.txt\n"
           "  tinylm plan my.txt --layers 6 --heads 6 --width 384 --context 256";
  }
  void describe(CLI::App& app) override {
    flags_.describe(app);
    cache_.describe(app);
  }
  ExitCode run() override;

 private:
  ConfigurationFlags flags_;
  TokenCacheFlag cache_;
  StopWatch since_start_;
};

/// What is likely not meant.
void warn(const Dataset& dataset, const ModelConfig& model, std::int64_t tokens) {
  const std::int64_t text = dataset.train().count;
  if (model.parameter_count() > text)
    spdlog::warn(
        "the model has more parameters than the text has tokens ({} and {}): it may learn the text by heart; watch "
        "the validation loss, or raise --dropout",
        grouped(model.parameter_count()), grouped(text));
  if (text < 10 * model.context)
    spdlog::warn("the text has only {} tokens, {} times --context: samples overlap nearly always", grouped(text),
                 text / model.context);
  if (tokens > 50 * text)
    spdlog::warn("the text is read {} times over: fewer --steps may do, or --patience", tokens / text);
  if (tokens < text) spdlog::warn("the training reads only a part of the text: more --steps would use it all");
}

ExitCode PlanCommand::run() {
  Configuration configuration = flags_.resolve();
  const TrainOptions& train = configuration.train;
  set_up_machine(configuration.run.machine);
  const Dataset dataset = prepare_in_time(flags_, configuration, cache_, since_start_);
  const ModelConfig& model = configuration.run.model;
  const Ops ops = configuration.run.machine.training_ops();
  const MemoryPlan memory = plan_memory(model, train, ops);
  const std::int64_t tokens_per_step = train.batch * model.context;
  const std::int64_t tokens = tokens_per_step * train.steps;
  std::cout << "text          " << grouped(dataset.train().count) << " training tokens, "
            << grouped(dataset.val().count) << " validation tokens, vocabulary " << grouped(model.vocabulary_size)
            << " (" << dataset.tokenizer().kind() << ")\n"
            << "model         " << grouped(model.parameter_count()) << " parameters; "
            << fixed(static_cast<double>(tokens) / static_cast<double>(model.parameter_count()), 2)
            << " tokens of training a parameter\n"
            << "memory        " << human_bytes(memory.total_bytes()) << " (weights "
            << human_bytes(memory.weights_bytes) << ", gradients " << human_bytes(memory.gradients_bytes)
            << ", optimizer " << human_bytes(memory.optimizer_bytes) << ", activations "
            << human_bytes(memory.activations_bytes) << "); available " << human_bytes(available_memory_bytes()) << "\n"
            << "disk          " << human_bytes(checkpoints_bytes(model, train)) << " for checkpoints\n"
            << "training      " << grouped(train.steps) << " steps of " << grouped(tokens_per_step)
            << " tokens: " << grouped(tokens) << ", the text "
            << fixed(static_cast<double>(tokens) / static_cast<double>(dataset.train().count), 1) << " times\n"
            << std::flush;
  require_memory(memory, available_memory_bytes());
  spdlog::info("measuring the speed ...");
  warn(dataset, model, tokens);
  const double step_s = measure_step_s(model, train, ops, kMeasureSeconds);
  if (step_s <= kMeasureSeconds)  // else only steps of fewer samples were made
    std::cout << "measured      " << human_bytes(measure_peak_bytes(model, train, ops)) << " of memory at its peak\n";
  const double optimizer_s = measure_optimizer_s(model, train, ops);
  std::cout << "speed         " << grouped(std::llround(static_cast<double>(tokens_per_step) / step_s)) << " tokens/s ("
            << fixed(step_s * 1000.0, 1) << " ms a step)\n"
            << "optimizer     " << train.optimizer << ", " << fixed(optimizer_s * 1000.0, 1) << " ms, "
            << fixed(100.0 * optimizer_s / step_s, 0) << " % of a step\n"
            << "time          " << human_seconds(step_s * static_cast<double>(train.steps)) << ", and evaluations\n"
            << "operations    " << step_operations(LanguageModel(model, train.seed, ops)).text() << "\n";
  return ExitCode::kDone;
}

}  // namespace

std::unique_ptr<Command> make_plan_command() {
  return std::make_unique<PlanCommand>();
}

}  // namespace tinylm
