// tinylm attend: one attention calculation by hand, step by step. No model is involved.
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <iostream>
#include <random>
#include <thread>

#include "cli/command.h"
#include "cli/flag_checks.h"
#include "inspect/attention_json.h"
#include "inspect/attention_text.h"
#include "inspect/practice/practice.h"
#include "inspect/worked_attention.h"

namespace tinylm {
namespace {

void print_rows(const char* name, const torch::Tensor& rows) {
  std::cout << name;
  for (std::int64_t i = 0; i < rows.size(0); ++i) std::cout << (i > 0 ? ", " : "  ") << short_vector(rows[i]);
  std::cout << '\n';
}

class AttendCommand : public Command {
 public:
  std::string name() const override { return "attend"; }
  std::string summary() const override { return "work out one attention calculation step by step"; }
  std::string introduction() const override {
    return "Without arguments it works out a small example. Numbers are separated by commas, vectors by semicolons.";
  }
  std::string examples() const override {
    return "  tinylm attend --query 0,1 --keys \"1,0;0,1\" --values \"6,0;0,3\"\n"
           "  tinylm attend --query \"1,0;0,1\" --keys \"1,0;0,1\" --values \"2;4\" --causal\n"
           "  tinylm attend --watch\n"
           "  tinylm attend --practice";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  void validate() const;
  AttentionInputs inputs() const;
  ExitCode watch(const WorkedAttention& worked) const;

  std::string query_, keys_, values_, mask_;
  bool causal_ = false, json_ = false, watch_ = false, practice_ = false;
  int digits_ = kDefaultDigits;
  std::int64_t exercises_ = 3;
  std::int64_t seed_ = 0;
  CLI::Option* digits_option_ = nullptr;
  CLI::Option* seed_option_ = nullptr;
  CLI::Option* exercises_option_ = nullptr;
};

void AttendCommand::describe(CLI::App& app) {
  app.add_option("--query", query_, "one query, or several: \"0,1\" or \"0,1;1,1\"")
      ->type_name("ROWS")
      ->check(not_empty());
  app.add_option("--keys", keys_, "as many numbers in each as in a query")->type_name("ROWS")->check(not_empty());
  app.add_option("--values", values_, "one for each key")->type_name("ROWS")->check(not_empty());
  app.add_flag("--causal", causal_,
               "hide later keys: with as many queries as keys, query i sees keys 1 to i; fewer queries stand last");
  app.add_option("--mask", mask_,
                 "1 for each key that may be looked at, 0 for each hidden one; a row for all queries "
                 "or one for each")
      ->type_name("ROWS")
      ->check(not_empty());
  digits_option_ = app.add_option("--digits", digits_, "decimals, 0 to 15")->capture_default_str();
  app.add_flag("--json", json_, "one JSON object on stdout instead of text");
  app.add_flag(
      "--watch", watch_,
      "fill the causal matrix of weights row by row, checking each row's sum; hides later keys as --causal does");
  app.add_flag("--practice", practice_, "set exercises: you work out the numbers, it says which step is off and why");
  exercises_option_ = app.add_option("--exercises", exercises_, "how many, with --practice")->capture_default_str();
  seed_option_ = app.add_option("--seed", seed_, "of the exercises; default: another one each time")
                     ->check(CLI::NonNegativeNumber);
}

void AttendCommand::validate() const {
  const int vectors = !query_.empty() + !keys_.empty() + !values_.empty();
  const bool own = vectors > 0 || !mask_.empty() || causal_;
  Problems problems;
  problems.require(digits_ >= 0 && digits_ <= kMostDigits, "--digits must be 0 to 15, not " + std::to_string(digits_));
  problems.require(digits_option_->empty() || !(json_ || practice_), "--digits belongs to the text and to --watch");
  problems.require(exercises_ >= 1, "--exercises must be at least 1, not " + std::to_string(exercises_));
  problems.require(json_ + watch_ + practice_ <= 1,
                   "--json, --watch and --practice are three ways to show it: give one");
  problems.require(!practice_ || !own,
                   "--practice makes its own vectors: leave out --query, --keys, --values, --mask "
                   "and --causal");
  problems.require(practice_ || (seed_option_->empty() && exercises_option_->empty()),
                   "--seed and --exercises belong to --practice, which was not given");
  problems.require(practice_ || vectors == 3 || !own,
                   "a calculation needs --query, --keys and --values, for example --query 0,1 --keys \"1,0;0,1\" "
                   "--values \"6,0;0,3\"; leave all out for an example");
  problems.throw_if_any();
}

AttentionInputs AttendCommand::inputs() const {
  if (query_.empty()) return watch_ ? causal_example_inputs() : example_inputs();
  AttentionInputs inputs{.q = parse_rows(query_, "--query"),
                         .k = parse_rows(keys_, "--keys"),
                         .v = parse_rows(values_, "--values"),
                         .causal = causal_ || watch_};
  if (!mask_.empty()) inputs.mask = parse_rows(mask_, "--mask");
  return inputs;
}

ExitCode AttendCommand::run() {
  validate();
  if (practice_) {
    run_practice(std::cin, std::cout,
                 seed_option_->empty() ? std::random_device{}() : static_cast<std::uint64_t>(seed_), exercises_);
    return ExitCode::kDone;
  }
  const WorkedAttention worked = work_attention(inputs());
  if (query_.empty())
    spdlog::info("no vectors given: this is an example; give your own with --query, --keys and --values");
  if (watch_) return watch(worked);
  std::cout << (json_ ? to_json(worked) + '\n' : worked_text(worked, digits_));
  return ExitCode::kDone;
}

ExitCode AttendCommand::watch(const WorkedAttention& worked) const {
  const auto pause = std::chrono::milliseconds(isatty(STDOUT_FILENO) ? 600 : 0);
  bool right = true;
  print_rows("queries", worked.inputs.q);
  print_rows("keys   ", worked.inputs.k);
  print_rows("values ", worked.inputs.v);
  std::cout << "Weights of each query (rows) over the keys (columns), later keys hidden: a point.\n"
            << matrix_line(worked, -1, digits_) << std::flush;
  for (std::int64_t query = 0; query < worked.inputs.q.size(0); ++query) {
    std::this_thread::sleep_for(pause);
    std::cout << matrix_line(worked, query, digits_) << std::flush;
    right = right && row_sum_is_right(worked, query);
  }
  return right ? ExitCode::kDone : ExitCode::kCheckFailed;
}

}  // namespace

std::unique_ptr<Command> make_attend_command() {
  return std::make_unique<AttendCommand>();
}

}  // namespace tinylm
