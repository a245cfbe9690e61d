// Clients that ask a server at the same time, each text held against the one that `tinylm sample` gives for its seed.
#pragma once

#include <string>
#include <vector>

#include "served.h"

namespace tinylm::test {

struct ManyClients {
  int answers = 0;
  std::vector<std::string> problems;  // answers that were errors, or other texts than expected
};

/// `count` threads, half of them reading streams, ask again and again for `seconds`; then the server is stopped.
ManyClients ask_together(Served& served, int count, double seconds);

}  // namespace tinylm::test
