#include "inspect/head_selection.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <set>

#include <spdlog/fmt/fmt.h>

#include "core/errors.h"

namespace tinylm {
namespace {

/// Reads a whole number from 0 at `at`, moving past it; -1 where there is none.
std::int64_t read_number(const char*& at, const char* end) {
  std::int64_t number = -1;
  const auto [next, error] = std::from_chars(at, end, number);
  if (error != std::errc() || number < 0) return -1;
  at = next;
  return number;
}

/// Moves past `letter` (of either case) where it stands at `at`.
bool skip(const char*& at, const char* end, char letter) {
  if (at == end || std::toupper(static_cast<unsigned char>(*at)) != letter) return false;
  ++at;
  return true;
}

std::vector<std::int64_t> counted(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

HeadPlace parse_head(const std::string& text, const std::string& flag) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool lettered = skip(at, end, 'L');
  const std::int64_t layer = read_number(at, end);
  const bool parted = skip(at, end, lettered ? 'H' : '.');
  const std::int64_t head = parted ? read_number(at, end) : -1;
  if (layer >= 0 && head >= 0 && at == end) return {layer, head};
  throw WrongUse(flag + " takes a layer and a head, counted from 0, such as 0.2 or L0H2; found \"" + text + "\"");
}

std::vector<std::int64_t> parse_numbers(const std::string& text, std::int64_t count, const std::string& flag) {
  std::set<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool right = true;
  do {
    const std::int64_t first = read_number(at, end);
    const std::int64_t last = skip(at, end, '-') ? read_number(at, end) : first;
    right = first >= 0 && last >= first;
    if (right && last >= count)
      throw WrongUse(fmt::format("{} names {}, expected numbers from 0 to {}", flag, last, count - 1));
    for (std::int64_t number = first; right && number <= last; ++number) numbers.insert(number);
  } while (right && skip(at, end, ','));
  if (right && at == end) return {numbers.begin(), numbers.end()};
  throw WrongUse(flag + " takes numbers and ranges, counted from 0, such as 0,2-3; found \"" + text + "\"");
}

HeadSelection HeadSelection::all(const ModelConfig& config) {
  return {counted(config.layers), counted(config.heads)};
}

bool HeadSelection::holds(const HeadPlace& place) const {
  return std::binary_search(layers.begin(), layers.end(), place.layer) &&
         std::binary_search(heads.begin(), heads.end(), place.head);
}

torch::Tensor HeadSelection::of(const torch::Tensor& values) const {
  const bool every = static_cast<std::int64_t>(layers.size()) == values.size(0) &&
                     static_cast<std::int64_t>(heads.size()) == values.size(1);
  if (every) return values;
  return values.index_select(0, torch::tensor(layers)).index_select(1, torch::tensor(heads));
}

}  // namespace tinylm
