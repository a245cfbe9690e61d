// An inspection as JSON: UTF-8, numbers in the shortest form that reads back to the same value, null for what is not
// finite.
#pragma once

#include <string>
#include <vector>

#include "inspect/view.h"

namespace tinylm {

/// {"ids": [T], "text": [T], "labels": [T], "losses_nats": [T]}; the first loss is null.
std::string tokens_json(const Inspection& inspection);

/// The same object with everything of view_json() as lists, and "attention": [L][H][T][T] of the layers and heads
/// shown. Several views: {"views": [...]}.
std::string inspection_json(const std::vector<View>& views);

}  // namespace tinylm
