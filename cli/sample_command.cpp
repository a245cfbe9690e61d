// tinylm sample: prompt -> model -> text, streamed to stdout.
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <random>

#include "cli/command.h"
#include "cli/machine_setup.h"
#include "cli/open_run.h"
#include "cli/sample_printer.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "core/signals.h"
#include "core/stop_watch.h"
#include "sample/generator.h"
#include "sample/result_json.h"

namespace tinylm {
namespace {

class SampleCommand : public Command {
 public:
  std::string name() const override { return "sample"; }
  std::string summary() const override { return "continue a prompt"; }
  std::string introduction() const override {
    return "Without arguments it takes the newest run, begins from nothing and draws at temperature 0.8.";
  }
  std::string examples() const override {
    return "  tinylm sample --prompt \"The ferry\"\n"
           "  tinylm sample runs/mine --samples 3 --temperature 0.7 --top-k 20 --seed 5\n"
           "  tinylm sample --greedy --json --prompt \"The ferry\"";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  std::vector<Generated> generate_all(const LoadedModel& loaded, Generator& generator, const std::vector<TokenId>& ids,
                                      const std::string& prompt) const;

  RunArgument run_;
  PromptArgument prompt_;
  MachineOptions machine_;
  SamplerOptions sampler_;
  GenerateOptions generate_;
  OptionTable table_;
  std::int64_t samples_ = 1;
  bool json_ = false;
};

void SampleCommand::describe(CLI::App& app) {
  run_.describe(app);
  prompt_.describe(app);
  app.add_option("--samples", samples_, "how many texts")->capture_default_str();
  sampler_.describe(table_);
  generate_.describe(table_);
  machine_.describe(table_);
  table_.add_to(app);
  app.add_flag("--json", json_, "one JSON object on stdout instead of text");
}

ExitCode SampleCommand::run() {
  const std::vector<std::string> given = table_.apply_command_line();
  Problems problems;
  sampler_.validate(problems);
  generate_.validate(problems);
  machine_.validate(problems);
  prompt_.validate(problems);
  problems.require(samples_ >= 1, "--samples must be at least 1, not " + std::to_string(samples_));
  problems.throw_if_any();
  if (std::find(given.begin(), given.end(), "seed") == given.end()) sampler_.seed = std::random_device{}();

  set_up_machine(machine_);
  LoadedModel loaded = load_model(run_.open(), run_.checkpoint(), machine_.ops);
  const std::string prompt = prompt_.text(loaded.config.text.keep_crlf);
  Generator generator(loaded.model, *loaded.tokenizer, Sampler(sampler_), loaded.empty_prompt_id);
  const std::vector<TokenId> ids = generator.prompt_ids(prompt);

  catch_stop_signals();
  const StopWatch watch;
  const std::vector<Generated> texts = generate_all(loaded, generator, ids, prompt);
  const double elapsed_s = watch.seconds();
  std::size_t tokens = 0;
  for (const Generated& text : texts) tokens += text.ids.size();
  const double tokens_per_s = static_cast<double>(tokens) / elapsed_s;
  if (json_) std::cout << to_json(SampleResult{prompt, sampler_.seed, tokens_per_s, texts}) << '\n';
  const bool drawn = !sampler_.greedy && sampler_.temperature > 0.0;
  spdlog::info("{}{} {}, {} tokens/s", drawn ? fmt::format("seed {}, ", sampler_.seed) : "", tokens,
               tokens == 1 ? "token" : "tokens", grouped(std::llround(tokens_per_s)));
  return stop_signal() == 0 ? ExitCode::kDone : static_cast<ExitCode>(128 + stop_signal());
}

std::vector<Generated> SampleCommand::generate_all(const LoadedModel& loaded, Generator& generator,
                                                   const std::vector<TokenId>& ids, const std::string& prompt) const {
  const auto count = static_cast<std::uint64_t>(samples_);
  if (json_) return generator.generate_all(ids, 0, count, generate_);
  // A document a line needs no headings: each sample is one line. Longer texts get one, on stderr.
  const bool headings = samples_ > 1 && loaded.config.text.documents != Documents::kLine;
  SamplePrinter printer(std::cout, prompt, count, headings);
  return generator.generate_all(
      ids, 0, count, generate_,
      {.on_text = [&](std::uint64_t sample, std::string_view piece) { printer.add(sample, piece); },
       .on_end = [&](std::uint64_t sample) { printer.end(sample); }});
}

}  // namespace

std::unique_ptr<Command> make_sample_command() {
  return std::make_unique<SampleCommand>();
}

}  // namespace tinylm
