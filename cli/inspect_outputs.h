// Where the output of `tinylm inspect` goes: a flag for every format, and the terminal.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "inspect/formats.h"

namespace CLI {
class App;
}

namespace tinylm {

class OutputFlags {
 public:
  /// Adds a flag for every format, --what, --open and --term.
  void describe(CLI::App& app);
  /// Notes what cannot be written: `two` views where a format takes one.
  void validate(bool two, Problems& problems) const;

  /// Whether any output was asked for.
  bool any() const { return files() || term_; }
  /// Whether the terminal is drawn on.
  bool draws() const { return !files() || term_; }
  /// Whether an output shows what taking heads out does.
  bool show_effects() const;
  /// Before anything is computed that could not be written then: throws as require_page_size().
  void require_writable(const HeadSelection& shown, const ModelConfig& model, std::int64_t tokens) const;
  /// Writes all that were asked for, pictures of `head`, and opens the page. True when standard output was taken by
  /// one.
  bool write(const std::vector<View>& views, const HeadPlace& head) const;

 private:
  bool files() const;

  std::map<std::string, std::string> places_;  // by name of format; empty: not asked for
  std::vector<std::string> what_ = {"attention"};
  bool term_ = false, open_ = false;
};

}  // namespace tinylm
