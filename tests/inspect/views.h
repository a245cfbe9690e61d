// A view of a random model, for the writers.
#pragma once

#include "inspect/random_models.h"
#include "inspect/view.h"

namespace tinylm::test {

/// Of kText, every head shown, every effect worked out.
inline View view_of(LoadedModel& loaded, const std::vector<TokenId>& ids = kText) {
  ViewOptions options;
  options.shown = HeadSelection::all(loaded.model->config());
  options.ablation = AblationChoice::kAll;
  options.title = options.run = "runs/test";
  return make_view(loaded, ids, options);
}

inline View random_view(const std::string& positions = "rope") {
  LoadedModel loaded = loaded_random(testing::small_config(positions));
  return view_of(loaded);
}

}  // namespace tinylm::test
