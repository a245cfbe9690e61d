// UTF-8, whatever the locale, over utf8proc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tinylm::utf8 {

constexpr std::size_t kCodePoints = 0x110000;  // that Unicode has

/// Offset of the first byte that does not belong to a valid UTF-8 sequence (overlong forms, surrogates and values above
/// U+10FFFF are invalid); nothing when the text is valid. An incomplete sequence at the end is invalid, at its first
/// byte.
std::optional<std::size_t> find_invalid(std::string_view text);

/// The code point at `offset` of a valid text, moving `offset` past it.
char32_t next(std::string_view text, std::size_t& offset);

/// Appends `code_point` as UTF-8.
void append(std::string& text, char32_t code_point);

/// Length of the longest prefix of `bytes` that does not end within a code point that more bytes could complete.
/// Invalid bytes count as complete: they will never become a character.
std::size_t complete_prefix(std::string_view bytes);

/// `text` with every invalid byte replaced by U+FFFD.
std::string with_replacements(std::string_view text);

/// Columns that a valid text takes on a terminal: wide characters 2, combining and zero-width ones 0.
std::size_t display_width(std::string_view text);

/// A valid, printable form of a token's bytes for people: newline, tab and other controls as visible marks, bytes that
/// are no UTF-8 as <0A>; leading and trailing spaces kept.
std::string visible(std::string_view bytes);

}  // namespace tinylm::utf8
