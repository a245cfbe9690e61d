// tinylm sample: prompt -> model -> text, streamed to stdout.
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <optional>
#include <random>
#include <utility>

#include "cli/coloured_text.h"
#include "cli/command.h"
#include "cli/line_reader.h"
#include "cli/machine_setup.h"
#include "cli/open_run.h"
#include "cli/program.h"
#include "cli/sample_printer.h"
#include "cli/sample_session.h"
#include "cli/sample_settings.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "core/signals.h"
#include "core/stop_watch.h"
#include "sample/generator.h"
#include "sample/result_json.h"
#include "sample/result_text.h"
#include "sample/sampler_report.h"

namespace tinylm {
namespace {

std::size_t tokens_of(const SampleResult& result) {
  std::size_t tokens = 0;
  for (const Generated& text : result.samples) tokens += text.ids.size();
  return tokens;
}

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
           "  tinylm sample --prompt \"The ferry\" --top-p 0.9 --repetition-penalty 1.2 --explain\n"
           "  tinylm sample -i\n"
           "  tinylm sample --greedy --json --prompt \"The ferry\"";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  Problems problems(const std::vector<std::string>& given) const;
  ExitCode interact(const LoadedModel& loaded, const std::string& prompt) const;
  void explain(const LoadedModel& loaded, Generator& generator, const std::vector<TokenId>& ids) const;
  std::vector<Generated> generate_all(const LoadedModel& loaded, Generator& generator, const std::vector<TokenId>& ids,
                                      const std::string& prompt);
  void print(const LoadedModel& loaded, const std::vector<TokenId>& ids, const SampleResult& result) const;
  void say_at_the_end(const LoadedModel& loaded, const SampleResult& result) const;

