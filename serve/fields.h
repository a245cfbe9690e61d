// Reading the JSON object of a request: each field by its type and range, with an error that names it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace tinylm {

using FieldReaders = std::map<std::string, std::function<void(const nlohmann::json& value)>>;

/// Gives every field of the JSON object `body` to its reader; null is as if it were not there. Throws ApiError for what
/// is no object and for a field without a reader, naming the nearest that has one.
void read_fields(const std::string& body, const FieldReaders& readers);

/// The value of field `name`; all throw ApiError for another type, or one outside the range.
std::int64_t whole_field(const std::string& name, const nlohmann::json& value, std::int64_t least, std::int64_t most);
double real_field(const std::string& name, const nlohmann::json& value);
bool bool_field(const std::string& name, const nlohmann::json& value);
std::string text_field(const std::string& name, const nlohmann::json& value);

/// "NAME must be EXPECTED, not VALUE", for the field NAME.
[[noreturn]] void refuse_field(const std::string& name, const std::string& expected, const nlohmann::json& value);

}  // namespace tinylm
