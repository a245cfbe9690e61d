#include "tokenizer/sentencepiece_tokenizer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/numbers.h"
#include "core/utf8.h"
#include "tokenizer/sentencepiece_loader.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/training_words.h"

namespace tinylm {
namespace {

// Field 1000 of the model, a text of 16 bytes: its tag (1000 << 3 | 2) as a varint and its length.
constexpr std::string_view kChecksumField = "\xC2\x3E\x10";
constexpr std::size_t kTrailerBytes = kChecksumField.size() + 16;

std::string trailer_of(std::string_view model) {
  return std::string(kChecksumField) + to_hex(checksum_of(model));
}

/// Gives the words to the trainer, each with its count after a tab.
struct WordFeed {
  std::vector<TrainingWord> words;
  std::size_t next_word = 0;
  std::string line = {};

  static int next(void* source, const char** bytes, std::size_t* size) {
    auto& feed = *static_cast<WordFeed*>(source);
    if (feed.next_word == feed.words.size()) return 0;
    TrainingWord& word = feed.words[feed.next_word++];
    feed.line = std::exchange(word.text, {}) + '\t' + std::to_string(word.count);
    *bytes = feed.line.data();
    *size = feed.line.size();
    return 1;
  }
};

/// A word of one character of the text. It cannot be split, so its piece survives: unigram drops the pieces that it
/// expects less than half a time, and ends the whole process when a small, repetitive text leaves it with none.
TrainingWord lone_character(const TrainingLines& lines) {
  TrainingWord word{{}, 1};
  utf8::append(word.text, lines.required_characters().back());
  return word;
}

void require_trainable(const TokenizerOptions& options, const TrainingLines& lines) {
  const auto characters = static_cast<std::int64_t>(lines.required_characters().size());
  if (characters == 0) {
    throw BadInput("the text has no characters to learn pieces from (" + grouped(lines.all().lines) +
                   " lines that are not empty); give a longer text, or use --tokenizer byte or char");
  }
  const std::int64_t smallest = characters + SentencePieceTokenizer::kFixedPieces;
  if (options.vocab_size >= smallest) return;
  throw BadInput("vocab_size " + grouped(options.vocab_size) + " is too small for this text: its " +
                 grouped(characters) + " different characters, 256 bytes and 4 special pieces need at least " +
                 std::to_string(smallest) + "; give --vocab-size " + std::to_string(smallest) +
                 " or more, or use --tokenizer byte");
}

SentencePieceModel* train(const SentencePiecePlugin& plugin, const TokenizerOptions& options,
                          const TrainingLines& lines, std::vector<TrainingWord> words) {
  WordFeed feed{std::move(words)};
  const SentencePieceTraining training{static_cast<std::int32_t>(options.vocab_size),
                                       options.sentencepiece_model == "bpe",
                                       static_cast<std::int32_t>(kLongestLineBytes), WordFeed::next, &feed};
  SentencePieceError error{};
  SentencePieceModel* model = plugin.train(&training, &error);
  if (model) return model;
  throw BadInput("sentencepiece cannot learn pieces from this text (" + grouped(lines.drawn().lines) + " lines, " +
                 human_bytes(lines.drawn().bytes) + "): " + error.text +
                 "; give a longer text, or use --tokenizer char or byte");
}

}  // namespace

std::unique_ptr<Tokenizer> SentencePieceTokenizer::make(const TokenizerOptions& options, std::uint64_t seed,
                                                        TextReader& text) {
  TrainingLines lines(text, seed, static_cast<std::uint64_t>(options.tokenizer_sample_mb) * 1'000'000);
  require_trainable(options, lines);
  const SentencePiecePlugin& plugin = sentencepiece_plugin();
  std::vector<TrainingWord> words = training_words(lines);
  spdlog::info("sentencepiece ({}): training on {} of {} lines ({} of {}), drawn with seed {}: {} different words",
               options.sentencepiece_model, grouped(lines.drawn().lines), grouped(lines.all().lines),
               human_bytes(lines.drawn().bytes), human_bytes(lines.all().bytes), seed, grouped(words.size()));
  words.push_back(lone_character(lines));
  std::unique_ptr<SentencePieceTokenizer> tokenizer(
      new SentencePieceTokenizer(plugin, train(plugin, options, lines, std::move(words))));
  const std::int64_t taken = tokenizer->vocabulary_size();
  if (taken < options.vocab_size) {
    spdlog::info("sentencepiece: vocabulary {}, all that the text supports of the {} asked for", grouped(taken),
                 grouped(options.vocab_size));
  } else {
    spdlog::info("sentencepiece: vocabulary {}", grouped(taken));
  }
  return tokenizer;
}

std::unique_ptr<Tokenizer> SentencePieceTokenizer::load(const std::string& bytes, const std::string& file) {
  const std::size_t size = bytes.size() - std::min(bytes.size(), kTrailerBytes);
  if (std::string_view(bytes).substr(size) != trailer_of(std::string_view(bytes).substr(0, size))) {
    throw damaged_tokenizer(file, "it does not end with the checksum of what it holds");
  }
  const SentencePiecePlugin& plugin = sentencepiece_plugin();
  SentencePieceError error{};
  SentencePieceModel* model = plugin.load(bytes.data(), size, &error);
  if (!model) throw damaged_tokenizer(file, "sentencepiece refuses it: " + std::string(error.text));
  return std::unique_ptr<Tokenizer>(new SentencePieceTokenizer(plugin, model));
}

SentencePieceTokenizer::SentencePieceTokenizer(const SentencePiecePlugin& plugin, SentencePieceModel* model)
    : plugin_(plugin), model_(model, plugin.release), ids_(plugin.ids(model)) {}

void SentencePieceTokenizer::encode(std::string_view text, std::vector<TokenId>& ids) const {
  require_utf8(text);
  const std::size_t before = ids.size();
  ids.resize(before + text.size());  // at most one id a byte; cut at the end
  TokenId* out = ids.data() + before;
  SentencePieceError error{};
  while (!text.empty()) {
    const std::string_view window =
        text.substr(0, kLongestLineBytes + 1);  // a search to the newline itself may be long
    const std::string_view line = window.substr(0, window.find('\n'));
    const std::size_t part = line_part_bytes(line);
    const std::int64_t count = part == 0 ? 0 : plugin_.encode(model_.get(), line.data(), part, out, &error);
    if (count < 0) throw std::runtime_error("sentencepiece failed to encode: " + std::string(error.text));
    out += count;
    text.remove_prefix(part);
    if (part == line.size() && !text.empty()) {
      *out++ = ids_.newline;
      text.remove_prefix(1);
    }
  }
  ids.resize(static_cast<std::size_t>(out - ids.data()));
}

std::string SentencePieceTokenizer::bytes_of(TokenId id) const {
  require_id(id);
  std::size_t size = 0;
  const char* bytes = plugin_.text_of(model_.get(), id, &size);
  return std::string(bytes, size);
}

std::string SentencePieceTokenizer::serialize() const {
  std::size_t size = 0;
  const char* bytes = plugin_.serialized(model_.get(), &size);
  const std::string_view model(bytes, size);
  return std::string(model) + trailer_of(model);
}

}  // namespace tinylm
