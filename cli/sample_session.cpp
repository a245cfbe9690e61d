#include "cli/sample_session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/text_table.h"
#include "sample/prompt.h"
#include "sample/result_text.h"
#include "sample/sampler_report.h"

namespace tinylm {
namespace {

constexpr std::size_t kAlternativesKept = 5;
constexpr std::int64_t kTokensListed = 20;

std::string dashed(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

std::string shown(const OptionValue& value) {
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  return texts != nullptr && texts->empty() ? "none" : to_toml(value);
}

}  // namespace

std::string unescaped(const std::string& line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char next = at + 1 < line.size() ? line[at + 1] : '\0';
    if (line[at] != '\\' || (next != 'n' && next != 't' && next != '\\')) {
      text += line[at];
      continue;
    }
    text += next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
    ++at;
  }
  return text;
}

const std::vector<SampleSession::CommandOfLine>& SampleSession::commands() {
  static const std::vector<CommandOfLine> all = {
      {"add", "TEXT", "add TEXT to the text and go on", &SampleSession::add},
      {"new", "", "begin a text from nothing", &SampleSession::new_text},
      {"undo", "", "go back to before the last line", &SampleSession::undo},
      {"retry", "", "write what follows the last line anew", &SampleSession::retry},
      {"alternatives", "[N]", "what else was likely at the last N tokens (20)", &SampleSession::show_alternatives},
      {"explain", "", "how the next token would be chosen, step by step", &SampleSession::explain},
      {"text", "", "the whole text so far", &SampleSession::show_text},
      {"settings", "", "every setting", &SampleSession::show_settings},
      {"reset", "[NAME]", "one setting, or all, as at the beginning", &SampleSession::reset},
      {"help", "", "this list", &SampleSession::help},
      {"quit", "", "end, as Ctrl-D", &SampleSession::quit},
  };
  return all;
}

SampleSession::SampleSession(const LoadedModel& loaded, const SampleSettings& settings, std::ostream& out)
    : loaded_(loaded), settings_(settings), out_(out) {
  settings_.describe(table_);
  settings_.generate.alternatives = kAlternativesKept;
  for (const Option& option : table_.options()) at_first_.push_back(option.get());
  settings_.sampler_for(*loaded_.tokenizer);
}

Generator SampleSession::generator() const {
  return {loaded_.model, *loaded_.tokenizer, settings_.sampler_for(*loaded_.tokenizer), loaded_.empty_prompt_id};
}

bool SampleSession::handle(const std::string& line) {
  try {
    if (!line.starts_with(':')) {
      if (line.empty())
        continue_text(text_, "");
      else
        start(unescaped(line));
      return true;
    }
    const std::size_t end = std::min(line.find(' '), line.size());
    run_command(line.substr(1, end - 1), end < line.size() ? unescaped(line.substr(end + 1)) : "");
  } catch (const Error& error) {
    spdlog::error("{}", error.what());
  }
  return !ended_;
}

void SampleSession::start(const std::string& prompt) {
  continue_text("", prompt);
}

void SampleSession::continue_text(std::string before, const std::string& added) {
  Generator generator = this->generator();
  const std::vector<TokenId> ids = generator.prompt_ids(before + added);
  out_ << added << std::flush;
  TextListener listener;
  listener.on_text = [&](std::uint64_t, std::string_view piece) { out_ << piece << std::flush; };
  listener.on_slide = [&] {
    if (!std::exchange(slid_, true))
      spdlog::info("the text grew beyond the model's context of {} tokens: what the model sees is its newer part",
                   grouped(loaded_.config.model.context));
  };
  const std::uint64_t sample = settings_.generate.beams > 1 ? 0 : next_sample_++;
  Generated generated = generator.generate_all(ids, sample, 1, settings_.generate, listener).front();
  out_ << std::endl;
  text_ = before + added + generated.text;
  turns_.push_back({std::move(before), added, std::move(generated)});
}

void SampleSession::run_command(const std::string& name, const std::string& argument) {
  for (const CommandOfLine& command : commands()) {
    if (command.name != name) continue;
    if (!argument.empty() && command.arguments[0] == '\0')
      throw WrongUse(":" + name + " takes nothing after it, found '" + argument + "'");
    return (this->*command.run)(argument);
  }
  show_or_set(name, argument);
}

const Option* SampleSession::option_named(const std::string& name) const {
  for (const Option& option : table_.options())
    if (dashed(option.key) == dashed(name)) return &option;
  return nullptr;
}

void SampleSession::show_or_set(const std::string& name, const std::string& argument) {
  const Option* option = option_named(name);
  if (option == nullptr) {
    std::vector<std::string> names;
    for (const CommandOfLine& command : commands()) names.emplace_back(command.name);
    for (const Option& each : table_.options()) names.push_back(dashed(each.key));
    throw WrongUse("there is no command or setting ':" + name + "'" + did_you_mean(name, names) + " (:help lists all)");
  }
  if (!argument.empty()) {
    const std::optional<OptionValue> parsed = parse_value(argument, option->get());
    const std::optional<OptionValue> value = parsed ? option->accept(*parsed) : std::nullopt;
    if (!value) throw WrongUse(dashed(name) + ": found '" + argument + "', expected " + option->expected());
    set(*option, *value);
  }
  out_ << dashed(option->key) << " " << shown(option->get()) << std::endl;
}

/// Sets an option, or leaves it as it was when it cannot be meant.
void SampleSession::set(const Option& option, const OptionValue& value) {
  const OptionValue before = option.get();
  option.set(value);
  try {
    Problems problems;
    settings_.validate({}, problems);
    problems.throw_if_any();
    settings_.sampler_for(*loaded_.tokenizer);
  } catch (...) {
    option.set(before);
    throw;
  }
  if (option.key == "seed") next_sample_ = 0;
}

void SampleSession::add(const std::string& text) {
  if (text.empty()) throw WrongUse(":add needs a text after it");
  continue_text(text_, text);
}

void SampleSession::new_text(const std::string&) {
  start("");
}

void SampleSession::undo(const std::string&) {
  if (turns_.empty()) throw WrongUse("there is nothing to undo");
  text_ = turns_.back().before;
  turns_.pop_back();
  show_text("");
}

void SampleSession::retry(const std::string&) {
  if (turns_.empty()) throw WrongUse("there is nothing to write anew: give a prompt first");
  const Turn last = turns_.back();
  continue_text(last.before, last.added);
  turns_.erase(turns_.end() - 2);
}

void SampleSession::show_alternatives(const std::string& count) {
  if (turns_.empty()) throw WrongUse("nothing was written yet: give a prompt first");
  std::int64_t most = kTokensListed;
  const auto parsed = std::from_chars(count.data(), count.data() + count.size(), most);
  if (!count.empty() && (parsed.ec != std::errc() || parsed.ptr != count.data() + count.size() || most < 1))
    throw WrongUse(":alternatives: found '" + count + "', expected a number of tokens, at least 1");
  Generated listed = turns_.back().generated;
  const auto surplus = std::max<std::int64_t>(0, static_cast<std::int64_t>(listed.ids.size()) - most);
  const auto cut = [&](auto& values) { values.erase(values.begin(), values.begin() + surplus); };
  cut(listed.ids);
  cut(listed.log_probabilities);
  cut(listed.entropies_nats);
  cut(listed.alternatives);
  out_ << probabilities_text(listed, *loaded_.tokenizer) << std::flush;
}

void SampleSession::explain(const std::string&) {
  Generator generator = this->generator();
  const std::vector<TokenId> ids = generator.prompt_ids(text_);
  out_ << steps_text(generator.sampler(), generator.next_logits(ids), {ids, ids.size()}, *loaded_.tokenizer)
       << std::flush;
}

void SampleSession::show_text(const std::string&) {
  out_ << text_ << std::endl;
}

void SampleSession::show_settings(const std::string&) {
  std::vector<TableRow> rows;
  for (const Option& option : table_.options())
    rows.push_back({":" + dashed(option.key), shown(option.get()), option.help});
  out_ << text_table(rows, {Side::kLeft, Side::kLeft, Side::kLeft}) << std::flush;
}

void SampleSession::reset(const std::string& name) {
  if (!name.empty() && option_named(name) == nullptr)
    throw WrongUse("there is no setting '" + name + "' (:settings lists all)");
  for (std::size_t i = 0; i < at_first_.size(); ++i) {
    const Option& option = table_.options()[i];
    if (name.empty() || dashed(option.key) == dashed(name)) option.set(at_first_[i]);
  }
  if (name.empty())
    show_settings("");
  else
    show_or_set(name, "");
}

void SampleSession::help(const std::string&) {
  std::vector<TableRow> rows = {{"TEXT", "a new text that begins with TEXT; \\n is a line end"},
                                {"an empty line", "go on with the text"},
                                {":SETTING [VALUE]", "show a setting or change it: ':temperature 0.5'"}};
  for (const CommandOfLine& command : commands()) {
    const std::string arguments = command.arguments;
    rows.push_back({":" + std::string(command.name) + (arguments.empty() ? "" : " " + arguments), command.help});
  }
  out_ << text_table(rows, {Side::kLeft, Side::kLeft}) << "Ctrl-C ends a sample that is being written.\n" << std::flush;
}

void SampleSession::quit(const std::string&) {
  ended_ = true;
}

}  // namespace tinylm
