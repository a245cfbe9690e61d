// The model of a server, and what its answers say about it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "run/run.h"

namespace tinylm {

/// Touched by the thread that computes alone, but for `name` and `created`, which do not change.
struct ServedModel {
  LoadedModel& loaded;
  std::string name;                    // what clients call it
  std::int64_t created = 0;            // when it was trained or loaded, seconds since 1970
  std::function<bool()> stopped = {};  // whether the server is to end; asked between tokens
};

}  // namespace tinylm
