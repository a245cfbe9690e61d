// How likely the tokens of a given text were, and what else could have stood there.
#pragma once

#include <vector>

#include "run/run.h"
#include "sample/choice.h"

namespace tinylm {

/// Of ids[1], ids[2], ..., with so many alternatives: one forward pass; 1 to context ids.
std::vector<Choice> choices_of_text(LoadedModel& loaded, const std::vector<TokenId>& ids, std::size_t alternatives);

}  // namespace tinylm
