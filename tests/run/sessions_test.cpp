#include "run/sessions.h"

#include <gtest/gtest.h>

#include <regex>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "test_support.h"

namespace tinylm {
namespace {

Session some_session() {
  Session session;
  session.started = "2026-01-01T12:00:00Z";
  session.from_step = 250;
  session.tinylm = "0.1.0";
  session.libtorch = "1.13.1";
  session.onednn = "2.6.3";
  session.processor = "Some Processor";
  session.instruction_set = "avx2";
  session.threads = 2;
  session.precision = "fp32";
  session.ops = "auto";
  session.seed = ~std::uint64_t{0};
  session.text_checksum = "0123456789abcdef";
  session.tokenizer_fingerprint = "fedcba9876543210";
  session.command_line = {"tinylm", "train", "my \"text\".txt"};
  session.to_step = 500;
  session.outcome = "stopped";
  return session;
}

TEST(Sessions, ReadBackAsWritten) {
  const auto file = test::fresh_folder() / "sessions.json";
  EXPECT_TRUE(read_sessions(file).empty());
  Session second = some_session();
  second.outcome = "";
  write_sessions(file, {some_session(), second});
  const std::vector<Session> read = read_sessions(file);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(sessions_json(read), sessions_json({some_session(), second}));
  EXPECT_EQ(read[0].seed, ~std::uint64_t{0});
  EXPECT_EQ(read[0].command_line[2], "my \"text\".txt");
  EXPECT_EQ(read[1].outcome, "");
}

TEST(Sessions, AreJsonWithTheNamesOfTheFields) {
  const auto json = nlohmann::json::parse(sessions_json({some_session()}));
  const auto& session = json["sessions"][0];
  EXPECT_EQ(session["processor"], "Some Processor");
  EXPECT_EQ(session["threads"], 2);
  EXPECT_EQ(session["from_step"], 250);
  EXPECT_EQ(session.size(), 16u);
}

TEST(Sessions, TakeACommandLineThatIsNoUtf8) {
  Session session = some_session();
  session.command_line = {"tinylm", "caf\xe9.txt"};
  EXPECT_NE(sessions_json({session}).find("caf\xEF\xBF\xBD.txt"), std::string::npos);
}

TEST(Sessions, SayWhenTheirFileIsDamaged) {
  const auto file = test::fresh_folder() / "sessions.json";
  for (const char* content : {"", "[]", "{\"sessions\": [{}]}", "{\"sessions\": 3}"}) {
    write_atomically(file, content);
    const std::string message = test::message_of<FileError>([&] { read_sessions(file); });
    EXPECT_NE(message.find("sessions.json: damaged"), std::string::npos) << message;
  }
}

TEST(Sessions, BeginAtATimeOfDayInUtc) {
  EXPECT_TRUE(std::regex_match(utc_now(), std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)"))) << utc_now();
}

}  // namespace
}  // namespace tinylm
