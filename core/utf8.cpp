#include "core/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace tinylm::utf8 {
namespace {

struct Decoded {
  char32_t code_point = 0;
  std::size_t length = 0;  // 0: no valid sequence here
};

Decoded decode(std::string_view text, std::size_t offset) {
  const std::size_t available = std::min<std::size_t>(4, text.size() - offset);
  utf8proc_int32_t code_point = -1;
  const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + offset,
                                                   static_cast<utf8proc_ssize_t>(available), &code_point);
  if (length <= 0) return {};
  return {static_cast<char32_t>(code_point), static_cast<std::size_t>(length)};
}

/// Whether the eight bytes at `bytes` are all ASCII; most text passes by here.
bool eight_ascii(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return (word & 0x8080808080808080ULL) == 0;
}

std::size_t length_by_lead(unsigned char lead) {
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  return 1;
}

/// Whether more bytes can make `part` (a lead byte and fewer continuations than it asks for) a character. The second
/// byte of a valid sequence comes from a range that contains 0x80 or 0xBF, so trying the two decides it.
bool can_be_completed(std::string_view part, std::size_t length) {
  for (const char filler : {'\x80', '\xBF'}) {
    std::string whole(part);
    whole.resize(length, filler);
    if (decode(whole, 0).length == length) return true;
  }
  return false;
}

std::string hexadecimal(const char* format, unsigned value) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

bool is_printable(char32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_CN:  // not assigned
    case UTF8PROC_CATEGORY_CC:  // control
    case UTF8PROC_CATEGORY_CF:  // format: direction marks, joiners
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:  // private use
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

void append_visible(std::string& result, char32_t code_point) {
  constexpr char32_t kControlPictures = 0x2400;  // U+2400 + c is the picture of control character c
  if (code_point == U'\n') {
    append(result, U'\u23CE');
  } else if (code_point == U'\t') {
    append(result, U'\u21E5');
  } else if (code_point < 0x20) {
    append(result, kControlPictures + code_point);
  } else if (code_point == 0x7F) {
    append(result, U'\u2421');
  } else if (!is_printable(code_point)) {
    result += hexadecimal("<U+%04X>", static_cast<unsigned>(code_point));
  } else {
    append(result, code_point);
  }
}

}  // namespace

std::optional<std::size_t> find_invalid(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (offset + 8 <= text.size() && eight_ascii(text.data() + offset)) {
      offset += 8;
      continue;
    }
    const std::size_t length = decode(text, offset).length;
    if (length == 0) return offset;
    offset += length;
  }
  return std::nullopt;
}

char32_t next(std::string_view text, std::size_t& offset) {
  const Decoded decoded = decode(text, offset);
  offset += decoded.length;
  return decoded.code_point;
}

void append(std::string& text, char32_t code_point) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

std::size_t complete_prefix(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const std::size_t offset = bytes.size() - back;
    const auto byte = static_cast<unsigned char>(bytes[offset]);
    if ((byte & 0xC0) == 0x80) continue;  // a continuation: its lead byte stands before it
    const std::size_t length = length_by_lead(byte);
    return length > back && can_be_completed(bytes.substr(offset), length) ? offset : bytes.size();
  }
  return bytes.size();
}

std::string with_replacements(std::string_view text) {
  std::string result;
  while (const auto invalid = find_invalid(text)) {
    result += text.substr(0, *invalid);
    append(result, U'\uFFFD');
    text.remove_prefix(*invalid + 1);
  }
  return result += text;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t offset = 0; offset < text.size();) {
    columns += static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(next(text, offset))));
  }
  return columns;
}

std::string visible(std::string_view bytes) {
  std::string result;
  for (std::size_t offset = 0; offset < bytes.size();) {
    const Decoded decoded = decode(bytes, offset);
    if (decoded.length == 0) {
      result += hexadecimal("<%02X>", static_cast<unsigned char>(bytes[offset]));
    } else {
      append_visible(result, decoded.code_point);
    }
    offset += std::max<std::size_t>(1, decoded.length);
  }
  return result;
}

}  // namespace tinylm::utf8
