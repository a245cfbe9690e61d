#include "sample/token_text.h"

#include "core/utf8.h"

namespace tinylm {

std::string token_text(const Tokenizer& tokenizer, TokenId id) {
  const std::string bytes = tokenizer.bytes_of(id);
  return utf8::find_invalid(bytes) ? utf8::visible(bytes) : bytes;
}

std::string token_label(const Tokenizer& tokenizer, TokenId id) {
  std::string label;
  for (const char byte : tokenizer.label(id)) label += byte == ' ' ? std::string("\u2423") : std::string(1, byte);
  return label;
}

}  // namespace tinylm
