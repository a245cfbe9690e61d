// A small HTTP/1.1 server over Boost.Beast, for one handler. One thread holds all connections; whoever computes answers
// does that elsewhere and hands them over through Reply.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "serve/http.h"

namespace tinylm {

/// What it takes at most from clients. Beyond: 503 for connections, 413 for bodies, 431 for heads above 8 KB; a
/// connection on which nothing is done for `patience_s` is closed.
struct HttpLimits {
  std::int64_t connections = 128;
  std::size_t body_bytes = 1 << 20;
  double patience_s = 20.0;  // for a request to arrive whole after the answer before it, and for a piece to be taken
};

class HttpServer {
 public:
  /// Listens at a numeric address; port 0: any free one. Throws WrongUse when it cannot, with the system's reason.
  HttpServer(const std::string& address, std::uint16_t port, const HttpLimits& limits, HttpHandler handler);
  /// Without waiting for anything.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// Takes no more requests, and returns when those that were answered are sent, after `most_s` at the latest.
  void stop(double most_s);

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace tinylm
