// --minutes: from a time to a whole configuration, with each choice said.
#pragma once

#include "cli/configuration.h"
#include "cli/prepare.h"
#include "core/stop_watch.h"
#include "data/dataset.h"

namespace tinylm {

/// Like prepare(), and when `flags` give minutes, sets in `configuration` what they leave open (train/dial.h), and
/// tells `flags`. `since_start`: when the time began. Throws as prepare() and choose_sizes().
Dataset prepare_in_time(ConfigurationFlags& flags, Configuration& configuration, const TokenCacheFlag& cache,
                        const StopWatch& since_start);

}  // namespace tinylm
