#include "run/state_file.h"

#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/json_numbers.h"

namespace tinylm {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kOwnChecksum = "checksum";

Json to_json(const std::vector<Pace>& paces) {
  Json list = Json::array();
  for (const Pace& pace : paces)
    list.push_back({{"step", pace.step},
                    {"progress", pace.progress},
                    {"last_step", pace.last_step},
                    {"next_evaluation", pace.next_evaluation}});
  return list;
}

std::vector<Pace> paces_from(const Json& list) {
  std::vector<Pace> paces;
  for (const Json& json : list)
    paces.push_back({json.at("step").get<std::int64_t>(), json.at("progress").get<double>(),
                     json.at("last_step").get<std::int64_t>(), json.at("next_evaluation").get<std::int64_t>()});
  return paces;
}

Json to_json(const StateFile& content) {
  const TrainingState& state = content.state;
  Json json = {{"step", state.step},
               {"tokens_seen", state.tokens_seen},
               {"elapsed_s", state.elapsed_s},
               {"best_val_loss_nats", number_or_null(state.best_val_loss_nats)},
               {"best_step", state.best_step},
               {"last_val_loss_nats", number_or_null(state.last_val_loss_nats)},
               {"evaluations_without_gain", state.evaluations_without_gain},
               {"stopped_early", state.stopped_early},
               {"skipped_steps", state.skipped_steps},
               {"skipped_in_a_row", state.skipped_in_a_row},
               {"paces", to_json(state.paces)},
               {"tokenizer_fingerprint", to_hex(content.tokenizer_fingerprint)},
               {"model", Json::parse(content.model_options)}};
  for (const auto& [name, checksum] : content.checksums) json["checksums"][name] = to_hex(checksum);
  return json;
}

StateFile from_json(const Json& json) {
  StateFile content;
  TrainingState& state = content.state;
  state.step = json.at("step").get<std::int64_t>();
  state.tokens_seen = json.at("tokens_seen").get<std::int64_t>();
  state.elapsed_s = json.at("elapsed_s").get<double>();
  state.best_val_loss_nats = number_or_nan(json.at("best_val_loss_nats"));
  state.best_step = json.at("best_step").get<std::int64_t>();
  state.last_val_loss_nats = number_or_nan(json.at("last_val_loss_nats"));
  state.evaluations_without_gain = json.at("evaluations_without_gain").get<std::int64_t>();
  state.stopped_early = json.at("stopped_early").get<bool>();
  state.skipped_steps = json.value("skipped_steps", std::int64_t{0});  // early ones have none of these
  state.skipped_in_a_row = json.value("skipped_in_a_row", std::int64_t{0});
  state.paces = paces_from(json.value("paces", Json::array()));
  content.tokenizer_fingerprint = from_hex(json.at("tokenizer_fingerprint").get<std::string>());
  content.model_options = json.contains("model") ? json.at("model").dump() : "{}";  // early ones have none
  for (const auto& [name, checksum] : json.at("checksums").items()) {
    content.checksums[name] = from_hex(checksum.get<std::string>());
  }
  return content;
}

}  // namespace

void write_state_file(const std::filesystem::path& path, const StateFile& content) {
  Json json = to_json(content);
  json[kOwnChecksum] = to_hex(checksum_of(json.dump()));
  write_atomically(path, json.dump(2) + "\n");
}

StateFile read_state_file(const std::filesystem::path& path) {
  const auto damaged = [&](const std::string& what) { return FileError(path.string() + " is damaged: " + what); };
  Json json = Json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw damaged("it is not a JSON object");
  const Json expected = json.value(kOwnChecksum, Json());
  json.erase(kOwnChecksum);
  if (expected != to_hex(checksum_of(json.dump()))) throw damaged("its content does not match its checksum");
  try {
    return from_json(json);
  } catch (const nlohmann::json::exception& error) {
    throw damaged(error.what());
  } catch (const BadInput& error) {
    throw damaged(error.what());
  }
}

}  // namespace tinylm
