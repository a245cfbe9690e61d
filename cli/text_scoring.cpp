#include "cli/text_scoring.h"

#include <spdlog/spdlog.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <system_error>

#include "cli/coloured_text.h"
#include "cli/flag_checks.h"
#include "cli/program.h"
#include "cli/scoring_progress.h"
#include "core/logging.h"
#include "core/numbers.h"
#include "core/signals.h"
#include "core/stop_watch.h"
#include "data/temporary.h"
#include "data/temporary_tokens.h"
#include "sample/text_report.h"
#include "train/evaluate.h"

namespace tinylm {
namespace {

constexpr std::int64_t kShownWhole = 400;    // tokens of a text that is shown as a whole
constexpr std::size_t kSurprisesShown = 10;  // of a longer one

/// The file of --csv, which appears once it is whole, or standard output.
class CsvOutput {
 public:
  CsvOutput(const std::string& place, const Tokenizer& tokenizer) : place_(place), tokenizer_(tokenizer) {
    if (place_ != "-") {
      require_no_folder();
      file_.emplace(place_);
    }
    write(kCsvHeader);
  }
  void add(const TokenLoss& token) { write(csv_line(token, tokenizer_)); }
  void finish() {
    if (!file_) return;
    file_->publish(place_);
    spdlog::info("losses written to {}", place_);
  }

 private:
  /// Found out before the work, not when the file is put in place.
  void require_no_folder() const {
    std::error_code ignored;
    if (std::filesystem::path(place_).has_filename() && !std::filesystem::is_directory(place_, ignored)) return;
    throw FileError(place_ + ": is a folder; give --csv a file");
  }
  void write(const std::string& line) {
    if (file_) {
      file_->write(line);
    } else if (!(std::cout << line)) {
      finish_output();  // says what is wrong: there is no use in going on
    }
  }

  std::string place_;
  const Tokenizer& tokenizer_;
  std::optional<TemporaryFile> file_;
};

void print_for_people(const ScoredText& text, const std::vector<TokenLoss>& surprises, bool table) {
  std::cout << summary_text(text) << '\n';
  const ColorDepth depth = color_depth_of_terminal(STDOUT_FILENO);
  const bool coloured = depth != ColorDepth::kAscii && !text.losses_nats.empty();
  if (coloured) write_coloured_text(std::cout, coloured_tokens(text), *text.tokenizer, depth);
  if (table) {
    if (coloured) std::cout << '\n';
    write_token_table(std::cout, text);
  }
  if (!coloured && !table) std::cout << surprises_text(text, surprises);
}

}  // namespace

void TextScoring::describe(CLI::App& app) {
  app.add_option("TEXT", texts_, "files or folders to score, '-' for standard input, read as the run's own text was")
      ->type_name("");
  app.add_option("--text", literal_, "score this text instead of a TEXT")->type_name("LITERAL")->check(not_empty());
  app.add_option("--stride", stride_,
                 "tokens from one window to the next; fewer give each token more context and take longer; default: the "
                 "context, as in training's validation")
      ->type_name("N");
  app.add_flag("--tokens", tokens_, "the loss of each token too");
  app.add_option("--csv", csv_, "write the loss of each token to FILE, '-' for standard output")
      ->type_name("FILE")
      ->check(not_empty());
}

void TextScoring::validate(bool tasks, bool json, Problems& problems) const {
  TextOptions named;
  named.text = texts_;
  named.validate(problems);
  problems.require(texts_.empty() || literal_.empty(), "a TEXT and --text both name the text: give one");
  problems.require(!tasks || !given(),
                   "--tasks scores answers, TEXT and --text score a text: give one, and score the other by itself");
  problems.require(!tasks || (!stride_ && !tokens_ && csv_.empty()),
                   "--stride, --tokens and --csv are about the tokens of a text: leave them out with --tasks");
  problems.require(!json || !csv_on_output(),
                   "--json and --csv - both write to standard output: give --csv a file, or leave one out");
  problems.require(!tokens_ || !csv_on_output(), "--csv - writes every token already: leave out --tokens");
}

void TextScoring::score(const Run& run, const LoadedModel& loaded, bool json) const {
  const std::int64_t context = loaded.config.model.context;
  TextScorer scorer(loaded.model, *loaded.tokenizer, stride_.value_or(context));
  TextOptions options = loaded.config.text;
  options.text = texts_;
  ignore_closed_pipes();  // which would end the process with the temporary tokens left behind
  const TemporaryTokens tokens(options, literal_, *loaded.tokenizer);
  ScoredText text{
      run.folder().string(), loaded.checkpoint.folder.filename().string(), {}, tokens.range(), loaded.tokenizer.get()};
  std::optional<CsvOutput> csv;
  if (!csv_.empty()) csv.emplace(csv_, *loaded.tokenizer);
  const bool keep = tokens_ || (!json && text.tokens.count <= kShownWhole);
  MostSurprising surprising(kSurprisesShown);
  {
    ScoringProgress progress(text.tokens.count - 1);
    text.score = scorer.score(text.tokens, evaluation_rows(loaded.config.model), [&](const TokenLoss& token) {
      progress.update(token.position);
      surprising.add(token);
      if (keep) text.losses_nats.push_back(static_cast<float>(token.loss_nats));
      if (csv) csv->add(token);
    });
    progress.finish();
  }
  if (csv) csv->finish();
  if (csv_on_output()) return;
  if (json) {
    write_json(std::cout, text);
  } else {
    print_for_people(text, surprising.tokens(), tokens_);
  }
}

}  // namespace tinylm