  RunArgument run_;
  PromptArgument prompt_;
  MachineOptions machine_;
  SampleSettings settings_;
  OptionTable table_;
  std::int64_t samples_ = 1, alternatives_ = 5;
  bool json_ = false, explain_ = false, show_probs_ = false, interactive_ = false;
  bool slid_ = false;
};

void SampleCommand::describe(CLI::App& app) {
  run_.describe(app);
  prompt_.describe(app);
  app.add_option("-n,--samples", samples_, "how many texts")->capture_default_str();
  settings_.describe(table_);
  machine_.describe(table_);
  table_.add_to(app);
  app.add_flag("-i,--interactive", interactive_,
               "read prompts line by line, with commands that change settings, go back, and more (:help)");
  app.add_flag("--show-probs", show_probs_,
               "colour each token by its probability, on a terminal, and list what else was likely at its place");
  app.add_flag("--json", json_, "one JSON object on stdout instead of text");
  app.add_option("--alternatives", alternatives_, "how many of the likeliest tokens --json and --show-probs list")
      ->capture_default_str();
  app.add_flag("--explain", explain_, "say how the token after the prompt would be chosen, step by step, and stop");
}

Problems SampleCommand::problems(const std::vector<std::string>& given) const {
  Problems problems;
  settings_.validate(given, problems);
  machine_.validate(problems);
  prompt_.validate(problems);
  problems.require(samples_ >= 1, "--samples must be at least 1, not " + std::to_string(samples_));
  problems.require(settings_.generate.beams <= 1 || samples_ <= settings_.generate.beams,
                   "--samples is " + std::to_string(samples_) + " and --beams " +
                       std::to_string(settings_.generate.beams) + ", which find no more texts than that");
  problems.require(alternatives_ >= 0, "--alternatives must be at least 0, not " + std::to_string(alternatives_));
  problems.require(!interactive_ || (!json_ && !explain_ && !show_probs_ && samples_ == 1),
                   "--interactive writes one text a line: leave out --samples, --json, --show-probs and --explain");
  problems.require(!interactive_ || !prompt_.from_input(),
                   "--interactive reads its lines from standard input: give --prompt-file another file than '-'");
  problems.require(json_ + explain_ + show_probs_ <= 1,
                   "--json, --show-probs and --explain each say what is printed: give one of them");
  return problems;
}

ExitCode SampleCommand::run() {
  const std::vector<std::string> given = table_.apply_command_line();
  problems(given).throw_if_any();
  if (std::find(given.begin(), given.end(), "seed") == given.end()) settings_.sampler.seed = std::random_device{}();
  if (json_ || show_probs_) settings_.generate.alternatives = static_cast<std::size_t>(alternatives_);

  set_up_machine(machine_);
  LoadedModel loaded = load_model(run_.open(), run_.checkpoint(), machine_.ops);
  const std::string prompt = prompt_.text(loaded.config.text.keep_crlf);
  if (interactive_) return interact(loaded, prompt);
  Generator generator(loaded.model, *loaded.tokenizer, settings_.sampler_for(*loaded.tokenizer),
                      loaded.empty_prompt_id);
  const std::vector<TokenId> ids = generator.prompt_ids(prompt);
  if (explain_) {
    explain(loaded, generator, ids);
    return ExitCode::kDone;
  }

  catch_stop_signals();
  const StopWatch watch;
  SampleResult result{prompt, settings_.sampler.seed, 0.0, generate_all(loaded, generator, ids, prompt)};
  result.tokens_per_s = static_cast<double>(tokens_of(result)) / watch.seconds();
  print(loaded, ids, result);
  say_at_the_end(loaded, result);
  return stop_signal() == 0 ? ExitCode::kDone : static_cast<ExitCode>(128 + stop_signal());
}

/// While a person types, Ctrl-C ends what is being written, not the program.
ExitCode SampleCommand::interact(const LoadedModel& loaded, const std::string& prompt) const {
  SampleSession session(loaded, settings_, std::cout);
  const std::unique_ptr<LineReader> lines = make_line_reader();
  if (lines->typed()) spdlog::info("each line is a prompt; an empty one goes on; :help lists commands; Ctrl-D ends");
  std::optional<std::string> line;
  bool going_on = true, first = !prompt.empty();
  while (going_on && (first || (line = lines->next()))) {
    catch_stop_signals();
    if (std::exchange(first, false))
      session.start(prompt);
    else
      going_on = session.handle(*line);
    const int signal = stop_signal();
    release_stop_signals();
    if (signal != 0 && !(lines->typed() && signal == SIGINT)) return static_cast<ExitCode>(128 + signal);
    finish_output();
  }
  return ExitCode::kDone;
}

void SampleCommand::explain(const LoadedModel& loaded, Generator& generator, const std::vector<TokenId>& ids) const {
  std::cout << steps_text(generator.sampler(), generator.next_logits(ids), {ids, ids.size()}, *loaded.tokenizer);
}

std::vector<Generated> SampleCommand::generate_all(const LoadedModel& loaded, Generator& generator,
                                                   const std::vector<TokenId>& ids, const std::string& prompt) {
  const auto count = static_cast<std::uint64_t>(samples_);
  TextListener listener;
  listener.on_slide = [&] { slid_ = true; };
  if (json_ || show_probs_) return generator.generate_all(ids, 0, count, settings_.generate, listener);
  // A document a line needs no headings: each sample is one line. Longer texts get one, on stderr.
  const bool headings = samples_ > 1 && loaded.config.text.documents != Documents::kLine;
  SamplePrinter printer(std::cout, prompt, count, headings);
  listener.on_text = [&](std::uint64_t sample, std::string_view piece) { printer.add(sample, piece); };
  listener.on_end = [&](std::uint64_t sample) { printer.end(sample); };
  return generator.generate_all(ids, 0, count, settings_.generate, listener);
}

/// What was not printed while it came.
void SampleCommand::print(const LoadedModel& loaded, const std::vector<TokenId>& ids,
                          const SampleResult& result) const {
  if (json_) std::cout << to_json(result, *loaded.tokenizer) << '\n';
  if (!show_probs_) return;
  const ColorDepth depth = color_depth_of_terminal(STDOUT_FILENO);
  for (const Generated& text : result.samples) {
    if (depth == ColorDepth::kAscii)
      std::cout << result.prompt << text.text << "\n\n";
    else
      write_coloured_text(std::cout, coloured_tokens(ids, text), *loaded.tokenizer, depth);
    std::cout << probabilities_text(text, *loaded.tokenizer);
    if (&text != &result.samples.back()) std::cout << '\n';
  }
}

void SampleCommand::say_at_the_end(const LoadedModel& loaded, const SampleResult& result) const {
  if (slid_)
    spdlog::info(
        "the text grew beyond the model's context of {} tokens: each time the newer half of what the model saw "
        "was kept (--overflow stop ends a text there)",
        grouped(loaded.config.model.context));
  const std::size_t tokens = tokens_of(result);
  spdlog::info("{}{} {}, {} tokens/s", settings_.drawn() ? fmt::format("seed {}, ", result.seed) : "", tokens,
               tokens == 1 ? "token" : "tokens", grouped(std::llround(result.tokens_per_s)));
}

}  // namespace

std::unique_ptr<Command> make_sample_command() {
  return std::make_unique<SampleCommand>();
}

}  // namespace tinylm
