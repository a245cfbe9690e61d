// Event files of TensorBoard: records of TFRecord format, each an "Event" protocol buffer. Layout: TensorFlow's
// tensorflow/core/lib/io/record_writer.h and tensorflow/core/util/event.proto.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tinylm {

/// A record: the length (uint64), its masked checksum (uint32), the bytes, their masked checksum (uint32), all
/// little-endian.
std::string tensorboard_record(std::string_view bytes);

/// The checksum of records: CRC-32C, rotated right by 15 bits, plus 0xa282ead8.
std::uint32_t masked_crc32c(std::string_view bytes);

/// A new event file, which is handed to the system event by event, so that a kill loses none.
class EventFile {
 public:
  /// Makes a file in `folder` whose name sorts after those of earlier sessions. `first_step`: the first step that will
  /// be written; what earlier files say of it and later ones (steps that a killed session lost) is out of date for
  /// TensorBoard from here on. Throws FileError.
  EventFile(const std::filesystem::path& folder, std::int64_t first_step);

  /// One event with a number for each name. Throws FileError when it cannot be written.
  void add(std::int64_t step, const std::vector<std::pair<std::string, double>>& scalars);

 private:
  void write(const std::string& event);

  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace tinylm
