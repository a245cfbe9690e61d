// `tinylm serve` as its users meet it: the real program, and curl as the client.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "core/files.h"

namespace tinylm {
namespace {

using testing::contains;
using testing::fresh_folder;
using testing::Outcome;
using testing::run_program;
using testing::run_shell;
namespace fs = std::filesystem;

// Starts the server, waits until it says where it is, and leaves that in $at and its number in $server.
const std::string kServe = TINYLM_PROGRAM
    " serve run --port 0 2>said & server=$!; "
    "for i in $(seq 600); do at=$(sed -n 's/.* at \\(http[^ ]*\\).*/\\1/p' said); [ -n \"$at\" ] && break; sleep 0.05; "
    "done; ";

class ServeCommand : public ::testing::Test {
 protected:
  ServeCommand() {
    write_atomically(fs::path(folder_) / "text.txt", testing::words(4000));
    const Outcome trained = run_program(folder_, {"train", "text.txt", "--layers", "1", "--heads", "2", "--width", "16",
                                                  "--context", "32", "--steps", "5", "--out", "run"});
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
  }
  ~ServeCommand() override { fs::remove_all(folder_); }

  const std::string folder_ = fresh_folder("serve");
};

TEST_F(ServeCommand, GivesCurlTheTextsOfTheCommandLine) {
  const Outcome served = run_shell(
      folder_,
      kServe +
          "for seed in 1 2 3 4 5 6 7 8; do curl -sS --fail-with-body $at/v1/completions -d \"{\\\"prompt\\\": \\\"the "
          "\\\", \\\"max_tokens\\\": 80, \\\"temperature\\\": 0.8, \\\"seed\\\": $seed}\" -o answer-$seed & "
          "clients=\"$clients $!\"; done; for client in $clients; do wait $client || echo failed; done; "
          "kill -INT $server; wait $server; echo $?");
  EXPECT_EQ(served.out, "130\n") << served.err;
  for (int seed = 1; seed <= 8; ++seed) {
    const std::string number = std::to_string(seed);
    const Outcome sampled =
        run_program(folder_, {"sample", "run", "--prompt", "the ", "--max-tokens", "80", "--seed", number, "--json"});
    const auto answer = nlohmann::json::parse(read_file(fs::path(folder_) / ("answer-" + number)));
    EXPECT_EQ(answer["choices"][0]["text"], nlohmann::json::parse(sampled.out)["samples"][0]["text"])
        << "seed " << seed;
    EXPECT_EQ(answer["model"], "run");
  }
}

TEST_F(ServeCommand, EndsCleanlyAtCtrlCWhileItWrites) {
  const Outcome served = run_shell(
      folder_,
      kServe +
          "curl -sSN $at/v1/completions -d '{\"prompt\": \"the \", \"max_tokens\": 4096, \"stream\": true, "
          "\"temperature\": 1.5}' >stream 2>&1 & client=$!; "
          "until grep -q data: stream; do sleep 0.01; done; kill -TERM $server; wait $server; echo $?; wait $client");
  EXPECT_EQ(served.out, "143\n") << served.err;
  const std::string stream = read_file(fs::path(folder_) / "stream");
  EXPECT_TRUE(contains(stream, "the server was stopped") || contains(stream, "[DONE]")) << stream;
}

TEST_F(ServeCommand, SaysNothingOnStandardOutput) {
  EXPECT_EQ(run_shell(folder_, kServe + "kill -INT $server; wait $server").out, "");
}

TEST_F(ServeCommand, TakesTheTokenFromTheEnvironment) {
  const Outcome outcome = run_shell(
      folder_, "export TINYLM_TOKEN=a-secret-token; " + kServe +
                   "curl -s -o /dev/null -w '%{http_code}\\n' $at/v1/models; "
                   "curl -s -o /dev/null -w '%{http_code}\\n' -H 'Authorization: Bearer a-secret-token' $at/v1/models; "
                   "kill -INT $server; wait $server");
  EXPECT_EQ(outcome.out, "401\n200\n") << outcome.err;
}

}  // namespace
}  // namespace tinylm
