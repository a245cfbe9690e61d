// samples.jsonl: what the model wrote while it was trained, one JSON object a line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tinylm {

struct TrainingSample {
  std::int64_t step = 0;  // steps done
  std::string prompt;
  std::string text;  // without the prompt
};

/// The line of a sample, without its newline. Keys: step, prompt, text. What is no UTF-8 becomes U+FFFD.
std::string sample_line(const TrainingSample& sample);

/// The samples of a run in order; lines that are torn or none are passed over; none when there is no file. Throws
/// FileError when it cannot be read.
std::vector<TrainingSample> read_samples(const std::filesystem::path& file);

}  // namespace tinylm
