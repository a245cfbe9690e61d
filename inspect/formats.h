// The files an inspection can be written to. A new format is a pair of files and one line in formats.cpp; the command
// line takes its flags from here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "inspect/inspection.h"

namespace tinylm {

struct Format {
  std::string name;   // the flag is "--" and this
  std::string place;  // what the flag takes, for the help: "FILE" or "DIR"
  std::string help;   // one line
  /// Writes to the place; missing folders are made. Throws FileError.
  void (*write)(const Inspection& inspection, const std::filesystem::path& place);
  /// What the file would hold, for standard output; null where the place is a folder.
  std::string (*text)(const Inspection& inspection) = nullptr;
};

const std::vector<Format>& formats();

}  // namespace tinylm
