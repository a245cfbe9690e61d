// Checks of flags while the command line is read.
#pragma once

#include <CLI/CLI.hpp>

namespace tinylm {

/// Refuses an empty value, which is what an unset variable of a shell script leaves: --resume "$RUN".
inline CLI::Validator not_empty() {
  const auto check = [](const std::string& value) {
    return std::string(value.empty() ? "an empty value was given" : "");
  };
  return CLI::Validator(check, "");
}

}  // namespace tinylm
