#include "serve/access.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

namespace tinylm {

namespace {

bool is_page(const HttpRequest& request) {
  return request.method == "GET" && request.path == "/";
}

/// The name in a Host header, without the port: "localhost", "127.0.0.1", "[::1]".
std::string name_in(const std::string& host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  std::string name = host.substr(0, end);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

bool names_this_machine(const std::string& host) {
  std::string name = name_in(host);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return name == "localhost" || is_loopback(name).value_or(false);
}

/// Takes as long for every text of the same length, so that nothing can be learnt from the time.
bool same_secret(const std::string& found, const std::string& expected) {
  unsigned difference = found.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < found.size(); ++i)
    difference |= static_cast<unsigned char>(found[i]) ^ static_cast<unsigned char>(expected[i % expected.size()]);
  return difference == 0;
}

bool has_token(const std::string& authorization, const std::string& token) {
  constexpr std::size_t kScheme = 7;
  std::string scheme = authorization.substr(0, kScheme);
  std::transform(scheme.begin(), scheme.end(), scheme.begin(), [](unsigned char c) { return std::tolower(c); });
  return scheme == "bearer " && same_secret(authorization.substr(kScheme), token);
}

}  // namespace

std::optional<bool> is_loopback(const std::string& address) {
  in_addr four{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  if (::inet_pton(AF_INET6, address.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six) != 0;
  return std::nullopt;
}

std::optional<ApiError> refusal(const HttpRequest& request, const std::string& token) {
  if (request.host.empty()) return ApiError(400, "expected one Host header");
  if (token.empty() && !names_this_machine(request.host)) {
    return ApiError(403, "the Host header says \"" + request.host + "\": expected localhost or 127.0.0.1", "",
                    "foreign_host");
  }
  const std::string& origin = request.origin;
  if (!origin.empty() && origin != "http://" + request.host && origin != "https://" + request.host) {
    return ApiError(403, "web pages of \"" + origin + "\" may not use this server", "", "foreign_origin");
  }
  const std::string& site = request.fetch_site;
  if (!site.empty() && site != "same-origin" && site != "none" && !is_page(request)) {
    return ApiError(403, "web pages of other sites may not use this server", "", "foreign_origin");
  }
  const bool open = token.empty() || is_page(request) || request.path == "/health";
  if (open || has_token(request.authorization, token)) return std::nullopt;
  return ApiError(401,
                  "expected the header \"Authorization: Bearer TOKEN\" with the token that the server was started with",
                  "", "invalid_api_key");
}

}  // namespace tinylm
