// An inspection as JSON: UTF-8, numbers in the shortest form that reads back to the same value, null for what is not
// finite.
#pragma once

#include <filesystem>
#include <string>

#include "inspect/inspection.h"

namespace tinylm {

/// {"ids": [T], "text": [T], "labels": [T], "losses_nats": [T]}; the first loss is null.
std::string tokens_json(const Inspection& inspection);

/// The same object with "attention": [L][H][T][T].
std::string inspection_json(const Inspection& inspection);

/// inspection_json() as a file. Throws FileError.
void write_json(const Inspection& inspection, const std::filesystem::path& file);

}  // namespace tinylm
