// Which implementation of each operation a model uses.
#pragma once

namespace tinylm {

/// kAuto: the fast implementation where one exists for the device, dtype and shape, else the definition.
/// kPlain: the definitions alone, in a few readable libtorch lines.
/// kBfloat16: as kAuto, but the products of linear layers round what they multiply to bfloat16 where gradients are
/// recorded. Weights, sums and everything else stay float32, and so does a pass without gradients.
enum class Ops { kAuto, kPlain, kBfloat16 };

}  // namespace tinylm
