#include "data/clean_reader.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/utf8.h"

namespace tinylm {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

CleanReader::CleanReader(std::vector<std::filesystem::path> files, const TextOptions& options, bool any_bytes,
                         std::size_t chunk_bytes)
    : files_(std::move(files)),
      keep_crlf_(options.keep_crlf),
      replace_bad_utf8_(options.bad_utf8 == "replace"),
      any_bytes_(any_bytes),
      chunk_bytes_(chunk_bytes) {
  for (const auto& file : files_) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error) throw FileError(file.string() + ": cannot be read: " + error.message());
    total_bytes_ += size;
  }
}

bool CleanReader::next(std::string& text, bool& file_ends) {
  text.clear();
  if (!in_file_ && !open_next_file()) {
    tell_notes();
    return false;
  }
  for (;;) {
    file_ends = read_chunk();
    if (!strip_byte_order_mark(file_ends)) continue;
    const std::size_t usable = usable_bytes(file_ends);
    if (usable == 0 && !file_ends) continue;
    append_normalised(any_bytes_ ? held_.substr(0, usable) : checked(std::string_view(held_).substr(0, usable)), text);
    held_.erase(0, usable);
    held_offset_ += usable;
    in_file_ = !file_ends;
    return true;
  }
}

void CleanReader::rewind() {
  stream_.close();
  opened_ = 0;
  in_file_ = false;
  bytes_read_ = 0;
  notes_ = {};
}

bool CleanReader::open_next_file() {
  if (opened_ == files_.size()) return false;
  current_ = opened_++;
  stream_ = std::ifstream(files_[current_], std::ios::binary);
  if (!stream_) {
    throw FileError(files_[current_].string() + ": cannot be opened: " + std::generic_category().message(errno));
  }
  in_file_ = true;
  held_.clear();
  held_offset_ = 0;
  return true;
}

/// Appends a chunk to held_; true when the file has no more.
bool CleanReader::read_chunk() {
  const std::size_t before = held_.size();
  held_.resize(before + chunk_bytes_);
  stream_.read(held_.data() + before, static_cast<std::streamsize>(chunk_bytes_));
  held_.resize(before + static_cast<std::size_t>(stream_.gcount()));
  bytes_read_ += static_cast<std::uint64_t>(stream_.gcount());
  const bool ends = stream_.eof() || stream_.peek() == std::ifstream::traits_type::eof();
  if (stream_.bad()) {
    throw FileError(files_[current_].string() + ": cannot be read: " + std::generic_category().message(errno));
  }
  return ends;
}

/// False while too little of the file is known to tell.
bool CleanReader::strip_byte_order_mark(bool file_ends) {
  if (held_offset_ != 0) return true;
  if (held_.size() < kByteOrderMark.size() && !file_ends) return false;
  if (held_.starts_with(kByteOrderMark)) {
    held_.erase(0, kByteOrderMark.size());
    held_offset_ = kByteOrderMark.size();
    ++notes_.byte_order_marks;
  }
  return true;
}

/// How much of held_ can be given without cutting a code point, or CR from a LF that may follow.
std::size_t CleanReader::usable_bytes(bool file_ends) const {
  if (file_ends) return held_.size();
  std::size_t usable = any_bytes_ ? held_.size() : utf8::complete_prefix(held_);
  if (usable > 0 && held_[usable - 1] == '\r') --usable;
  return usable;
}

std::string CleanReader::checked(std::string_view bytes) {
  const auto nul_bytes = static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\0'));
  if (nul_bytes > 0 && notes_.nul_bytes == 0) notes_.first_nul = place(bytes.find('\0'));
  notes_.nul_bytes += nul_bytes;
  const auto bad = utf8::find_invalid(bytes);
  if (!bad) return std::string(bytes);
  if (!replace_bad_utf8_) throw BadInput(bad_utf8_message(*bad));
  if (notes_.replaced_bytes == 0) notes_.first_replaced = place(*bad);
  std::string replaced = utf8::with_replacements(bytes);
  notes_.replaced_bytes += (replaced.size() - bytes.size()) / 2;  // U+FFFD takes three bytes for one
  return replaced;
}

void CleanReader::append_normalised(std::string_view bytes, std::string& text) {
  if (keep_crlf_) {
    text.append(bytes);
    return;
  }
  for (std::size_t at = bytes.find("\r\n"); at != std::string_view::npos; at = bytes.find("\r\n")) {
    text.append(bytes.substr(0, at));
    bytes.remove_prefix(at + 1);
    ++notes_.crlf;
  }
  text.append(bytes);
}

std::string CleanReader::place(std::size_t offset_in_held) const {
  return files_[current_].string() + " at byte " + std::to_string(held_offset_ + offset_in_held);
}

std::string CleanReader::bad_utf8_message(std::size_t offset_in_held) const {
  const auto byte = static_cast<unsigned char>(held_[offset_in_held]);
  std::string message = place(offset_in_held) + ": the byte 0x" + "0123456789ABCDEF"[byte >> 4] +
                        "0123456789ABCDEF"[byte & 15] + " is no UTF-8, which text has to be";
  const bool utf32_mark = held_offset_ == 0 && (held_.starts_with(std::string_view("\xFF\xFE\0\0", 4)) ||
                                                held_.starts_with(std::string_view("\0\0\xFE\xFF", 4)));
  const bool utf16_mark = held_offset_ == 0 && (held_.starts_with("\xFF\xFE") || held_.starts_with("\xFE\xFF"));
  if (utf32_mark) {
    message += ". The file begins with the mark of UTF-32: convert it with iconv -f UTF-32 -t UTF-8";
  } else if (utf16_mark) {
    message += ". The file begins with the mark of UTF-16: convert it with iconv -f UTF-16 -t UTF-8";
  } else if (notes_.nul_bytes > 0 || held_.find('\0') != std::string::npos) {
    message +=
        ". The file holds NUL bytes, so it may be UTF-16 (convert it with iconv -f UTF-16 -t UTF-8) or no text at all";
  }
  return message +
         ". To put U+FFFD in place of such bytes use --bad-utf8 replace; to learn bytes as they are, --tokenizer byte";
}

void CleanReader::tell_notes() {
  if (told_) return;
  told_ = true;
  const auto count = [](std::uint64_t n) { return grouped(static_cast<std::int64_t>(n)); };
  if (notes_.byte_order_marks > 0) spdlog::info("left out {} byte-order mark(s)", count(notes_.byte_order_marks));
  if (notes_.crlf > 0)
    spdlog::info("{} Windows line ends (CR LF) were read as LF; --keep-crlf keeps them", count(notes_.crlf));
  if (notes_.replaced_bytes > 0) {
    spdlog::warn("replaced {} byte(s) that are no UTF-8 by U+FFFD, the first: {}", count(notes_.replaced_bytes),
                 notes_.first_replaced);
  }
  if (notes_.nul_bytes > 0) {
    spdlog::warn("the text holds {} NUL byte(s), the first: {}; is it UTF-16, or no text?", count(notes_.nul_bytes),
                 notes_.first_nul);
  }
}

}  // namespace tinylm
