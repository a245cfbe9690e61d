// One connection of the server, as coroutines over Boost.Beast. Included by http_server.cpp alone, so that the library
// is read once. All of it runs in the thread of the connections.
#pragma once

#include <algorithm>
#include <chrono>
#include <set>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "serve/api_error.h"
#include "serve/exchange.h"
#include "serve/http_server.h"

namespace tinylm::serving {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using net::ip::tcp;

constexpr std::uint32_t kMostHeadBytes = 8192;
constexpr std::size_t kBufferBytes = 1 << 16;
// A client that still sends what was refused must get to read why: closing at once would reset its connection.
constexpr auto kDrainTime = std::chrono::seconds(2);
constexpr std::size_t kMostDrainedBytes = 16 << 20;

inline auto into(error_code& error) {
  return net::redirect_error(net::use_awaitable, error);
}

inline std::chrono::steady_clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

/// What the connections of a server share.
struct Shared {
  HttpLimits limits;
  HttpHandler handler;
  std::set<class Connection*> connections;
  bool stopping = false;
  net::io_context io{1};  // goes first, and with it what is left of the connections
};

template <class Body>
void set_fields(http::response<Body>& message, const HttpResponse& response, unsigned version, bool keep) {
  message.version(version);
  message.result(static_cast<unsigned>(response.status));
  message.keep_alive(keep);
  message.set(http::field::server, "tinylm");
  message.set(http::field::content_type, response.type);
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Cross-Origin-Resource-Policy", "same-origin");
  message.set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : response.headers) message.set(name, value);
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shared& shared, tcp::socket socket) : shared_(shared), stream_(std::move(socket)), news_(shared.io) {
    shared_.connections.insert(this);
  }
  ~Connection() { shared_.connections.erase(this); }

  /// Answers one request after another, until the client or an error ends it.
  net::awaitable<void> serve() {
    while (open_ && !shared_.stopping) {
      reading_ = true;
      const bool read = co_await read_request();
      reading_ = false;
      if (!read) break;
      co_await answer_request();
    }
    close();
  }
  net::awaitable<void> refuse_for_load() {
    co_await refuse(error_response(ApiError(503, "all connections of this server are in use: try again", "", "busy")));
    close();
  }
  /// Ends it where no request is being answered.
  void close_if_idle() {
    if (reading_) close();
  }

 private:
  net::awaitable<bool> read_request() {
    parser_.emplace();
    parser_->header_limit(kMostHeadBytes);
    parser_->body_limit(shared_.limits.body_bytes);
    stream_.expires_after(duration_of(shared_.limits.patience_s));
    error_code error;
    co_await http::async_read_header(stream_, buffer_, *parser_, into(error));
    if (error) co_return co_await refuse_unread(error);
    take_head();
    if (std::optional<HttpResponse> refusal = shared_.handler.refuse(request_)) {
      co_await refuse(std::move(*refusal));
      co_return false;
    }
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
      http::response<http::empty_body> go_on{http::status::continue_, version_};
      co_await http::async_write(stream_, go_on, into(error));
    }
    if (!error) co_await http::async_read(stream_, buffer_, *parser_, into(error));
    if (error) co_return co_await refuse_unread(error);
    request_.body = std::move(parser_->get().body());
    co_return true;
  }

  void take_head() {
    const auto& head = parser_->get();
    const auto text = [&](const auto& name) { return std::string(head[name]); };
    const std::string target(head.target());
    version_ = head.version();
    open_ = head.keep_alive();
    request_ = {.method = std::string(head.method_string()),
                .path = target.substr(0, target.find('?')),
                .host = head.count(http::field::host) == 1 ? text(http::field::host) : "",
                .origin = text(http::field::origin),
                .fetch_site = text("Sec-Fetch-Site"),
                .authorization = text(http::field::authorization),
                .body = ""};
  }

  /// False always. A client that went away or took too long gets no answer, one that sent nonsense does.
  net::awaitable<bool> refuse_unread(error_code error) {
    const std::string most = std::to_string(shared_.limits.body_bytes);
    if (error == http::error::body_limit) {
      co_await refuse(error_response(ApiError(413, "the body has more than " + most + " bytes", "", "body_too_large")));
    } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      co_await refuse(error_response(ApiError(431, "the head of the request has more than 8192 bytes")));
    } else if (error.category() == make_error_code(http::error::bad_method).category() &&
               error != http::error::end_of_stream && error != http::error::partial_message) {
      co_await refuse(error_response(ApiError(400, "this is not HTTP: " + error.message())));
    }
    co_return false;
  }

  /// Answers and hangs up, once the client has stopped sending.
  net::awaitable<void> refuse(HttpResponse response) {
    open_ = false;
    co_await write_whole(std::move(response));
    error_code error;
    stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    stream_.expires_after(kDrainTime);
    std::string rest(kBufferBytes, '\0');
    for (std::size_t drained = 0; !error && drained < kMostDrainedBytes;)
      drained += co_await stream_.async_read_some(net::buffer(rest), into(error));
  }

  net::awaitable<void> answer_request() {
    const auto self = shared_from_this();
    const auto exchange = std::make_shared<Exchange>([connection = weak_from_this()] { wake(connection.lock()); });
    shared_.handler.answer(request_, exchange);
    net::co_spawn(
        shared_.io, [self, exchange] { return self->watch(exchange); }, net::detached);
    Exchange::News news = co_await next_news(*exchange);
    if (news.whole) {
      co_await write_whole(std::move(*news.head));
    } else if (news.head) {
      co_await write_pieces(std::move(news), *exchange);
    }
    exchange->leave();
    error_code ignored;
    stream_.socket().cancel(ignored);  // ends watch()
  }

  /// From any thread. The connection is let go in its own.
  static void wake(std::shared_ptr<Connection> connection) {
    if (!connection) return;
    net::io_context& io = connection->shared_.io;
    net::post(io, [connection = std::move(connection)] { connection->news_.cancel(); });
  }

  /// Waits until there is more to send; nothing when the client has gone.
  net::awaitable<Exchange::News> next_news(Exchange& exchange) {
    error_code cancelled;  // which is how the news comes
    for (;;) {
      if (exchange.gone()) co_return Exchange::News();
      Exchange::News news = exchange.take();
      if (news.any()) co_return news;
      news_.expires_at(net::steady_timer::time_point::max());
      co_await news_.async_wait(into(cancelled));
    }
  }

  /// Notices that the client hangs up while its answer is computed, also by closing only its own direction.
  net::awaitable<void> watch(std::shared_ptr<Exchange> exchange) {
    error_code error;
    co_await stream_.socket().async_wait(tcp::socket::wait_read, into(error));
    if (exchange->gone()) co_return;  // answered
    char byte = 0;
    if (!error) stream_.socket().receive(net::buffer(&byte, 1), tcp::socket::message_peek, error);
    if (!error) co_return;  // the next request already
    open_ = false;
    exchange->leave();
    news_.cancel();
  }

  net::awaitable<void> write_whole(HttpResponse response) {
    http::response<http::string_body> message;
    set_fields(message, response, version_, open_ && !shared_.stopping);
    message.body() = std::move(response.body);
    message.prepare_payload();
    error_code error;
    stream_.expires_after(duration_of(shared_.limits.patience_s));
    co_await http::async_write(stream_, message, into(error));
    if (error) open_ = false;
  }

  net::awaitable<void> write_pieces(Exchange::News news, Exchange& exchange) {
    http::response<http::empty_body> message;
    const bool chunked = version_ >= 11;
    open_ = open_ && chunked;  // else the end of the connection is the end of the answer
    set_fields(message, *news.head, version_, open_ && !shared_.stopping);
    message.chunked(chunked);
    http::response_serializer<http::empty_body> serializer{message};
    error_code error;
    stream_.expires_after(duration_of(shared_.limits.patience_s));
    co_await http::async_write_header(stream_, serializer, into(error));
    while (!error) {
      co_await write_piece(news, chunked, error);
      if (error || news.last) break;
      news = co_await next_news(exchange);
      if (!news.any()) break;
    }
    if (error || !news.last) open_ = false;  // broken off in the middle
  }

  net::awaitable<void> write_piece(const Exchange::News& news, bool chunked, error_code& error) {
    stream_.expires_after(duration_of(shared_.limits.patience_s));
    const net::const_buffer piece = net::buffer(news.pieces);
    if (!chunked) {
      co_await net::async_write(stream_, piece, into(error));
      co_return;
    }
    if (piece.size() > 0) co_await net::async_write(stream_, http::make_chunk(piece), into(error));
    if (news.last && !error) co_await net::async_write(stream_, http::make_chunk_last(), into(error));
  }

  void close() {
    open_ = false;
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
  }

  Shared& shared_;
  beast::tcp_stream stream_;
  net::steady_timer news_;  // never expires; cancelled when an exchange has changed
  beast::flat_buffer buffer_{2 * kBufferBytes};
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpRequest request_;
  unsigned version_ = 11;
  bool open_ = true, reading_ = false;
};

}  // namespace tinylm::serving
