// No positional encoding: only the causal mask tells a token where it stands.
#include "model/positions.h"

namespace tinylm {

PositionKind no_positions() {
  return {.name = "none",
          .make = [](const ModelConfig&) -> std::shared_ptr<Positions> { return std::make_shared<Positions>(); }};
}

}  // namespace tinylm
