#include "tokenizer/tokenizer_json.h"

#include <nlohmann/json.hpp>

namespace tinylm {

nlohmann::json parse_tokenizer_json(const std::string& bytes, const std::string& file, const std::string& kind) {
  nlohmann::json json = nlohmann::json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw damaged_tokenizer(file, "it is not a JSON object");
  const auto found = json.find("kind");
  if (found == json.end() || *found != kind) throw damaged_tokenizer(file, "\"kind\" is not \"" + kind + "\"");
  return json;
}

FileError damaged_tokenizer(const std::string& file, const std::string& found) {
  return FileError("the tokenizer in " + file + " is damaged: " + found +
                   "; copy the file again from where the run was trained, or train anew");
}

}  // namespace tinylm
