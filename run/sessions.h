// sessions.json: with what each session of a run was computed, so that it can be computed again. A session is one
// process that trains the run: the first one, and one for each time that it is resumed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tinylm {

struct Session {
  std::string started;         // UTC: "2026-01-01T12:00:00Z"
  std::int64_t from_step = 0;  // steps that were done when it began
  std::string tinylm;          // versions
  std::string libtorch;
  std::string onednn;
  std::string processor;        // as the kernel names it
  std::string instruction_set;  // of the program's own loops
  std::int64_t threads = 0;
  std::string precision;  // of the products
  std::string ops;
  std::uint64_t seed = 0;
  std::string text_checksum;          // DatasetManifest::text_checksum
  std::string tokenizer_fingerprint;  // Tokenizer::fingerprint()
  std::vector<std::string> command_line;
  std::int64_t to_step = 0;  // steps done when it ended
  std::string outcome;       // how it ended; "": it has not, or was killed
};

/// Now, as Session::started says it.
std::string utc_now();

/// The sessions of a run, the first one first; none when the file does not exist. Throws FileError when it is damaged.
std::vector<Session> read_sessions(const std::filesystem::path& file);
/// Replaces the file, atomically. Throws FileError.
void write_sessions(const std::filesystem::path& file, const std::vector<Session>& sessions);
/// The content of the file: {"sessions": [...]}, with the names of the fields as keys.
std::string sessions_json(const std::vector<Session>& sessions);

}  // namespace tinylm
