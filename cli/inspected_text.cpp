#include "cli/inspected_text.h"

#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "core/numbers.h"
#include "data/dataset.h"
#include "sample/generator.h"
#include "sample/prompt.h"

namespace tinylm {
namespace {

/// Tokens of the run's own text that are shown when no prompt is given: about a terminal's width of cells.
constexpr std::int64_t kDefaultTokens = 32;

/// Keeps the last `most` ids. Returns how many were left out.
std::int64_t keep_last(std::vector<TokenId>& ids, std::int64_t most) {
  const std::int64_t left_out = std::max<std::int64_t>(0, static_cast<std::int64_t>(ids.size()) - most);
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(left_out));
  return left_out;
}

std::int64_t room_for_prompt(const LoadedModel& loaded, std::int64_t generate) {
  const std::int64_t context = loaded.model->config().context;
  if (generate < context) return context - generate;
  throw WrongUse(fmt::format("--generate {} leaves no room for a prompt in the model's context of {}: give at most {}",
                             generate, context, context - 1));
}

std::vector<TokenId> continuation(LoadedModel& loaded, const std::vector<TokenId>& ids, std::int64_t tokens) {
  SamplerOptions greedy;
  greedy.greedy = true;
  GenerateOptions options;
  options.max_tokens = tokens;
  options.overflow = Overflow::kStop;
  Generator generator(loaded.model, *loaded.tokenizer, Sampler(greedy), loaded.empty_prompt_id);
  return generator.generate(ids, 0, options).ids;
}

}  // namespace

void TextFlags::describe(CLI::App& app) {
  app.add_option("--generate", generate_,
                 "continue the prompt by so many tokens, always the likeliest, and inspect both");
  app.add_option("--last", last_, "inspect only the last so many tokens, as if the text began there");
}

void TextFlags::validate(Problems& problems) const {
  problems.require(generate_ >= 0, fmt::format("--generate must be at least 0, not {}", generate_));
  problems.require(last_ >= 0, fmt::format("--last must be at least 1 (0: all), not {}", last_));
}

std::vector<TokenId> own_text(const Run& run, const ModelConfig& model) {
  const Dataset dataset = Dataset::open(run.data_folder(), /*verify=*/false);
  const bool held_out = dataset.val().count > 0;
  const TokenRange& range = held_out ? dataset.val() : dataset.train();
  const std::int64_t count = std::min({kDefaultTokens, model.context, range.count});
  spdlog::info("no prompt: the first {} tokens of the run's {} text (another: --prompt TEXT)", count,
               held_out ? "held-out" : "training");
  std::vector<TokenId> ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back((*range.file)[range.first + i]);
  return ids;
}

InspectedText inspected_ids(LoadedModel& loaded, std::vector<TokenId> ids, const TextFlags& flags) {
  InspectedText text;
  const auto given = static_cast<std::int64_t>(ids.size());
  if (keep_last(ids, room_for_prompt(loaded, flags.generate())) > 0)
    text.notes.push_back(
        fmt::format("the prompt has {} tokens, of which the last {} fit into the model's context of {}{}",
                    grouped(given), grouped(static_cast<std::int64_t>(ids.size())),
                    grouped(loaded.model->config().context), flags.generate() > 0 ? " beside what is generated" : ""));
  auto generated_from = static_cast<std::int64_t>(ids.size());
  if (flags.generate() > 0) {
    const std::vector<TokenId> more = continuation(loaded, ids, flags.generate());
    ids.insert(ids.end(), more.begin(), more.end());
  }
  if (flags.last() > 0) {
    const std::int64_t left_out = keep_last(ids, flags.last());
    if (left_out > 0)
      text.notes.push_back(fmt::format("the last {} of {} tokens: the model sees no others",
                                       grouped(static_cast<std::int64_t>(ids.size())),
                                       grouped(static_cast<std::int64_t>(ids.size()) + left_out)));
    generated_from = std::max<std::int64_t>(0, generated_from - left_out);
  }
  if (generated_from < static_cast<std::int64_t>(ids.size())) text.generated_from = generated_from;
  for (const std::string& note : text.notes) spdlog::warn("{}", note);
  text.ids = std::move(ids);
  return text;
}

InspectedText inspected_prompt(LoadedModel& loaded, const std::string& prompt, const TextFlags& flags) {
  std::vector<TokenId> ids = whole_prompt_ids(prompt, *loaded.tokenizer, loaded.empty_prompt_id);
  InspectedText text = inspected_ids(loaded, std::move(ids), flags);
  if (prompt.empty())
    text.notes.push_back("the prompt is empty: it begins from " + loaded.tokenizer->label(loaded.empty_prompt_id));
  return text;
}

}  // namespace tinylm
