// Which operations the graph of a training step is made of: fused ones of model/ops, or those of libtorch that their
// definitions are composed of (model/ops/dispatch.h decides).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/model.h"

namespace tinylm {

/// How often each operation stands in a graph, by name.
struct StepOperations {
  std::map<std::string, std::int64_t> fused;     // "AttentionSublayer", "FeedForward", ...: nodes of model/ops
  std::map<std::string, std::int64_t> composed;  // "MmBackward0", ...: libtorch's that compute; views do not count

  /// "fused: 4 AttentionSublayer, ...; composed: nothing".
  std::string text() const;
};

/// Of the loss of one training sample of two tokens (one where the context has no more), whose graph has the operations
/// of any other.
StepOperations step_operations(LanguageModel model);

}  // namespace tinylm
