#include "tokenizer/char_tokenizer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/utf8.h"
#include "tokenizer/tokenizer_json.h"

namespace tinylm {
namespace {

constexpr std::size_t kBmpSize = 0x10000;

std::string code_point_name(char32_t character) {
  return fmt::format("U+{:04X}", static_cast<std::uint32_t>(character));
}

BadInput unseen_character(std::string_view text, std::size_t offset, std::size_t vocabulary) {
  std::size_t end = offset;
  const char32_t character = utf8::next(text, end);
  std::size_t place = 1;
  for (std::size_t at = 0; at < offset; ++place) utf8::next(text, at);
  return BadInput(fmt::format(
      "character '{}' ({}) at byte offset {} (character {} of the text) is not among the {} characters "
      "that this char tokenizer was made from; leave it out or replace it, or train with --tokenizer "
      "byte or sentencepiece, which take any character",
      utf8::visible(text.substr(offset, end - offset)), code_point_name(character), offset, place, vocabulary));
}

std::string to_utf8(const std::u32string& characters) {
  std::string text;
  for (const char32_t character : characters) utf8::append(text, character);
  return text;
}

}  // namespace

std::unique_ptr<Tokenizer> CharTokenizer::make(const TokenizerOptions&, std::uint64_t, TextReader& text) {
  std::vector<bool> seen(utf8::kCodePoints);
  text.rewind();
  for (std::string piece; text.next(piece);) {
    for (std::size_t offset = 0; offset < piece.size();) seen[utf8::next(piece, offset)] = true;
  }
  std::u32string characters;
  for (std::size_t character = 0; character < utf8::kCodePoints; ++character) {
    if (seen[character]) characters.push_back(static_cast<char32_t>(character));
  }
  if (characters.empty()) {
    throw BadInput(
        "the text is empty: the char tokenizer takes its vocabulary from the text; give a text with characters in it");
  }
  auto tokenizer = std::make_unique<CharTokenizer>(std::move(characters));
  spdlog::info("char tokenizer: {} characters, START and END: vocabulary {}", tokenizer->start_id(),
               tokenizer->vocabulary_size());
  return tokenizer;
}

std::unique_ptr<Tokenizer> CharTokenizer::load(const std::string& bytes, const std::string& file) {
  const nlohmann::json json = parse_tokenizer_json(bytes, file, kKind);
  if (!json.contains("characters") || !json["characters"].is_string()) {
    throw damaged_tokenizer(file, "it has no text \"characters\"");
  }
  const std::string text = json["characters"];
  if (!json.contains("checksum") || json["checksum"] != to_hex(checksum_of(text))) {
    throw damaged_tokenizer(file, "the checksum of its characters is not the one that was written");
  }
  std::u32string characters;
  for (std::size_t offset = 0; offset < text.size();) {
    const char32_t character = utf8::next(text, offset);
    if (!characters.empty() && character <= characters.back()) {
      throw damaged_tokenizer(file, "its characters are not in ascending order at " + code_point_name(character));
    }
    characters.push_back(character);
  }
  return std::make_unique<CharTokenizer>(std::move(characters));
}

CharTokenizer::CharTokenizer(std::u32string characters)
    : characters_(std::move(characters)), ids_of_bmp_(kBmpSize, -1) {
  for (std::size_t id = 0; id < characters_.size() && characters_[id] < kBmpSize; ++id) {
    ids_of_bmp_[characters_[id]] = static_cast<TokenId>(id);
  }
}

TokenId CharTokenizer::id_of(char32_t character) const {
  if (character < kBmpSize) return ids_of_bmp_[character];
  const auto place = std::lower_bound(characters_.begin(), characters_.end(), character);
  return place != characters_.end() && *place == character ? static_cast<TokenId>(place - characters_.begin()) : -1;
}

void CharTokenizer::encode(std::string_view text, std::vector<TokenId>& ids) const {
  require_utf8(text);
  const std::size_t before = ids.size();
  ids.resize(before + text.size());  // at most one id a byte; cut at the end
  TokenId* out = ids.data() + before;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t begin = offset;
    const auto byte = static_cast<unsigned char>(text[offset]);
    const TokenId id = byte < 0x80 ? (++offset, ids_of_bmp_[byte]) : id_of(utf8::next(text, offset));
    if (id < 0) {
      ids.resize(before);
      throw unseen_character(text, begin, characters_.size());
    }
    *out++ = id;
  }
  ids.resize(static_cast<std::size_t>(out - ids.data()));
}

std::string CharTokenizer::bytes_of(TokenId id) const {
  require_id(id);
  std::string bytes;
  if (id < start_id()) utf8::append(bytes, characters_[static_cast<std::size_t>(id)]);
  return bytes;
}

std::string CharTokenizer::serialize() const {
  const std::string text = to_utf8(characters_);
  const nlohmann::ordered_json json{{"kind", kKind}, {"characters", text}, {"checksum", to_hex(checksum_of(text))}};
  return json.dump(1) + "\n";
}

}  // namespace tinylm
