// Event files are read back here without the libraries that write them: the checksum bit by bit from its polynomial,
// the records and protocol buffers byte by byte from their definitions.
#include "train/tensorboard/event_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/errors.h"
#include "core/files.h"
#include "test_support.h"
#include "train/tensorboard/tensorboard_observer.h"

namespace tinylm {
namespace {

/// CRC-32C: reflected, polynomial 0x1EDC6F41 (RFC 3720), which is 0x82F63B78 with its bits reversed.
std::uint32_t crc32c_by_bits(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78U : 0U);
  }
  return ~crc;
}

std::uint32_t masked(std::uint32_t crc) {
  return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t place) {
  Number number{};
  std::memcpy(&number, bytes.substr(place, sizeof(number)).data(), sizeof(number));  // this machine is little-endian
  return number;
}

/// The records of a file; fails where a length or a checksum is wrong.
std::vector<std::string> records_of(const std::string& bytes) {
  std::vector<std::string> records;
  for (std::size_t place = 0; place < bytes.size();) {
    const auto length = number_at<std::uint64_t>(bytes, place);
    EXPECT_EQ(number_at<std::uint32_t>(bytes, place + 8), masked(crc32c_by_bits(bytes.substr(place, 8))));
    records.push_back(bytes.substr(place + 12, length));
    EXPECT_EQ(number_at<std::uint32_t>(bytes, place + 12 + length), masked(crc32c_by_bits(records.back())));
    place += 12 + length + 4;
  }
  return records;
}

/// A message's fields by number: varints as their value, the rest as bytes.
struct Message {
  std::multimap<int, std::string> bytes;
  std::map<int, std::uint64_t> varints;

  explicit Message(const std::string& text) {
    std::size_t place = 0;
    const auto varint = [&] {
      std::uint64_t value = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(text.at(place++));
        value |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) return value;
      }
    };
    while (place < text.size()) {
      const std::uint64_t key = varint();
      const auto field = static_cast<int>(key >> 3);
      const auto take = [&](std::size_t size) {
        bytes.emplace(field, text.substr(place, size));
        place += size;
      };
      switch (key & 7) {
        case 0:
          varints[field] = varint();
          break;
        case 1:
          take(8);
          break;
        case 2:
          take(varint());
          break;
        case 5:
          take(4);
          break;
        default:
          ADD_FAILURE() << "wire type " << (key & 7);
          return;
      }
    }
  }
};

struct Scalars {
  std::uint64_t step = 0;
  std::map<std::string, float> values;
};

Scalars scalars_of(const std::string& record) {
  const Message event(record);
  Scalars scalars;
  scalars.step = event.varints.at(2);
  const Message summary(event.bytes.find(5)->second);
  for (auto [value, end] = summary.bytes.equal_range(1); value != end; ++value) {
    const Message one(value->second);
    scalars.values[one.bytes.find(1)->second] = number_at<float>(one.bytes.find(2)->second, 0);
  }
  return scalars;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(EventFile, HasTheChecksumOfThePublishedExample) {
  // RFC 3720, B.4: 32 bytes of zeros have the checksum 0x8a9136aa.
  EXPECT_EQ(crc32c_by_bits(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(masked_crc32c(std::string(32, '\0')), masked(0x8a9136aaU));
  for (std::size_t size : {0, 1, 7, 64, 1000}) {
    const std::string bytes(size, 'x');
    EXPECT_EQ(masked_crc32c(bytes), masked(crc32c_by_bits(bytes))) << size;
  }
}

TEST(EventFile, BeginsWithItsVersionAndWhereTheSessionStarts) {
  const auto folder = test::fresh_folder() / "tensorboard";
  const EventFile file(folder, 251);
  const std::vector<std::string> records = records_of(read_file(files_in(folder).at(0)));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(Message(records[0]).bytes.find(3)->second, "brain.Event:2");
  EXPECT_GT(number_at<double>(Message(records[0]).bytes.find(1)->second, 0), 1.7e9);  // seconds since 1970
  const Message session(records[1]);
  EXPECT_EQ(session.varints.at(2), 251u);
  EXPECT_EQ(Message(session.bytes.find(7)->second).varints.at(1), 1u);  // START
}

TEST(EventFile, HoldsTheNumbersOfEachStep) {
  const auto folder = test::fresh_folder();
  TensorboardObserver observer(folder, 0);
  StepReport report;
  report.state.step = 300;  // two bytes as a varint
  report.train_loss_nats = 2.5;
  report.learning_rate = 1e-3;
  report.gradient_norm = 0.75;
  report.tokens_per_s = 20000.0;
  observer.on_step(report);
  report.state.step = 301;
  report.val_loss_nats = 1.5;
  observer.on_step(report);
  const std::vector<std::string> records = records_of(read_file(files_in(folder).at(0)));
  ASSERT_EQ(records.size(), 4u);
  const Scalars first = scalars_of(records[2]), second = scalars_of(records[3]);
  EXPECT_EQ(first.step, 300u);
  EXPECT_EQ(
      first.values,
      (std::map<std::string, float>{
          {"loss/training", 2.5F}, {"learning_rate", 1e-3F}, {"gradient_norm", 0.75F}, {"tokens_per_s", 20000.0F}}));
  EXPECT_EQ(second.step, 301u);
  EXPECT_EQ(second.values.at("loss/validation"), 1.5F);
}

TEST(EventFile, OfALaterSessionIsAFileThatSortsAfterTheEarlier) {
  const auto folder = test::fresh_folder();
  EventFile(folder, 1).add(1, {{"x", 1.0}});
  EventFile(folder, 3).add(3, {{"x", 3.0}});
  const auto files = files_in(folder);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_NE(files[0].filename().string().find("tfevents"), std::string::npos);
  EXPECT_EQ(Message(records_of(read_file(files[0]))[1]).varints.at(2), 1u);
  EXPECT_EQ(Message(records_of(read_file(files[1]))[1]).varints.at(2), 3u);
}

TEST(EventFile, SaysWhenItCannotBeWritten) {
  const auto folder = test::fresh_folder();
  write_atomically(folder / "file", "");
  const std::string message = test::message_of<FileError>([&] { EventFile(folder / "file", 1); });
  EXPECT_NE(message.find("cannot make the folder"), std::string::npos) << message;
}

}  // namespace
}  // namespace tinylm
