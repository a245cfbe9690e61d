// Tokenizer files that are JSON: {"kind": ..., ...}.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/errors.h"

namespace tinylm {

/// The object in `bytes`. Throws FileError naming `file` when it is no JSON object of this kind.
nlohmann::json parse_tokenizer_json(const std::string& bytes, const std::string& file, const std::string& kind);

/// The error for a tokenizer's file that is not as it was written.
FileError damaged_tokenizer(const std::string& file, const std::string& found);

}  // namespace tinylm
