// Everything that says how a prompt is continued, as one table of options: of a call, and of a session at the prompt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/option_table.h"
#include "sample/generator.h"
#include "sample/token_rules.h"

namespace tinylm {

struct SampleSettings {
  SamplerOptions sampler;
  TokenOptions tokens;
  GenerateOptions generate;

  /// Adds their options to section [sample].
  void describe(OptionTable& table);
  /// Notes what cannot be meant; `given`: the keys that the user set, of which a beam search takes no notice of some.
  void validate(const std::vector<std::string>& given, Problems& problems) const;
  /// The sampler for a vocabulary. Throws BadInput for what is no token of it.
  Sampler sampler_for(const Tokenizer& tokenizer) const { return Sampler(sampler, tokens.rules(tokenizer)); }
  /// Whether the seed plays a part.
  bool drawn() const { return generate.beams == 1 && !sampler.always_likeliest(); }
};

}  // namespace tinylm
