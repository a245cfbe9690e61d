// state.json: where a run stood when the checkpoint was written, and the checksums of the files beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "run/checkpoint.h"

namespace tinylm {

struct StateFile {
  TrainingState state;
  std::uint64_t tokenizer_fingerprint = 0;
  std::string model_options = "{}";
  std::map<std::string, std::uint64_t> checksums;  // by file name
};

/// Writes it atomically, with a checksum of its own content. Throws FileError.
void write_state_file(const std::filesystem::path& path, const StateFile& content);

/// Throws FileError ("damaged: ...") when it is no JSON, lacks a key, or its own checksum does not match.
StateFile read_state_file(const std::filesystem::path& path);

}  // namespace tinylm
