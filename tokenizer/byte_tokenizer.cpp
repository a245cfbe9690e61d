#include "tokenizer/byte_tokenizer.h"

#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "tokenizer/tokenizer_json.h"

namespace tinylm {

std::unique_ptr<Tokenizer> ByteTokenizer::make(const TokenizerOptions&, std::uint64_t, TextReader&) {
  spdlog::info("byte tokenizer: 256 bytes, START and END: vocabulary 258");
  return std::make_unique<ByteTokenizer>();
}

std::unique_ptr<Tokenizer> ByteTokenizer::load(const std::string& bytes, const std::string& file) {
  parse_tokenizer_json(bytes, file, kKind);
  return std::make_unique<ByteTokenizer>();
}

void ByteTokenizer::encode(std::string_view text, std::vector<TokenId>& ids) const {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  ids.insert(ids.end(), bytes, bytes + text.size());
}

std::string ByteTokenizer::bytes_of(TokenId id) const {
  require_id(id);
  return id < start_id() ? std::string(1, static_cast<char>(id)) : std::string();
}

std::string ByteTokenizer::serialize() const {
  return nlohmann::json{{"kind", kKind}}.dump() + "\n";
}

}  // namespace tinylm
