#include "serve/fields.h"

#include <vector>

#include "core/numbers.h"
#include "serve/api_error.h"

namespace tinylm {

namespace {

using nlohmann::json;

constexpr std::size_t kShown = 60;  // bytes of a value in a message

json parsed(const std::string& body) {
  try {
    return json::parse(body);
  } catch (const json::exception& error) {
    const std::string message = error.what();  // "[json.exception.parse_error.101] parse error at ..."
    throw ApiError(400, "the body is not JSON: " + message.substr(message.find("] ") + 2));
  }
}

}  // namespace

void read_fields(const std::string& body, const FieldReaders& readers) {
  const json object = parsed(body);
  if (!object.is_object()) throw ApiError(400, "the body must be a JSON object");
  for (const auto& [name, value] : object.items()) {
    const auto reader = readers.find(name);
    if (reader == readers.end()) {
      std::vector<std::string> names;
      for (const auto& known : readers) names.push_back(known.first);
      const std::string found = name.substr(0, kShown);
      throw ApiError(400, "unknown field \"" + found + "\"" + did_you_mean(found, names), found, "unknown_field");
    }
    if (!value.is_null()) reader->second(value);
  }
}

void refuse_field(const std::string& name, const std::string& expected, const json& value) {
  std::string found = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (found.size() > kShown) found = found.substr(0, kShown) + " ...";
  throw ApiError(400, name + " must be " + expected + ", not " + found, name);
}

std::int64_t whole_field(const std::string& name, const json& value, std::int64_t least, std::int64_t most) {
  const bool whole =
      value.is_number_integer() && !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX);
  if (whole && value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most)
    return value.get<std::int64_t>();
  refuse_field(name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most), value);
}

double real_field(const std::string& name, const json& value) {
  if (!value.is_number()) refuse_field(name, "a number", value);
  return value.get<double>();
}

bool bool_field(const std::string& name, const json& value) {
  if (!value.is_boolean()) refuse_field(name, "true or false", value);
  return value.get<bool>();
}

std::string text_field(const std::string& name, const json& value) {
  if (!value.is_string()) refuse_field(name, "a text", value);
  return value.get<std::string>();
}

}  // namespace tinylm
