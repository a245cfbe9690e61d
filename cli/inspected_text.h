// Which tokens `tinylm inspect` looks at: a prompt, what the model makes of it, or the run's own text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

namespace CLI {
class App;
}

namespace tinylm {

/// Flags about the length of the text.
class TextFlags {
 public:
  /// Adds --generate and --last.
  void describe(CLI::App& app);
  /// Notes numbers below 1.
  void validate(Problems& problems) const;
  std::int64_t generate() const { return generate_; }
  std::int64_t last() const { return last_; }
  bool given() const { return generate_ > 0 || last_ > 0; }

 private:
  std::int64_t generate_ = 0, last_ = 0;  // 0: not given
};

struct InspectedText {
  std::vector<TokenId> ids;                    // 1 to context
  std::vector<std::string> notes;              // what was left out, for people
  std::optional<std::int64_t> generated_from;  // index of the first token that the model wrote; nothing: none
};

/// The beginning of the run's held-out text, or of its training text where nothing is held out.
std::vector<TokenId> own_text(const Run& run, const ModelConfig& model);

/// The tokens of `prompt` that fit, continued by the likeliest token after each (`--generate`), of these the last ones
/// (`--last`): the model then sees no more than those. Throws WrongUse where what is to be generated leaves no room for
/// a prompt, and for a model that cannot generate, with attention_mask none.
InspectedText inspected_prompt(LoadedModel& loaded, const std::string& prompt, const TextFlags& flags);
/// The same for ids instead of a prompt.
InspectedText inspected_ids(LoadedModel& loaded, std::vector<TokenId> ids, const TextFlags& flags);

}  // namespace tinylm
