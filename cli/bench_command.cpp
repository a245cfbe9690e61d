// tinylm bench: this machine's limits, and this program's share of them.
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>

#include "cli/command.h"
#include "cli/configuration.h"
#include "cli/machine_setup.h"
#include "core/errors.h"
#include "core/logging.h"
#include "core/machine.h"
#include "core/program_files.h"
#include "core/signals.h"
#include "core/stop_watch.h"
#include "measure/bench_report.h"
#include "measure/square_product.h"
#include "model/ops/matmul_processor.h"

namespace tinylm {
namespace {

constexpr std::int64_t kRounds = 9, kQuickRounds = 3;
constexpr std::int64_t kVocabulary = 65;  // of Tiny Shakespeare by character
constexpr std::int64_t kProbeSize = 192;  // a product of some 50 microseconds
constexpr double kProbeSeconds = 150e-6;  // the fastest of a few

/// The sizes and settings of a preset, on a vocabulary that no text is needed for.
BenchShape shape_of_preset(const std::string& preset, const std::string& name) {
  Configuration configuration;
  OptionTable table;
  configuration.describe(table);
  table.read_toml(preset_file(preset));
  configuration.run.model.vocabulary_size = kVocabulary;
  return {name, configuration.run.model, configuration.train};
}

BenchShapes bench_shapes(Ops ops) {
  BenchShapes shapes{shape_of_preset("shakespeare-tiny", "tiny"), shape_of_preset("shakespeare-baby", "baby"),
                     shape_of_preset("shakespeare-tiny", "context_1024")};
  shapes.baby.model.dropout = 0.0;
  shapes.baby.train.batch = 8;
  shapes.baby.train.accumulate = 1;
  shapes.context_1024.model.context = 1024;
  shapes.context_1024.train.batch = 4;
  for (BenchShape* shape : {&shapes.tiny, &shapes.baby, &shapes.context_1024}) shape->ops = ops;
  return shapes;
}

class BenchCommand : public Command {
 public:
  std::string name() const override { return "bench"; }
  std::string summary() const override { return "this machine's limits, and this program's share of them"; }
  std::string introduction() const override {
    return "Measures products, memory, training, generation and tokenizing in interleaved rounds, some minutes in all, "
           "and "
           "gives medians of the rounds in which the machine was not slowed down by others. Ctrl-C ends it with what "
           "there is.";
  }
  std::string examples() const override {
    return "  tinylm bench --quick\n"
           "  tinylm bench --only generation --only training_tiny\n"
           "  tinylm bench --json > bench.json";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  void validate() const;
  /// What is to be measured here. Says what cannot be compared for want of a program; throws FileError when --bare
  /// names a folder without it, or when nothing is left.
  Suite chosen_suite() const;

  std::vector<std::string> only_;
  std::int64_t rounds_ = kRounds;
  MachineOptions machine_;
  CLI::Option* rounds_option_ = nullptr;
  bool quick_ = false;
  bool json_ = false;
  std::string bare_;  // a folder; "": that of the program
};

void BenchCommand::describe(CLI::App& app) {
  app.add_option(
         "--only", only_,
         "measure this alone: machine, training, attention, costs, generation or tokenizing, or the name of one "
         "result or ratio; may be given more than once")
      ->type_name("NAME")
      ->allow_extra_args(false);
  rounds_option_ = app.add_option("--rounds", rounds_, "how often each is measured")->capture_default_str();
  app.add_flag("--quick", quick_, std::to_string(kQuickRounds) + " rounds: about a minute, less exact");
  app.add_option("--threads", machine_.threads, "threads; 0: the physical cores that this process may use")
      ->capture_default_str();
  app.add_option("--precision", machine_.precision, "of the trainings: auto (what suits the processor), fp32 or bf16")
      ->capture_default_str();
  app.add_option("--bare", bare_,
                 "folder with the programs bare_loop, bare_generate and peak_memory, which the speed and memory of the "
                 "textbook's way are measured with; default: the folder of tinylm itself, where a build puts them")
      ->type_name("FOLDER");
  app.add_flag("--json", json_, "one JSON object on stdout instead of tables");
}

void BenchCommand::validate() const {
  Problems problems;
  problems.require(rounds_ >= 1 && rounds_ <= 10000,
                   "--rounds is " + std::to_string(rounds_) + ", expected 1 to 10000");
  problems.require(!quick_ || rounds_option_->empty(),
                   "--quick is --rounds " + std::to_string(kQuickRounds) + ": give one of them");
  machine_.validate(problems);
  problems.throw_if_any();
}

Suite BenchCommand::chosen_suite() const {
  const std::filesystem::path own = executable_folder(), folder = bare_.empty() ? own : std::filesystem::path(bare_);
  Suite suite = make_suite(bench_shapes(machine_.training_ops()), {folder, own / "tinylm"}).only(only_);
  std::string missing;
  for (const std::filesystem::path& program : suite.leave_out_missing_programs())
    missing += (missing.empty() ? "" : ", ") + program.filename().string();
  if (missing.empty()) return suite;
  const std::string message =
      "not compared with the textbook's way, for want of " + missing + " in '" + folder.string() +
      "': build them (ninja -C build bare_loop bare_generate peak_memory), or name their folder with --bare";
  if (!bare_.empty() || suite.cases.empty()) throw FileError(message);
  spdlog::info(message);
  return suite;
}

ExitCode BenchCommand::run() {
  validate();
  machine_.resolve_precision(ops::matmul_processor());
  const Suite suite = chosen_suite();
  set_up_machine(machine_);
  suite.require_memory(available_memory_bytes());
  catch_stop_signals();
  const MachineReport machine_report = measure_machine();
  SquareProduct probe(kProbeSize, ops::MatmulInputs::kFloat32);
  Rounds rounds(suite.cases, [&] { return fastest_s(kProbeSeconds, [&] { return probe.run_s(); }); });
  const auto count = static_cast<int>(quick_ ? kQuickRounds : rounds_);
  LiveLine progress;
  rounds.run(
      count, [] { return stop_signal() != 0; },
      [&](int round, const std::string& name) {
        const std::string where =
            round == 0 ? "warming up" : "round " + std::to_string(round) + " of " + std::to_string(count);
        progress.show(where + ": " + name);
      });
  progress.drop();
  const BenchReport report = bench_report(machine_report, machine_.training_ops(), suite, rounds);
  const auto code = static_cast<ExitCode>(stop_signal() == 0 ? 0 : 128 + stop_signal());
  if (report.results.empty() && report.ratios.empty()) throw Error(code, "stopped before anything was measured");
  if (code != ExitCode::kDone) spdlog::warn("stopped: these are the figures of the rounds until then");
  std::cout << (json_ ? to_json(report) + "\n" : to_text(report));
  return code;
}

}  // namespace

std::unique_ptr<Command> make_bench_command() {
  return std::make_unique<BenchCommand>();
}

}  // namespace tinylm
