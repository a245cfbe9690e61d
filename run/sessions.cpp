#include "run/sessions.h"

#include <ctime>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"

namespace tinylm {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Session& session) {
  return {{"started", session.started},
          {"from_step", session.from_step},
          {"tinylm", session.tinylm},
          {"libtorch", session.libtorch},
          {"onednn", session.onednn},
          {"processor", session.processor},
          {"instruction_set", session.instruction_set},
          {"threads", session.threads},
          {"precision", session.precision},
          {"ops", session.ops},
          {"seed", session.seed},
          {"text_checksum", session.text_checksum},
          {"tokenizer_fingerprint", session.tokenizer_fingerprint},
          {"command_line", session.command_line},
          {"to_step", session.to_step},
          {"outcome", session.outcome}};
}

Session session_of(const Json& json) {
  Session session;
  session.started = json.at("started");
  session.from_step = json.at("from_step");
  session.tinylm = json.at("tinylm");
  session.libtorch = json.at("libtorch");
  session.onednn = json.at("onednn");
  session.processor = json.at("processor");
  session.instruction_set = json.at("instruction_set");
  session.threads = json.at("threads");
  session.precision = json.at("precision");
  session.ops = json.at("ops");
  session.seed = json.at("seed");
  session.text_checksum = json.at("text_checksum");
  session.tokenizer_fingerprint = json.at("tokenizer_fingerprint");
  session.command_line = json.at("command_line").get<std::vector<std::string>>();
  session.to_step = json.at("to_step");
  session.outcome = json.at("outcome");
  return session;
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

std::vector<Session> read_sessions(const std::filesystem::path& file) {
  std::vector<Session> sessions;
  if (!std::filesystem::exists(file)) return sessions;
  try {
    const Json json = Json::parse(read_file(file));
    for (const Json& session : json.at("sessions")) sessions.push_back(session_of(session));
  } catch (const Json::exception& error) {
    throw FileError(file.string() + ": damaged: " + error.what() + "; put it back, or remove it to begin a new list");
  }
  return sessions;
}

void write_sessions(const std::filesystem::path& file, const std::vector<Session>& sessions) {
  write_atomically(file, sessions_json(sessions) + "\n");
}

std::string sessions_json(const std::vector<Session>& sessions) {
  Json list = Json::array();
  for (const Session& session : sessions) list.push_back(to_json(session));
  return Json{{"sessions", list}}.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tinylm
