#include "cli/sample_settings.h"

#include <algorithm>

#include "core/errors.h"

namespace tinylm {
namespace {

constexpr const char* kOfTheDraw[] = {"temperature", "top_k", "top_p", "min_p", "greedy", "seed"};

}  // namespace

void SampleSettings::describe(OptionTable& table) {
  sampler.describe(table);
  tokens.describe(table);
  generate.describe(table);
}

void SampleSettings::validate(const std::vector<std::string>& given, Problems& problems) const {
  sampler.validate(problems);
  tokens.validate(problems);
  generate.validate(problems);
  const auto is_given = [&](const std::string& key) {
    return std::find(given.begin(), given.end(), key) != given.end();
  };
  if (generate.beams <= 1) {
    problems.require(!is_given("length_penalty"),
                     "length_penalty is of a beam search: give beams too, or leave it out");
    return;
  }
  for (const char* key : kOfTheDraw) {
    problems.require(!is_given(key),
                     std::string("beams look for the likeliest text and draw nothing: leave out ") + key);
  }
}

}  // namespace tinylm
