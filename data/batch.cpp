#include "data/batch.h"

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "core/numbers.h"
#include "core/philox.h"

namespace tinylm {
namespace {

/// Mapped pages count as resident memory until released; a page may come with its neighbours, so some thousand windows
/// are some hundred megabytes at most.
constexpr std::int64_t kWindowsHeld = 2048;

void release_pages_sometimes(const TokenRange& range, std::int64_t first, std::int64_t count) {
  if (first / kWindowsHeld != (first + count) / kWindowsHeld) range.file->release_pages();
}

}  // namespace

Batch shift_targets(const torch::Tensor& rows, std::int64_t first_sample) {
  const std::int64_t T = rows.size(1) - 1;
  Batch batch;
  // Copies: of one row, contiguous() would be a view, and a target marked as ignored would change the input after it.
  batch.inputs = rows.narrow(1, 0, T).clone(torch::MemoryFormat::Contiguous);   // [B, T]
  batch.targets = rows.narrow(1, 1, T).clone(torch::MemoryFormat::Contiguous);  // [B, T]
  batch.first_sample = first_sample;
  return batch;
}

BatchSource::BatchSource(TokenRange range, std::int64_t context, std::uint64_t seed)
    : range_(range), context_(context), seed_(seed) {
  if (range.count > context) return;
  throw BadInput(grouped(range.count) + " tokens found for training, at least context+1 = " + grouped(context + 1) +
                 " needed: give more text or lower --context");
}

std::int64_t BatchSource::place_of(std::int64_t sample) const {
  const auto places = static_cast<std::uint64_t>(range_.count - context_);
  const Philox random(seed_, Purpose::kWindow);
  return range_.first + static_cast<std::int64_t>(random.below(places, static_cast<std::uint64_t>(sample), 0));
}

Batch BatchSource::samples(std::int64_t first_sample, std::int64_t B) const {
  torch::Tensor rows = torch::empty({B, context_ + 1}, torch::kInt64);  // [B, T+1]
  auto* out = rows.data_ptr<std::int64_t>();
  for (std::int64_t b = 0; b < B; ++b, out += context_ + 1)
    range_.file->copy(place_of(first_sample + b), context_ + 1, out);
  release_pages_sometimes(range_, first_sample, B);
  return shift_targets(rows, first_sample);
}

void BatchSource::prepare(std::int64_t first_sample, std::int64_t B) const {
  for (std::int64_t b = 0; b < B; ++b) range_.file->will_need(place_of(first_sample + b), context_ + 1);
}

EvaluationWindows::EvaluationWindows(TokenRange range, std::int64_t context)
    : EvaluationWindows(range, context, context) {}

EvaluationWindows::EvaluationWindows(TokenRange range, std::int64_t context, std::int64_t stride)
    : range_(range), context_(context), stride_(stride) {}

std::int64_t EvaluationWindows::predicted_tokens() const {
  return std::max<std::int64_t>(range_.count - 1, 0);
}

std::int64_t EvaluationWindows::windows() const {
  if (predicted_tokens() == 0) return 0;
  const std::int64_t after_first = std::max<std::int64_t>(predicted_tokens() - context_, 0);
  return 1 + (after_first + stride_ - 1) / stride_;
}

Batch EvaluationWindows::batch(std::int64_t first, std::int64_t B) const {
  const std::int64_t count = std::min(B, windows() - first);
  torch::Tensor rows = torch::zeros({count, context_ + 1}, torch::kInt64);  // [B, T+1]; 0 fills a partial window
  auto* out = rows.data_ptr<std::int64_t>();
  for (std::int64_t b = 0; b < count; ++b, out += context_ + 1) {
    const std::int64_t begin = (first + b) * stride_;
    range_.file->copy(range_.first + begin, std::min(context_ + 1, range_.count - begin), out);
  }
  release_pages_sometimes(range_, first, count);
  Batch batch = shift_targets(rows, first);
  auto* target = batch.targets.data_ptr<std::int64_t>();
  for (std::int64_t window = first; window < first + count; ++window, target += context_) {
    const std::int64_t counted_before = window == 0 ? 0 : context_ - stride_;
    const std::int64_t there = std::min(context_, predicted_tokens() - window * stride_);
    std::fill_n(target, counted_before, kIgnoredTarget);
    std::fill(target + there, target + context_, kIgnoredTarget);
  }
  return batch;
}

}  // namespace tinylm
