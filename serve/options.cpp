#include "serve/options.h"

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/option_table.h"
#include "core/utf8.h"
#include "serve/access.h"

namespace tinylm {

namespace {

constexpr std::int64_t kMostConnections = 10'000, kMostBodyBytes = 100'000'000;
constexpr std::size_t kLeastTokenBytes = 8;

bool fits_in_header(const std::string& token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

void ServeOptions::describe(OptionTable& table) {
  table.add("serve", "host", host, "numeric address to listen at; any but this machine's own needs --token");
  table.add("serve", "port", port, "port to listen at; 0: any free one");
  table.add("serve", "token", token, "what clients must send as Authorization: Bearer TOKEN").default_name =
      "none, or the environment's TINYLM_TOKEN";
  table.add("serve", "request_tokens", request_tokens, "new tokens that a request may ask for, over all its texts");
  table.add("serve", "request_seconds", request_seconds, "ends the texts of a request after that time");
  table.add("serve", "waiting", waiting, "requests that may wait for the model; others are told to try again");
  table.add("serve", "connections", connections, "connections at the same time");
  table.add("serve", "body_bytes", body_bytes, "size of a request at most");
}

void ServeOptions::validate(Problems& problems) const {
  const auto require_range = [&](const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
    problems.require(value >= least && value <= most, std::string(name) + " is " + std::to_string(value) +
                                                          ", expected " + std::to_string(least) + " to " +
                                                          grouped(most));
  };
  const std::optional<bool> own = is_loopback(host);
  problems.require(own.has_value(), "host is \"" + utf8::visible(host) +
                                        "\", expected a numeric address: 127.0.0.1, ::1, or 0.0.0.0 for all of this "
                                        "machine's");
  problems.require(own.value_or(true) || !token.empty(),
                   "host " + host +
                       " can be reached from other machines: give a secret of at least 8 characters too, "
                       "with --token or in the environment as TINYLM_TOKEN");
  problems.require(token.empty() || token.size() >= kLeastTokenBytes,
                   "token has fewer than 8 characters: it can be guessed");
  problems.require(fits_in_header(token),
                   "token has spaces, controls or letters outside of ASCII: a header cannot carry it");
  require_range("port", port, 0, 65535);
  require_range("request_tokens", request_tokens, 1, 1'000'000);
  problems.require(std::isfinite(request_seconds) && request_seconds > 0.0,
                   "request_seconds is " + shortest(request_seconds) + ", expected a positive number");
  require_range("waiting", waiting, 0, 10'000);
  require_range("connections", connections, 1, kMostConnections);
  require_range("body_bytes", body_bytes, 1000, kMostBodyBytes);
}

}  // namespace tinylm
