#include "client.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

namespace tinylm::test {

namespace {

Answer answer_of(const httplib::Result& result) {
  Answer answer;
  if (!result) return answer;
  answer.status = result->status;
  answer.body = result->body;
  for (const auto& [name, value] : result->headers) answer.headers[name] = value;
  return answer;
}

httplib::Headers with(const Headers& headers) {
  return {headers.begin(), headers.end()};
}

}  // namespace

Answer get(std::uint16_t port, const std::string& path, const Headers& headers) {
  httplib::Client client("127.0.0.1", port);
  return answer_of(client.Get(path, with(headers)));
}

Answer post(std::uint16_t port, const std::string& path, const std::string& body, const Headers& headers) {
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(std::chrono::seconds(120));
  return answer_of(client.Post(path, with(headers), body, "application/json"));
}

std::vector<std::string> events_in(const std::string& body) {
  std::vector<std::string> events;
  for (std::size_t at = 0, end; (end = body.find("\n\n", at)) != std::string::npos; at = end + 2)
    events.push_back(body.substr(at + 6, end - at - 6));  // after "data: "
  return events;
}

BareConnection::BareConnection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
}

BareConnection::~BareConnection() {
  ::close(socket_);
}

bool BareConnection::send(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return false;
    sent += static_cast<std::size_t>(now);
  }
  return true;
}

std::string BareConnection::read_until(const std::string& part, double most_s) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(most_s);
  std::string text;
  char buffer[4096];
  while (text.find(part) == std::string::npos) {
    const double left_s = std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
    pollfd wait{socket_, POLLIN, 0};
    if (left_s <= 0.0 || ::poll(&wait, 1, static_cast<int>(left_s * 1e3) + 1) <= 0) break;
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) {
      closed_ = true;
      break;
    }
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

std::string post_bytes(const std::string& path, const std::string& body, const std::string& headers) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         headers + "\r\n" + body;
}

}  // namespace tinylm::test
