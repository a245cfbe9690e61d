// HTTP as the rest of this room sees it: plain values, and one object through which an answer goes out.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tinylm {

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // "/health", without what follows a '?'
  std::string host;    // these four: what the header says, "" where there is none
  std::string origin;
  std::string fetch_site;  // Sec-Fetch-Site
  std::string authorization;
  std::string body;
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// The answer to one request. All of it may be called from any thread, by one at a time; must not outlive its server.
class Reply {
 public:
  virtual ~Reply() = default;
  /// A whole answer.
  virtual void send(HttpResponse response) = 0;
  /// An answer in pieces: its head (the body is left aside), any number of pieces, its end.
  virtual void begin(HttpResponse head) = 0;
  virtual void write(std::string piece) = 0;
  virtual void end() = 0;
  /// Whether nobody waits for it any more.
  virtual bool gone() const = 0;
};

/// What is done with requests. Both are called in the thread of the connections and must not block or throw.
struct HttpHandler {
  /// Asked once the head of a request is read: the answer with which it is refused, before its body is read.
  std::function<std::optional<HttpResponse>(const HttpRequest&)> refuse;
  /// Answers, now or later, through `reply`.
  std::function<void(const HttpRequest&, const std::shared_ptr<Reply>& reply)> answer;
};

}  // namespace tinylm
