#include "tokenizer/registry.h"

#include <algorithm>
#include <array>

#include "core/errors.h"
#include "core/files.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/char_tokenizer.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace tinylm {
namespace {

struct Kind {
  const char* name;
  const char* file_name;
  std::unique_ptr<Tokenizer> (*make)(const TokenizerOptions& options, std::uint64_t seed, TextReader& text);
  std::unique_ptr<Tokenizer> (*load)(const std::string& bytes, const std::string& file);
};

constexpr std::array kKinds{
    Kind{ByteTokenizer::kKind, ByteTokenizer::kFileName, ByteTokenizer::make, ByteTokenizer::load},
    Kind{CharTokenizer::kKind, CharTokenizer::kFileName, CharTokenizer::make, CharTokenizer::load},
    Kind{SentencePieceTokenizer::kKind, SentencePieceTokenizer::kFileName, SentencePieceTokenizer::make,
         SentencePieceTokenizer::load},
};

const std::vector<std::string> kModels{"unigram", "bpe"};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void require_word(Problems& problems, const std::string& key, const std::string& word,
                  const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  const std::string meant = nearest(word, words);
  problems.add(key + " = \"" + word + "\": expected one of " + joined(words) +
               (meant.empty() ? "" : "; did you mean \"" + meant + "\"?"));
}

void require_range(Problems& problems, const std::string& key, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
  problems.require(value >= least && value <= most,
                   key + " = " + std::to_string(value) + ": expected " + grouped(least) + " to " + grouped(most));
}

}  // namespace

std::vector<std::string> tokenizer_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

void TokenizerOptions::describe(OptionTable& table) {
  table.add_choice("text", "tokenizer", tokenizer, tokenizer_kinds(),
                   "what one token is: a byte, a character of the text, or a learned piece of words");
  table.add("text", "vocab_size", vocab_size,
            "sentencepiece: largest vocabulary; less is taken when the text supports less");
  table.add_choice("text", "sentencepiece_model", sentencepiece_model, kModels,
                   "sentencepiece: how pieces are learned");
  table.add("text", "tokenizer_sample_mb", tokenizer_sample_mb,
            "sentencepiece: train it on at most so many MB of lines, drawn by the seed");
}

void TokenizerOptions::validate(Problems& problems) const {
  require_word(problems, "tokenizer", tokenizer, tokenizer_kinds());
  require_word(problems, "sentencepiece_model", sentencepiece_model, kModels);
  require_range(problems, "vocab_size", vocab_size, SentencePieceTokenizer::kSmallestVocabulary,
                SentencePieceTokenizer::kLargestVocabulary);
  require_range(problems, "tokenizer_sample_mb", tokenizer_sample_mb, 1, SentencePieceTokenizer::kLargestSampleMb);
}

std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerOptions& options, std::uint64_t seed, TextReader& text) {
  Problems problems;
  options.validate(problems);
  problems.throw_if_any();
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const Kind& candidate) { return candidate.name == options.tokenizer; });
  return kind->make(options, seed, text);
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder) {
  const Kind* found = nullptr;
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) {
    names.emplace_back(kind.file_name);
    if (!std::filesystem::exists(folder / kind.file_name)) continue;
    if (found) {
      throw FileError(folder.string() + " holds two tokenizers, " + found->file_name + " and " + kind.file_name +
                      ": remove the one that the run was not trained with");
    }
    found = &kind;
  }
  if (!found) {
    throw FileError("no tokenizer in " + folder.string() + ": expected one of " + joined(names) +
                    "; is this the folder of a run?");
  }
  const std::filesystem::path file = folder / found->file_name;
  return found->load(read_file(file), file.string());
}

}  // namespace tinylm
