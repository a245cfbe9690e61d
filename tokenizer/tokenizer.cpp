#include "tokenizer/tokenizer.h"

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/utf8.h"

namespace tinylm {

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  std::vector<TokenId> ids;
  encode(text, ids);
  return ids;
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  std::string text;
  for (const TokenId id : ids) text += bytes_of(id);
  return text;
}

std::string Tokenizer::label(TokenId id) const {
  if (id == start_id()) return "START";
  if (id == end_id()) return "END";
  return utf8::visible(bytes_of(id));
}

std::uint64_t Tokenizer::fingerprint() const {
  Checksum checksum;
  checksum.update(kind());
  checksum.update(std::string_view("\0", 1));  // so that no kind's name runs into its content
  checksum.update(serialize());
  return checksum.value();
}

void Tokenizer::save(const std::filesystem::path& folder) const {
  write_atomically(folder / file_name(), serialize());
}

void Tokenizer::require_id(TokenId id) const {
  if (id >= 0 && id < vocabulary_size()) return;
  throw BadInput("token id " + std::to_string(id) + " is outside this tokenizer's vocabulary of " +
                 std::to_string(vocabulary_size()) + " (" + kind() + "): expected 0 to " +
                 std::to_string(vocabulary_size() - 1) + "; use the tokenizer that the ids were made with");
}

void Tokenizer::require_utf8(std::string_view text) {
  const auto offset = utf8::find_invalid(text);
  if (!offset) return;
  throw BadInput(
      "the text is not UTF-8: byte " + utf8::visible(text.substr(*offset, 1)) + " at offset " +
      std::to_string(*offset) +
      " belongs to no character; convert the text to UTF-8, or train with --tokenizer byte, which takes any bytes");
}

std::string StreamDecoder::push(TokenId id) {
  held_ += tokenizer_.bytes_of(id);
  const std::size_t complete = utf8::complete_prefix(held_);
  std::string text = utf8::with_replacements(std::string_view(held_).substr(0, complete));
  held_.erase(0, complete);
  return text;
}

std::string StreamDecoder::finish() {
  const bool incomplete = !held_.empty();
  held_.clear();
  return incomplete ? "\uFFFD" : "";
}

}  // namespace tinylm
