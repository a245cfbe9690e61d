// The files an inspection can be written to. A new format is a pair of files and one line in formats.cpp; the command
// line takes its flags from here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "inspect/view.h"

namespace tinylm {

struct FormatOptions {
  HeadPlace head = {};                            // of pictures
  std::vector<std::string> what = {"attention"};  // arrays of --npy, see npy_arrays()
};

struct Format {
  std::string name;      // the flag is "--" and this
  std::string place;     // what the flag takes, for the help: "FILE" or "DIR"
  std::string help;      // one line
  bool several = false;  // writes more than one view
  bool effects = false;  // shows what taking heads out does
  /// Writes to the place; missing folders are made. Throws FileError.
  void (*write)(const std::vector<View>& views, const FormatOptions& options, const std::filesystem::path& place);
  /// What the file would hold, for standard output; null where that makes no sense.
  std::string (*text)(const std::vector<View>& views) = nullptr;
};

const std::vector<Format>& formats();

}  // namespace tinylm
