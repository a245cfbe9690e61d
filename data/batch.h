// Samples for training and windows for evaluation. The shift of targets against inputs happens here and nowhere else.
#pragma once

#include <cstdint>
#include <vector>

#include "core/torch.h"
#include "data/token_file.h"

namespace tinylm {

/// B rows of T tokens and, for each, the token that follows it.
struct Batch {
  torch::Tensor inputs;  // [B, T] int64
  torch::Tensor
      targets;  // [B, T] int64; targets[b, t] is the token after inputs[b, t]; kIgnoredTarget where there is none
  std::int64_t first_sample = 0;  // number of the training sample in row 0; row b is sample first_sample + b
};

/// Marks places of a partial window that no loss is taken of (torch's cross-entropy default).
inline constexpr std::int64_t kIgnoredTarget = -100;

/// inputs = ids[0..n-2], targets = ids[1..n-1] of each row of T+1 ids: [START, red, fox, END] -> [START, red, fox] and
/// [red, fox, END]. `rows`: [B, T+1] int64.
Batch shift_targets(const torch::Tensor& rows, std::int64_t first_sample = 0);

/// Sample n is a window of context+1 ids whose place is Philox(seed, kWindow, n): a pure function of (seed, n).
class BatchSource {
 public:
  /// Throws BadInput when the range holds fewer than context+1 tokens: how many were found, how many are needed, which
  /// flag to lower.
  BatchSource(TokenRange range, std::int64_t context, std::uint64_t seed);
  /// Samples first_sample .. first_sample + B - 1.
  Batch samples(std::int64_t first_sample, std::int64_t B) const;
  /// Has the system read these samples from the disk while the caller computes. Drawing them then takes microseconds.
  void prepare(std::int64_t first_sample, std::int64_t B) const;

 private:
  std::int64_t place_of(std::int64_t sample) const;  // of its first token, in the file

  TokenRange range_;
  std::int64_t context_;
  std::uint64_t seed_;
};

/// A text in windows of `context` tokens, window w beginning `stride` tokens after the one before, of which each counts
/// what those before it did not: all targets of the first, the last `stride` of each later one. So every token is
/// predicted once, in order (the first of all has no past and is not), and after the first window from at least
/// context - stride + 1 tokens. Other targets, and the rest of a partial last window, are kIgnoredTarget. Same text,
/// same windows, same number.
class EvaluationWindows {
 public:
  /// Side by side: the stride is the context.
  EvaluationWindows(TokenRange range, std::int64_t context);
  /// `stride`: 1 to context.
  EvaluationWindows(TokenRange range, std::int64_t context, std::int64_t stride);
  /// Number of predicted tokens: range.count - 1, or 0 when the range has fewer than 2 tokens.
  std::int64_t predicted_tokens() const;
  std::int64_t windows() const;
  /// Windows first .. first + B - 1 (fewer at the end).
  Batch batch(std::int64_t first, std::int64_t B) const;

 private:
  TokenRange range_;
  std::int64_t context_;
  std::int64_t stride_;
};

}  // namespace tinylm
