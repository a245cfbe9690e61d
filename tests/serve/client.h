// Clients of a server at 127.0.0.1: a library's for plain requests, a bare socket for what no library would do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tinylm::test {

using Headers = std::map<std::string, std::string>;

struct Answer {
  int status = 0;  // 0: none came
  Headers headers = {};
  std::string body = {};

  nlohmann::json json() const { return nlohmann::json::parse(body); }
  /// The message of {"error": ...}.
  std::string message() const { return json().at("error").at("message"); }
};

Answer get(std::uint16_t port, const std::string& path, const Headers& headers = {});
Answer post(std::uint16_t port, const std::string& path, const std::string& body, const Headers& headers = {});

/// The data of each server-sent event.
std::vector<std::string> events_in(const std::string& body);

class BareConnection {
 public:
  explicit BareConnection(std::uint16_t port);
  ~BareConnection();
  BareConnection(const BareConnection&) = delete;
  BareConnection& operator=(const BareConnection&) = delete;

  /// False when the other side has closed.
  bool send(const std::string& bytes);
  /// All that comes until `part` is in it, the other side closes, or `most_s` have passed.
  std::string read_until(const std::string& part, double most_s = 20.0);
  /// All that comes until the other side closes.
  std::string read_all(double most_s = 20.0) { return read_until("\x01 never", most_s); }
  /// Whether the other side closed what was read last.
  bool closed() const { return closed_; }

 private:
  int socket_ = -1;
  bool closed_ = false;
};

/// A POST of JSON as bytes; more headers may be given, each with its line end.
std::string post_bytes(const std::string& path, const std::string& body, const std::string& headers = "");

}  // namespace tinylm::test
