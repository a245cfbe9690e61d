#include "core/option_value.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <type_traits>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/utf8.h"

namespace tinylm {
namespace {

template <class Number>
std::optional<OptionValue> parse_number(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Text between quotes, with TOML's escapes.
std::string quoted(const std::string& text) {
  if (const auto offset = utf8::find_invalid(text)) {
    throw BadInput("'" + utf8::visible(text) + "' cannot be saved: byte " + std::to_string(*offset) +
                   " is no UTF-8; use a name that is");
  }
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04X", static_cast<unsigned>(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (const std::string& text : texts) result += (result.size() > 1 ? ", " : "") + quoted(text);
  return result + "]";
}

}  // namespace

std::optional<OptionValue> parse_value(std::string_view text, const OptionValue& like) {
  if (std::holds_alternative<std::string>(like)) return std::string(text);
  if (std::holds_alternative<std::vector<std::string>>(like)) return std::vector{std::string(text)};
  if (std::holds_alternative<std::int64_t>(like)) return parse_number<std::int64_t>(text);
  if (std::holds_alternative<double>(like)) {
    const auto number = parse_number<double>(text);
    return number ? convert_value(*number, like) : std::nullopt;
  }
  if (text != "true" && text != "false") return std::nullopt;
  return text == "true";
}

std::optional<OptionValue> convert_value(const OptionValue& value, const OptionValue& like) {
  if (std::holds_alternative<double>(like)) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr || !std::isfinite(*number)) return std::nullopt;
  }
  return value.index() == like.index() ? std::optional(value) : std::nullopt;
}

std::string kind_in_words(const OptionValue& value) {
  struct {
    std::string operator()(bool) const { return "true or false"; }
    std::string operator()(std::int64_t) const { return "a whole number"; }
    std::string operator()(double) const { return "a finite number"; }
    std::string operator()(const std::string&) const { return "a text"; }
    std::string operator()(const std::vector<std::string>&) const { return "a list of texts"; }
  } words;
  return std::visit(words, value);
}

std::string to_toml(const OptionValue& value) {
  struct {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return shortest(number); }
    std::string operator()(const std::string& text) const { return quoted(text); }
    std::string operator()(const std::vector<std::string>& texts) const { return list_of(texts); }
  } form;
  return std::visit(form, value);
}

}  // namespace tinylm
