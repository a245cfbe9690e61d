#include "serve/http_server.h"

#include <thread>

#include "core/errors.h"
#include "serve/http_connection.h"

namespace tinylm {

using namespace serving;

namespace {

constexpr auto kPauseAfterFailedAccept = std::chrono::milliseconds(100);

}  // namespace

class HttpServer::Core {
 public:
  Core(const std::string& address, std::uint16_t port, const HttpLimits& limits, HttpHandler handler)
      : acceptor_(shared_.io) {
    shared_.limits = limits;
    shared_.handler = std::move(handler);
    listen(tcp::endpoint(net::ip::make_address(address), port));
    net::co_spawn(shared_.io, accept(), net::detached);
    thread_ = std::thread([this] { shared_.io.run(); });
  }
  ~Core() {
    shared_.io.stop();
    thread_.join();
  }

  std::uint16_t port() const { return port_; }

  void stop(double most_s) {
    net::post(shared_.io, [this] {
      shared_.stopping = true;
      error_code ignored;
      acceptor_.close(ignored);
      for (Connection* connection : shared_.connections) connection->close_if_idle();
    });
    const auto end = std::chrono::steady_clock::now() + duration_of(most_s);
    while (!shared_.io.stopped() && std::chrono::steady_clock::now() < end)  // it stops by itself when nothing is left
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

 private:
  void listen(const tcp::endpoint& endpoint) {
    try {
      acceptor_.open(endpoint.protocol());
      acceptor_.set_option(net::socket_base::reuse_address(true));
      acceptor_.bind(endpoint);
      acceptor_.listen();
      port_ = acceptor_.local_endpoint().port();
    } catch (const boost::system::system_error& error) {
      throw WrongUse("cannot listen at " + endpoint.address().to_string() + " port " + std::to_string(endpoint.port()) +
                     ": " + error.code().message() + "; --port 0 takes a free port");
    }
  }

  net::awaitable<void> accept() {
    net::steady_timer pause(shared_.io);
    while (acceptor_.is_open()) {
      error_code error;
      tcp::socket socket = co_await acceptor_.async_accept(into(error));
      if (error && acceptor_.is_open()) {  // out of file descriptors, say
        pause.expires_after(kPauseAfterFailedAccept);
        co_await pause.async_wait(into(error));
        continue;
      }
      if (error) co_return;
      welcome(std::move(socket));
    }
  }

  /// Beyond the limit a client is told so, beyond its double the connection is closed.
  void welcome(tcp::socket socket) {
    const auto connections = static_cast<std::int64_t>(shared_.connections.size()), most = shared_.limits.connections;
    if (connections >= 2 * most) return;
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const auto connection = std::make_shared<Connection>(shared_, std::move(socket));
    const bool room = connections < most;
    net::co_spawn(
        shared_.io, [connection, room] { return room ? connection->serve() : connection->refuse_for_load(); },
        net::detached);
  }

  Shared shared_;
  tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

HttpServer::HttpServer(const std::string& address, std::uint16_t port, const HttpLimits& limits, HttpHandler handler)
    : core_(std::make_unique<Core>(address, port, limits, std::move(handler))) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
  return core_->port();
}

void HttpServer::stop(double most_s) {
  core_->stop(most_s);
}

}  // namespace tinylm
