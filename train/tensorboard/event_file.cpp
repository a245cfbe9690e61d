#include "train/tensorboard/event_file.h"

#include <isa-l/crc.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <system_error>

#include "core/errors.h"

namespace tinylm {
namespace {

// Field numbers of event.proto and summary.proto.
enum Event : protozero::pbf_tag_type { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7 };
enum Summary : protozero::pbf_tag_type { kValue = 1 };
enum Value : protozero::pbf_tag_type { kTag = 1, kSimpleValue = 2 };
enum SessionLog : protozero::pbf_tag_type { kStatus = 1 };
constexpr std::int32_t kStart = 1;  // SessionLog.SessionStatus

double wall_time_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

template <class Number>
std::string little_endian(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(number); ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

/// Sorts by time; TensorBoard knows event files by the "tfevents" in their names.
std::string fresh_name() {
  const double now = wall_time_s();
  const auto seconds = static_cast<long long>(now);
  char name[64];
  std::snprintf(name, sizeof(name), "events.out.tfevents.%010lld.%06d.tinylm", seconds,
                static_cast<int>((now - static_cast<double>(seconds)) * 1e6));
  return name;
}

std::string first_event() {
  std::string event;
  protozero::pbf_writer writer(event);
  writer.add_double(kWallTime, wall_time_s());
  writer.add_string(kFileVersion, "brain.Event:2");
  return event;
}

std::string session_event(std::int64_t first_step) {
  std::string log, event;
  protozero::pbf_writer(log).add_enum(kStatus, kStart);
  protozero::pbf_writer writer(event);
  writer.add_double(kWallTime, wall_time_s());
  writer.add_int64(kStep, first_step);
  writer.add_message(kSessionLog, log);
  return event;
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  auto* const begin = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));  // it only reads
  const std::uint32_t crc = ~crc32_iscsi(begin, static_cast<int>(bytes.size()), ~0U);
  return std::rotr(crc, 15) + 0xa282ead8U;
}

std::string tensorboard_record(std::string_view bytes) {
  const std::string length = little_endian(static_cast<std::uint64_t>(bytes.size()));
  return length + little_endian(masked_crc32c(length)) + std::string(bytes) + little_endian(masked_crc32c(bytes));
}

EventFile::EventFile(const std::filesystem::path& folder, std::int64_t first_step) : path_(folder / fresh_name()) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw FileError("cannot make the folder " + folder.string() + ": " + error.message());
  file_.open(path_, std::ios::binary);
  if (!file_) throw FileError("cannot open " + path_.string() + " for writing: " + std::strerror(errno));
  write(first_event());
  write(session_event(first_step));
}

void EventFile::add(std::int64_t step, const std::vector<std::pair<std::string, double>>& scalars) {
  std::string summary, event;
  protozero::pbf_writer values(summary);
  for (const auto& [tag, number] : scalars) {
    protozero::pbf_writer value(values, kValue);
    value.add_string(kTag, tag);
    value.add_float(kSimpleValue, static_cast<float>(number));
  }
  protozero::pbf_writer writer(event);
  writer.add_double(kWallTime, wall_time_s());
  writer.add_int64(kStep, step);
  writer.add_message(kSummary, summary);
  write(event);
}

void EventFile::write(const std::string& event) {
  file_ << tensorboard_record(event) << std::flush;
  if (!file_) throw FileError("cannot write " + path_.string() + ": " + std::strerror(errno));
}

}  // namespace tinylm
