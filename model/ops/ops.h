// Which implementation of each operation a model uses.
#pragma once

namespace tinylm {

/// kAuto: the fast implementation where one exists for the device, dtype and shape, else the definition.
/// kPlain: the definitions alone, in a few readable libtorch lines.
enum class Ops { kAuto, kPlain };

}  // namespace tinylm
