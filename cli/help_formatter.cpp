#include "cli/help_formatter.h"

#include <algorithm>
#include <sstream>

namespace tinylm {
namespace {

constexpr std::size_t kNameColumns = 30;
constexpr std::size_t kDescriptionColumns = 86;

std::string wrapped(const std::string& text, std::size_t columns) {
  std::istringstream words(text);
  std::string result, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > columns) {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + line;
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(kNameColumns);
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  std::string name = CLI::Formatter::make_option_name(option, is_positional);
  const std::string mark = "{false}";
  if (const std::size_t at = name.find(mark); at != std::string::npos) name.erase(at, mark.size());
  return name;
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  const std::string text = app->get_description();
  const std::size_t first_line = std::min(text.find('\n'), text.size());
  return text.substr(0, first_line) + "\n" + wrapped(text.substr(first_line), kNameColumns + kDescriptionColumns) +
         "\n\n";
}

std::string HelpFormatter::make_subcommand(const CLI::App* subcommand) const {
  std::string line = "  " + subcommand->get_name();
  line.resize(std::max(line.size() + 1, kNameColumns), ' ');
  const std::string text = subcommand->get_description();
  return line + text.substr(0, text.find('\n')) + "\n";
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return wrapped(CLI::Formatter::make_option_desc(option), kDescriptionColumns);
}

}  // namespace tinylm
