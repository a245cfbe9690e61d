// Texts that grow together, shown one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>

namespace tinylm {

/// Writes each text after its prompt, with a newline behind it: the first as it comes, each later one from when those
/// before it have ended.
class SamplePrinter {
 public:
  /// `headings`: a line on standard error before each text says which it is.
  SamplePrinter(std::ostream& out, std::string prompt, std::uint64_t samples, bool headings);

  void add(std::uint64_t sample, std::string_view piece);
  void end(std::uint64_t sample);

 private:
  void open();

  std::ostream& out_;
  std::string prompt_;
  std::uint64_t samples_;
  bool headings_;
  std::uint64_t turn_ = 0;                        // the text that is shown
  bool open_ = false;                             // whether its beginning has been
  std::map<std::uint64_t, std::string> waiting_;  // what there is of later ones
  std::set<std::uint64_t> ended_;                 // of those
};

}  // namespace tinylm
