// HTTP itself, with a handler of the test's own and no model.
#include "serve/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "client.h"
#include "core/errors.h"
#include "core/stop_watch.h"
#include "serve/api_error.h"

namespace tinylm {
namespace {

using test::Answer;
using test::BareConnection;
using test::get;
using test::post;
using test::post_bytes;

/// What a request gets when the handler calls back later, from another thread.
class Later {
 public:
  ~Later() {
    for (std::thread& thread : threads_) thread.join();
  }
  template <class Work>
  void add(Work work) {
    threads_.emplace_back(work);
  }

 private:
  std::vector<std::thread> threads_;
};

class HttpServerTest : public ::testing::Test {
 protected:
  HttpHandler handler() {
    return {
        .refuse = [](const HttpRequest& request) -> std::optional<HttpResponse> {
          if (request.path == "/refused") return error_response(ApiError(403, "not this"));
          return std::nullopt;
        },
        .answer = [this](const HttpRequest& request, const std::shared_ptr<Reply>& reply) { answer(request, reply); }};
  }

  void answer(const HttpRequest& request, const std::shared_ptr<Reply>& reply) {
    if (request.path == "/echo") return reply->send({.body = request.method + " " + request.body});
    if (request.path == "/pieces") {
      return later_.add([reply] {
        reply->begin({.type = "text/event-stream"});
        for (const char* piece : {"data: a\n\n", "data: b\n\n", "data: [DONE]\n\n"}) reply->write(piece);
        reply->end();
      });
    }
    later_.add([this, reply] {  // never ends by itself
      reply->begin({.type = "text/plain"});
      while (!reply->gone() && !stop_) {
        reply->write(std::string(10'000, 'x'));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      gone_ = reply->gone();
    });
  }

  bool eventually(const std::function<bool()>& holds, double most_s = 10.0) const {
    const StopWatch watch;
    while (!holds() && watch.seconds() < most_s) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return holds();
  }

  ~HttpServerTest() override { stop_ = true; }

  std::atomic<bool> stop_ = false, gone_ = false;
  HttpLimits limits_{.connections = 4, .body_bytes = 1000, .patience_s = 0.4};
  HttpServer server_{"127.0.0.1", 0, limits_, handler()};
  std::uint16_t port_ = server_.port();
  Later later_;  // goes before the server
};

TEST_F(HttpServerTest, AnswersWhatTheHandlerSays) {
  const Answer answer = post(port_, "/echo?x=1", "hello");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "POST hello");
  EXPECT_EQ(answer.headers.at("X-Content-Type-Options"), "nosniff");
}

TEST_F(HttpServerTest, AnswersSeveralRequestsOfAConnectionInTurn) {
  BareConnection connection(port_);
  connection.send(post_bytes("/echo", "one") + post_bytes("/echo", "two"));  // the second before the first is answered
  EXPECT_NE(connection.read_until("POST two").find("POST one"), std::string::npos);
  connection.send(post_bytes("/echo", "three"));
  EXPECT_NE(connection.read_until("POST three").find("POST three"), std::string::npos);
}

TEST_F(HttpServerTest, SendsPiecesAsChunks) {
  const Answer answer = get(port_, "/pieces");
  EXPECT_EQ(answer.headers.at("Transfer-Encoding"), "chunked");
  EXPECT_EQ(test::events_in(answer.body), (std::vector<std::string>{"a", "b", "[DONE]"}));
}

TEST_F(HttpServerTest, EndsPiecesByClosingForOldClients) {
  BareConnection connection(port_);
  connection.send("GET /pieces HTTP/1.0\r\nHost: localhost\r\n\r\n");
  const std::string answer = connection.read_all();
  EXPECT_TRUE(connection.closed());
  EXPECT_EQ(answer.find("chunked"), std::string::npos);
  EXPECT_NE(answer.find("\r\n\r\ndata: a\n\ndata: b\n\ndata: [DONE]\n\n"), std::string::npos) << answer;
}

TEST_F(HttpServerTest, RefusesBeforeTheBodyCame) {
  BareConnection connection(port_);
  connection.send("POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n");
  EXPECT_NE(connection.read_all().find("HTTP/1.1 403"), std::string::npos);
}

TEST_F(HttpServerTest, RefusesABodyThatIsTooLarge) {
  const Answer answer = post(port_, "/echo", std::string(1001, 'x'));
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.message(), "the body has more than 1000 bytes");
  EXPECT_EQ(post(port_, "/echo", std::string(1000, 'x')).status, 200);
}

TEST_F(HttpServerTest, RefusesChunksThatAreTooLargeTogether) {
  BareConnection connection(port_);
  std::string request = "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 20; ++i) request += "64\r\n" + std::string(100, 'x') + "\r\n";
  connection.send(request);
  EXPECT_NE(connection.read_all().find("HTTP/1.1 413"), std::string::npos);
}

TEST_F(HttpServerTest, RefusesALongHead) {
  EXPECT_EQ(get(port_, "/echo", {{"X-Long", std::string(5'000, 'x')}}).status, 200);
  EXPECT_EQ(get(port_, "/echo", {{"X-Long", std::string(10'000, 'x')}}).status, 431);
}

TEST_F(HttpServerTest, RefusesWhatIsNotHttp) {
  BareConnection connection(port_);
  connection.send("tell me a story\r\n\r\n");
  EXPECT_NE(connection.read_all().find("HTTP/1.1 400"), std::string::npos);
}

TEST_F(HttpServerTest, LetsClientsWaitForPermissionToSend) {
  BareConnection connection(port_);
  connection.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(connection.read_until("\r\n\r\n").rfind("HTTP/1.1 100", 0), 0U);
  connection.send("ok");
  EXPECT_NE(connection.read_until("POST ok").find("POST ok"), std::string::npos);
}

TEST_F(HttpServerTest, ClosesConnectionsOnWhichTheRequestDoesNotArriveInTime) {
  BareConnection silent(port_), slow(port_);
  const StopWatch watch;
  slow.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n");
  while (watch.seconds() < 5.0 && slow.send("x")) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LT(watch.seconds(), 3.0) << "one byte after another must not keep a connection";
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_TRUE(silent.closed());
}

TEST_F(HttpServerTest, NoticesAClientThatGoesAway) {
  {
    BareConnection connection(port_);
    connection.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection.read_until("xxx");
  }
  EXPECT_TRUE(eventually([&] { return gone_.load(); }));
}

TEST_F(HttpServerTest, GivesUpAClientThatTakesNothing) {
  BareConnection connection(port_);
  connection.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return gone_.load(); })) << "it reads nothing: its place must become free";
}

TEST_F(HttpServerTest, TellsClientsBeyondTheLimitSo) {
  std::vector<std::unique_ptr<BareConnection>> four;
  for (int i = 0; i < 4; ++i) {
    four.push_back(std::make_unique<BareConnection>(port_));
    four.back()->send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    four.back()->read_until("xxx");
  }
  const Answer answer = get(port_, "/echo");
  EXPECT_EQ(answer.status, 503);
  four.clear();
  EXPECT_TRUE(eventually([&] { return get(port_, "/echo").status == 200; })) << "places must become free again";
}

TEST_F(HttpServerTest, StopsWithinTheTimeItIsGiven) {
  BareConnection idle(port_), busy(port_);
  busy.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
  busy.read_until("xxx");
  const StopWatch watch;
  server_.stop(0.3);
  EXPECT_LT(watch.seconds(), 2.0);
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_TRUE(idle.closed());
  EXPECT_THROW(BareConnection{port_}, std::runtime_error);
}

TEST_F(HttpServerTest, SaysWhenThePortIsTaken) {
  try {
    HttpServer(std::string("127.0.0.1"), port_, limits_, handler());
    FAIL() << "two servers at one port";
  } catch (const WrongUse& error) {
    EXPECT_NE(std::string(error.what()).find("port " + std::to_string(port_)), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--port 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tinylm
