// Scripts of the shell that stand for other programs.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace tinylm::testing {

/// A program `file` whose lines are `body`.
inline std::filesystem::path write_script(const std::filesystem::path& file, const std::string& body) {
  std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

/// Stands for a bare program that works a second at each time and takes a megabyte.
inline constexpr const char* kBareScript = R"(while read -r n; do echo "seconds $n memory_bytes 1000000"; done)";
/// Stands for peak_memory: `tinylm --version` takes 1000 kilobytes, anything else 3000.
inline constexpr const char* kPeakScript = R"(case $2 in --version) echo 1000 >&2 ;; *) echo 3000 >&2 ;; esac)";

}  // namespace tinylm::testing
