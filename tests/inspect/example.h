// A small inspection with known weights.
#pragma once

#include <limits>

#include "inspect/inspection.h"

namespace tinylm::test {

/// One layer, two heads, three tokens. Head 0 looks at itself alone; head 1 has the rows below.
inline Inspection example() {
  Inspection inspection;
  inspection.ids = {2, 3, 4};
  inspection.texts = {"a", "b", "\n"};
  inspection.labels = {"a", "b", "\u23CE"};
  inspection.losses_nats = {std::numeric_limits<double>::quiet_NaN(), 0.5, 2.25};
  inspection.attention = torch::stack({torch::eye(3), torch::tensor({{1.0F, 0.0F, 0.0F},  //
                                                                     {0.5F, 0.5F, 0.0F},
                                                                     {0.1F, 0.2F, 0.7F}})})
                             .unsqueeze(0);  // [1, 2, 3, 3]
  return inspection;
}

}  // namespace tinylm::test
