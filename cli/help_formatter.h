// Help texts that fit a terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tinylm {

/// CLI11's layout, with descriptions broken into lines and without the marks it puts on flags that turn something off.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  /// A command's whole description, above its flags.
  std::string make_description(const CLI::App* app) const override;
  /// A line of the list of commands: the first of its description.
  std::string make_subcommand(const CLI::App* subcommand) const override;
};

}  // namespace tinylm
