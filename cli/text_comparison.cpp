#include "cli/text_comparison.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/program.h"
#include "cli/scoring_progress.h"
#include "core/utf8.h"
#include "data/temporary_tokens.h"
#include "run/run.h"
#include "train/evaluate.h"

namespace tinylm {
namespace {

constexpr std::size_t kPlacesShown = 10;
constexpr std::int64_t kLeastPieceBytes = 64, kMostPieces = 4096;
constexpr std::int64_t kBytesShown = 40;  // of text before a place, and of a piece

/// A run, the text as its tokens, and what they cost it.
struct ScoredRun {
  ComparedRun scored;
  LoadedModel loaded;
  std::unique_ptr<TemporaryTokens> tokens;
  std::optional<LossesByByte> losses;
};

ScoredRun score(const std::string& folder, const std::vector<std::string>& texts, const std::string& literal,
                std::int64_t stride, const std::string& checkpoint, Ops ops) {
  const Run run = Run::open(folder);
  ScoredRun result{{}, load_model(run, checkpoint, ops), nullptr, std::nullopt};
  const LoadedModel& loaded = result.loaded;
  TextScorer scorer(loaded.model, *loaded.tokenizer, stride > 0 ? stride : loaded.config.model.context);
  TextOptions options = loaded.config.text;
  options.text = texts;
  result.tokens = std::make_unique<TemporaryTokens>(options, literal, *loaded.tokenizer);
  const TokenRange range = result.tokens->range();
  result.losses.emplace(*loaded.tokenizer, range.count > 0 ? (*range.file)[range.first] : 0);
  ScoringProgress progress(range.count - 1);
  const TextScore score = scorer.score(range, evaluation_rows(loaded.config.model), [&](const TokenLoss& token) {
    progress.update(token.position);
    result.losses->add(token);
  });
  progress.finish();
  result.scored = {run.folder().string(), loaded.checkpoint.folder.filename().string(), score};
  return result;
}

// Some of what stands before a token, and the beginning of that and the tokens after it, as people see them.
std::string text_before(const ScoredRun& run, std::int64_t position) {
  std::string bytes;
  const TokenRange range = run.tokens->range();
  while (position > 0 && static_cast<std::int64_t>(bytes.size()) < kBytesShown)
    bytes.insert(0, run.loaded.tokenizer->bytes_of((*range.file)[range.first + --position]));
  return utf8::visible(bytes);
}

std::string text_from(const ScoredRun& run, std::int64_t position, std::int64_t tokens) {
  std::string bytes;
  const TokenRange range = run.tokens->range();
  for (std::int64_t n = 0; n < tokens && static_cast<std::int64_t>(bytes.size()) < kBytesShown; ++n)
    bytes += run.loaded.tokenizer->bytes_of((*range.file)[range.first + position + n]);
  return utf8::visible(bytes);
}

/// Keeps the places of largest difference, the largest first; none without any.
void keep_most_different(std::vector<DifferentPlace>& places, DifferentPlace place) {
  const auto size_of = [](const DifferentPlace& one) { return std::abs(one.a_nats - one.b_nats); };
  if (size_of(place) == 0.0 || (places.size() == kPlacesShown && size_of(place) <= size_of(places.back()))) return;
  const auto at = std::upper_bound(places.begin(), places.end(), place,
                                   [&](const auto& x, const auto& y) { return size_of(x) > size_of(y); });
  places.insert(at, std::move(place));
  if (places.size() > kPlacesShown) places.pop_back();
}

void add_tokens(std::vector<DifferentPlace>& places, const LossesByByte& a, const LossesByByte& b) {
  auto in_b = b.tokens().begin();
  for (const LossesByByte::Token& token : a.tokens()) {  // one of them may not predict the first token
    while (in_b != b.tokens().end() && in_b->end_byte < token.end_byte) ++in_b;
    if (in_b == b.tokens().end()) return;
    if (in_b->end_byte == token.end_byte)
      keep_most_different(places, {token.position, 1, "", "", token.loss_nats, in_b->loss_nats});
  }
}

/// Of tokens where both have the same ones, else of pieces.
std::vector<DifferentPlace> most_different(const ScoredRun& a, const ScoredRun& b, bool same_tokens,
                                           const std::vector<PairedPiece>& pieces) {
  std::vector<DifferentPlace> places;
  if (same_tokens) add_tokens(places, *a.losses, *b.losses);
  for (const PairedPiece& piece : pieces) {
    if (!same_tokens)
      keep_most_different(places, {piece.a_position, piece.a_tokens, "", "", piece.a_nats, piece.b_nats});
  }
  for (DifferentPlace& place : places) {
    place.before = text_before(a, place.position);
    place.text = text_from(a, place.position, place.tokens);
  }
  return places;
}

}  // namespace

void TextComparison::describe(CLI::App& app) {
  app.add_option("--compare", runs_, "how much better the first of two runs predicts the text, and how sure that is")
      ->type_name("RUN RUN")
      ->expected(2);
  app.add_option("--seed", seed_, "seed of the draws for the interval of --compare")
      ->type_name("N")
      ->capture_default_str();
}

void TextComparison::validate(const std::vector<std::string>& texts, bool others, Problems& problems) const {
  if (!asked()) {
    problems.require(seed_ == 0, "--seed is of the interval that --compare gives: give --compare too, or leave it out");
    return;
  }
  problems.require(!others, "--run, --tasks, --tokens and --csv are about one run: leave them out with --compare");
  for (const std::string& text : texts) {
    std::error_code ignored;
    problems.require(text != "-" && !std::filesystem::is_fifo(text, ignored),
                     "--compare reads the text twice, which standard input and pipes cannot give: name a file");
  }
}

RunComparison TextComparison::compare(const std::vector<std::string>& texts, const std::string& literal,
                                      std::int64_t stride, const std::string& checkpoint, Ops ops) const {
  ignore_closed_pipes();  // which would end the process with the temporary tokens left behind
  const ScoredRun a = score(runs_[0], texts, literal, stride, checkpoint, ops);
  const ScoredRun b = score(runs_[1], texts, literal, stride, checkpoint, ops);
  RunComparison comparison{a.scored, b.scored, false, 0, {}, {}, {}};
  comparison.same_tokens = a.loaded.tokenizer->fingerprint() == b.loaded.tokenizer->fingerprint();
  comparison.bootstrap.seed = seed_;
  const std::int64_t least = std::max(kLeastPieceBytes, a.losses->bytes() / kMostPieces);
  const std::vector<PairedPiece> pieces = paired_pieces(*a.losses, *b.losses, least);
  comparison.pieces = static_cast<std::int64_t>(pieces.size());
  comparison.difference = difference_of(pieces, comparison.bootstrap);
  comparison.places = most_different(a, b, comparison.same_tokens, pieces);
  return comparison;
}

}  // namespace tinylm
