#include "cli/open_run.h"

#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/flag_checks.h"
#include "core/errors.h"

namespace tinylm {

namespace {

constexpr std::size_t kMostPromptBytes = 16'000'000;

/// All of a file, or of standard input, as long as it ends: a device may not.
std::string read_prompt(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::istream& in = file == "-" ? std::cin : stream;
  std::error_code ignored;
  if (!in || std::filesystem::is_directory(file, ignored))
    throw FileError("cannot read the prompt from " + file + ": there is no such file, or it cannot be opened");
  std::string text(kMostPromptBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw FileError("cannot read the prompt from " + file + ": reading failed");
  if (text.size() <= kMostPromptBytes) return text;
  throw BadInput("the prompt in " + file + " has more than 16 MB: give a shorter one, of which a model sees the end");
}

/// CR LF as LF.
std::string without_carriage_returns(std::string_view text) {
  std::string result;
  for (std::size_t at; (at = text.find("\r\n")) != std::string_view::npos; text.remove_prefix(at + 1))
    result += text.substr(0, at);
  return result += text;
}

}  // namespace

void RunArgument::describe(CLI::App& app) {
  add(app, "RUN", "");
}

void RunArgument::describe_as_flag(CLI::App& app) {
  add(app, "--run", "RUN");
}

void RunArgument::add(CLI::App& app, const std::string& name, const std::string& value_name) {
  app.add_option(name, folder_, "folder of a run; default: the newest under runs/")
      ->type_name(value_name)
      ->check(not_empty());
  app.add_option("--checkpoint", checkpoint_, "best, last or step-N")->capture_default_str();
}

Run RunArgument::open() const {
  if (given()) return Run::open(folder_);
  Run run = Run::newest();
  spdlog::info("run {}", run.folder().string());
  return run;
}

void PromptArgument::describe(CLI::App& app) {
  app.add_option("--prompt", prompts_,
                 most_ > 1 ? "text to begin from; twice: both, side by side" : "text to begin from")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  app.add_option("--prompt-file", file_, "file with the text to begin from, '-' for standard input")
      ->type_name("FILE")
      ->check(not_empty());
}

void PromptArgument::validate(Problems& problems) const {
  problems.require(prompts_.empty() || file_.empty(), "--prompt and --prompt-file both name the prompt: give one");
  problems.require(prompts_.size() <= most_,
                   fmt::format("--prompt was given {} times, expected at most {}", prompts_.size(), most_));
}

std::string PromptArgument::text(bool keep_crlf) const {
  const std::vector<std::string> all = texts(keep_crlf);
  return all.empty() ? "" : all.front();
}

std::vector<std::string> PromptArgument::texts(bool keep_crlf) const {
  std::vector<std::string> texts = file_.empty() ? prompts_ : std::vector<std::string>{read_prompt(file_)};
  for (std::string& text : texts) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    const std::size_t size = text.size();
    if (!keep_crlf) text = without_carriage_returns(text);
    if (text.size() < size)
      spdlog::info("{} Windows line ends (CR LF) of the prompt were read as LF", size - text.size());
  }
  return texts;
}

}  // namespace tinylm
