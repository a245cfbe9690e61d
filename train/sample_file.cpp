#include "train/sample_file.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "core/files.h"

namespace tinylm {

std::string sample_line(const TrainingSample& sample) {
  const nlohmann::ordered_json line = {{"step", sample.step}, {"prompt", sample.prompt}, {"text", sample.text}};
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<TrainingSample> read_samples(const std::filesystem::path& file) {
  std::vector<TrainingSample> samples;
  if (!std::filesystem::exists(file)) return samples;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    const auto is = [&](const char* key, bool (nlohmann::json::*type)() const) {
      return json.contains(key) && (json[key].*type)();
    };
    if (!json.is_object() || !is("step", &nlohmann::json::is_number_integer)) continue;
    if (!is("prompt", &nlohmann::json::is_string) || !is("text", &nlohmann::json::is_string)) continue;
    samples.push_back({json["step"], json["prompt"], json["text"]});
  }
  return samples;
}

}  // namespace tinylm
