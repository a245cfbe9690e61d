// What `tinylm serve` can be told.
#pragma once

#include <cstdint>
#include <string>

namespace tinylm {

class OptionTable;
class Problems;

struct ServeOptions {
  std::string host = "127.0.0.1";       // numeric address to listen at; another machine's view of it needs a token
  std::int64_t port = 8080;             // 0: any free one
  std::string token;                    // what clients must know; "": none, for this machine alone
  std::int64_t request_tokens = 4096;   // a request may ask for at most, over all its texts
  double request_seconds = 60.0;        // after which a request's texts end
  std::int64_t waiting = 16;            // requests that may wait for the model, besides the one it computes
  std::int64_t connections = 128;       // at the same time
  std::int64_t body_bytes = 1'000'000;  // of a request

  /// Adds its options to section [serve].
  void describe(OptionTable& table);
  /// Notes what cannot be meant; also an address that others reach without a token, and a token that a header cannot
  /// carry.
  void validate(Problems& problems) const;
};

}  // namespace tinylm
