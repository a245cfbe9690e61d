// The whole server over real sockets: its routes, its limits, who may use it, and many clients at once.
#include "serve/server.h"

#include <gtest/gtest.h>

#include "client.h"
#include "core/errors.h"
#include "many_clients.h"
#include "served.h"
#include "test_support.h"

namespace tinylm {
namespace {

using nlohmann::json;
using test::Answer;
using test::BareConnection;
using test::eventually;
using test::get;
using test::post;
using test::post_bytes;
using test::Served;

const std::string kEndless = R"({"prompt": "a", "max_tokens": 1000000, "temperature": 2, "stream": true})";

ServeOptions endless_allowed() {
  ServeOptions options;
  options.request_tokens = 1'000'000;
  return options;
}

/// A client whose text is being written.
std::unique_ptr<BareConnection> writing(const Served& served) {
  auto connection = std::make_unique<BareConnection>(served.port);
  connection->send(post_bytes("/v1/completions", kEndless));
  EXPECT_NE(connection->read_until("data: ").find("HTTP/1.1 200"), std::string::npos);
  return connection;
}

TEST(Server, SaysThatItIsWell) {
  const Served served;
  const Answer answer = get(served.port, "/health");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json(), (json{{"status", "ok"}}));
}

TEST(Server, ListsItsModel) {
  const Served served;
  const json models = get(served.port, "/v1/models").json();
  EXPECT_EQ(models["object"], "list");
  EXPECT_EQ(models["data"][0]["id"], "letters");
}

TEST(Server, SendsAPageThatLoadsNothing) {
  const Served served;
  const Answer answer = get(served.port, "/");
  EXPECT_EQ(answer.headers.at("Content-Type"), "text/html; charset=utf-8");
  expect_contains(answer.headers.at("Content-Security-Policy"), "default-src 'none'");
  expect_contains(answer.headers.at("Content-Security-Policy"), "connect-src 'self'");
  expect_contains(answer.headers.at("Content-Security-Policy"), "frame-ancestors 'none'");
  EXPECT_LT(answer.body.size(), 60'000U);
  EXPECT_EQ(answer.body.find("{{"), std::string::npos) << "a part was not joined";
  EXPECT_EQ(answer.body.find("innerHTML"), std::string::npos) << "texts must go in as text";
  for (const char* part : {"src=", "@import", "url("}) EXPECT_EQ(answer.body.find(part), std::string::npos) << part;
}

TEST(Server, CompletesAsTheCommandLineDoes) {
  Served served;
  const Answer answer =
      post(served.port, "/v1/completions", R"({"prompt": "abc", "max_tokens": 40, "temperature": 0.8, "seed": 6})");
  served.stop();
  SamplerOptions sampler;
  sampler.seed = 6;
  GenerateOptions options;
  options.max_tokens = 40;
  EXPECT_EQ(answer.json()["choices"][0]["text"], test::generated(served.loaded, "abc", sampler, options).text);
}

TEST(Server, AnswersThePagesQuestions) {
  const Served served;
  EXPECT_EQ(get(served.port, "/model").json()["vocabulary"], 12);
  EXPECT_EQ(post(served.port, "/next", R"({"prompt": "abc"})").json()["logits"].size(), 12U);
  EXPECT_EQ(post(served.port, "/attention", R"({"prompt": "abc", "layer": 0, "head": 1})").json()["rows"].size(), 3U);
}

TEST(Server, RefusesInTheShapeThatClientsExpect) {
  const Served served;
  const Answer unknown = post(served.port, "/v1/completions", R"({"prompt": "abc", "best": 1})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(unknown.json()["error"]["type"], "invalid_request_error");
  EXPECT_EQ(unknown.json()["error"]["param"], "best");
  const Answer letters = post(served.port, "/v1/completions", R"({"prompt": "xyz", "stream": true})");
  EXPECT_EQ(letters.status, 400) << "known before the stream begins";
  expect_contains(letters.message(), "'x'");
  EXPECT_EQ(get(served.port, "/v1/chat/completions").status, 404);
  const Answer method = get(served.port, "/v1/completions");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.headers.at("Allow"), "POST");
  EXPECT_EQ(post(served.port, "/v1/completions", std::string(1'000'001, ' ')).status, 413);
}

TEST(Server, RefusesPagesOfOtherSites) {
  const Served served;
  EXPECT_EQ(get(served.port, "/model", {{"Origin", "http://evil.example"}}).json()["error"]["code"], "foreign_origin");
  EXPECT_EQ(get(served.port, "/model", {{"Host", "evil.example"}}).json()["error"]["code"], "foreign_host");
  EXPECT_EQ(get(served.port, "/model").headers.count("Access-Control-Allow-Origin"), 0U);
}

TEST(Server, AsksForItsToken) {
  ServeOptions options;
  options.token = "a-secret-token";
  const Served served(options);
  EXPECT_EQ(get(served.port, "/v1/models").status, 401);
  EXPECT_EQ(get(served.port, "/v1/models", {{"Authorization", "Bearer a-secret-token"}}).status, 200);
  EXPECT_EQ(get(served.port, "/health").status, 200);
}

TEST(Server, LetsAsManyWaitAsItWasTold) {
  ServeOptions options = endless_allowed();
  options.waiting = 1;
  const Served served(options);
  auto first = writing(served);
  BareConnection second(served.port);
  second.send(post_bytes("/next", R"({"prompt": "a"})"));
  Answer third;
  EXPECT_TRUE(eventually(
                  [&] {  // once the second stands in the queue
                    third = post(served.port, "/next", R"({"prompt": "abc"})", {{"Connection", "close"}});
                    return third.status == 429;
                  },
                  0.1) ||
              third.status == 429);
  EXPECT_EQ(third.json()["error"]["code"], "queue_full");
  EXPECT_GE(std::stoi(third.headers.at("Retry-After")), 1);
  first.reset();
  expect_contains(second.read_until("logits"), "HTTP/1.1 200");
}

TEST(Server, GivesThePlaceOfAClientThatGoesToTheNext) {
  const Served served(endless_allowed());
  writing(served).reset();
  const StopWatch watch;
  EXPECT_EQ(post(served.port, "/next", R"({"prompt": "a"})").status, 200);
  EXPECT_LT(watch.seconds(), 5.0) << "the text of the one who went must not be finished";
}

TEST(Server, EndsTextsAfterTheTimeOfARequest) {
  ServeOptions options = endless_allowed();
  options.request_seconds = 0.3;
  const Served served(options);
  const Answer answer =
      post(served.port, "/v1/completions", R"({"prompt": "a", "max_tokens": 1000000, "temperature": 2})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json()["choices"][0]["finish_reason"], "length");
}

TEST(Server, StopsAtOnceAndTellsItsClients) {
  Served served(endless_allowed());
  auto first = writing(served);
  BareConnection second(served.port);
  second.send(post_bytes("/next", R"({"prompt": "a"})"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(served.stop(), 2.0);
  expect_contains(first->read_all(), "\"code\":\"stopped\"");
  expect_contains(second.read_all(), "HTTP/1.1 503");
}

TEST(Server, RefusesAModelThatCannotContinueTexts) {
  LoadedModel loaded = test::letters_model();
  loaded.config.model.attention_mask = MaskKind::kNone;
  loaded.model = LanguageModel(loaded.config.model, 1);
  EXPECT_THROW(Server(loaded, "all-seeing", {}), WrongUse);
}

TEST(Server, GivesEightClientsAtOnceTheTextsOfTheCommandLine) {
  Served served;
  const test::ManyClients clients = test::ask_together(served, 8, 3.0);
  EXPECT_EQ(clients.problems, std::vector<std::string>());
  EXPECT_GE(clients.answers, 16);
}

TEST(ServeOptions, SayWhatCannotBeMeant) {
  const auto problem = [](const auto& change) {
    ServeOptions options;
    change(options);
    Problems problems;
    options.validate(problems);
    return problems.messages().empty() ? std::string() : problems.messages().front();
  };
  EXPECT_EQ(problem([](ServeOptions&) {}), "");
  EXPECT_EQ(problem([](ServeOptions& o) { o.host = "::1"; }), "");
  EXPECT_EQ(problem([](ServeOptions& o) { o.host = "0.0.0.0", o.token = "long enough"; }).substr(0, 5), "token");
  EXPECT_EQ(problem([](ServeOptions& o) { o.host = "0.0.0.0", o.token = "long-enough"; }), "");
  expect_contains(problem([](ServeOptions& o) { o.host = "0.0.0.0"; }), "can be reached from other machines");
  expect_contains(problem([](ServeOptions& o) { o.host = "localhost"; }), "expected a numeric address");
  expect_contains(problem([](ServeOptions& o) { o.token = "short"; }), "fewer than 8");
  expect_contains(problem([](ServeOptions& o) { o.port = 65536; }), "port is 65536, expected 0 to 65,535");
  expect_contains(problem([](ServeOptions& o) { o.request_tokens = 0; }), "request_tokens is 0");
  expect_contains(problem([](ServeOptions& o) { o.request_seconds = 0.0; }), "request_seconds is 0");
  expect_contains(problem([](ServeOptions& o) { o.waiting = -1; }), "waiting is -1");
  expect_contains(problem([](ServeOptions& o) { o.connections = 0; }), "connections is 0");
  expect_contains(problem([](ServeOptions& o) { o.body_bytes = 10; }), "body_bytes is 10");
}

}  // namespace
}  // namespace tinylm
