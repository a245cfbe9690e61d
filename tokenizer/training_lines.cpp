#include "tokenizer/training_lines.h"

#include <algorithm>
#include <vector>

#include "core/utf8.h"

namespace tinylm {
namespace {

constexpr int kBucketBits = 16;
constexpr std::uint32_t kBuckets = 1u << kBucketBits;

bool is_hexadecimal(char digit) {
  return (digit >= '0' && digit <= '9') || (digit >= 'A' && digit <= 'F');
}

/// Length of the reserved character or name that `text` begins with, 0 when there is none.
std::size_t reserved_bytes(std::string_view text) {
  using namespace std::string_view_literals;
  for (const std::string_view name : {"\0"sv, "\u2581"sv, "\u2585"sv, "<s>"sv, "</s>"sv, "<unk>"sv}) {
    if (text.starts_with(name)) return name.size();
  }
  constexpr std::string_view kByte = "<0x41>";
  const bool byte = text.size() >= kByte.size() && text.starts_with("<0x") && is_hexadecimal(text[3]) &&
                    is_hexadecimal(text[4]) && text[5] == '>';
  return byte ? kByte.size() : 0;
}

/// `line` as the trainer may see it.
void clean(std::string_view line, std::string& cleaned) {
  constexpr std::string_view kFirstBytes("\0<\xE2", 3);
  cleaned.clear();
  while (!line.empty()) {
    const std::size_t plain = std::min(line.find_first_of(kFirstBytes), line.size());
    cleaned += line.substr(0, plain);
    line.remove_prefix(plain);
    if (line.empty()) return;
    const std::size_t reserved = reserved_bytes(line);
    cleaned += reserved > 0 ? '\t' : line.front();
    line.remove_prefix(std::max<std::size_t>(1, reserved));
  }
}

}  // namespace

std::size_t line_part_bytes(std::string_view line) {
  if (line.size() <= kLongestLineBytes) return line.size();
  std::size_t end = kLongestLineBytes;
  while ((static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return end;
}

void LineReader::rewind() {
  text_.rewind();
  buffer_.clear();
  begin_ = 0;
}

bool LineReader::refill() {
  if (!text_.next(piece_)) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_ += piece_;
  if (text_.ends_document()) buffer_ += '\n';
  return true;
}

bool LineReader::next(std::string_view& line) {
  for (;;) {
    const std::string_view rest = std::string_view(buffer_).substr(begin_);
    const std::size_t newline = rest.substr(0, kLongestLineBytes + 1).find('\n');
    if (newline != std::string_view::npos) {
      begin_ += newline + 1;
      if (newline == 0) continue;
      line = rest.substr(0, newline);
      return true;
    }
    if (rest.size() <= kLongestLineBytes && refill()) continue;
    line = rest.substr(0, line_part_bytes(rest));
    begin_ += line.size();
    return !line.empty();
  }
}

TrainingLines::TrainingLines(TextReader& text, std::uint64_t seed, std::uint64_t limit_bytes)
    : reader_(text), random_(seed, Purpose::kTokenizerSample) {
  std::vector<Count> buckets(kBuckets);
  std::vector<std::uint32_t> lowest_bucket(utf8::kCodePoints, kBuckets);  // of the lines that hold the code point
  std::string cleaned;
  for (std::string_view line; reader_.next(line); ++all_.lines) {
    const std::uint32_t bucket = bucket_of(all_.lines);
    all_.bytes += line.size();
    buckets[bucket].bytes += line.size();
    ++buckets[bucket].lines;
    clean(line, cleaned);
    for (std::size_t offset = 0; offset < cleaned.size();) {
      std::uint32_t& lowest = lowest_bucket[utf8::next(cleaned, offset)];
      lowest = std::min(lowest, bucket);
    }
  }
  while (threshold_ < kBuckets && drawn_.bytes + buckets[threshold_].bytes <= limit_bytes) {
    drawn_.bytes += buckets[threshold_].bytes;
    drawn_.lines += buckets[threshold_].lines;
    ++threshold_;
  }
  lowest_bucket[U'\t'] = kBuckets;
  for (std::size_t character = 0; character < utf8::kCodePoints; ++character) {
    if (lowest_bucket[character] < threshold_) required_characters_.push_back(static_cast<char32_t>(character));
  }
  reader_.rewind();
}

std::uint32_t TrainingLines::bucket_of(std::uint64_t line) const {
  return random_.block(line, 0)[0] >> (32 - kBucketBits);
}

bool TrainingLines::next(std::string& line) {
  for (std::string_view candidate; reader_.next(candidate);) {
    if (bucket_of(line_++) >= threshold_) continue;
    clean(candidate, line);
    return true;
  }
  return false;
}

}  // namespace tinylm
