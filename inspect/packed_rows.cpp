#include "inspect/packed_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/parallel.h"

namespace tinylm {
namespace {

/// Packs rows, keeping its memory from one to the next.
class RowPacker {
 public:
  /// Writes 2 n bytes to `bytes`.
  void pack(const double* weights, std::size_t n, char* bytes) {
    const double sum = std::accumulate(weights, weights + n, 0.0);
    if (!std::isfinite(sum) || sum <= 0.0) {
      std::fill(bytes, bytes + 2 * n, '\0');
      return;
    }
    numbers_.resize(n);
    remainders_.resize(n);
    std::int64_t left = kPackedOne;
    for (std::size_t k = 0; k < n; ++k) {
      const double exact = weights[k] * static_cast<double>(kPackedOne) / sum;
      numbers_[k] = static_cast<std::int64_t>(exact);
      remainders_[k] = {static_cast<double>(numbers_[k]) - exact,
                        k};  // the largest remainder is the least, then the first
      left -= numbers_[k];
    }
    hand_out(left);
    for (std::size_t k = 0; k < n; ++k) {
      bytes[2 * k] = static_cast<char>(numbers_[k] & 0xFF);
      bytes[2 * k + 1] = static_cast<char>(numbers_[k] >> 8);
    }
  }

 private:
  /// One each to the `left` numbers with the largest remainders.
  void hand_out(std::int64_t left) {
    const auto count =
        static_cast<std::size_t>(std::clamp<std::int64_t>(left, 0, static_cast<std::int64_t>(numbers_.size())));
    if (count < remainders_.size())
      std::nth_element(remainders_.begin(), remainders_.begin() + static_cast<std::ptrdiff_t>(count),
                       remainders_.end());
    for (std::size_t i = 0; i < count; ++i) ++numbers_[remainders_[i].second];
  }

  std::vector<std::int64_t> numbers_;
  std::vector<std::pair<double, std::size_t>> remainders_;
};

}  // namespace

std::int64_t packed_bytes(std::int64_t maps, std::int64_t T, bool triangle) {
  return 2 * maps * (triangle ? T * (T + 1) / 2 : T * T);
}

std::string packed_rows(const torch::Tensor& weights, bool triangle) {
  const std::int64_t T = weights.size(-1), maps = weights.numel() / (T * T), map_bytes = packed_bytes(1, T, triangle);
  const torch::Tensor dense = weights.contiguous();
  std::string bytes(static_cast<std::size_t>(maps * map_bytes), '\0');
  parallel_for(0, maps, 1, [&](std::int64_t first, std::int64_t last) {
    RowPacker packer;
    for (std::int64_t map = first; map < last; ++map) {
      const torch::Tensor rows = dense.view({maps, T, T})[map].to(torch::kFloat64);
      char* to = bytes.data() + map * map_bytes;
      for (std::int64_t q = 0; q < T; ++q) {
        const auto n = static_cast<std::size_t>(triangle ? q + 1 : T);
        packer.pack(rows.data_ptr<double>() + q * T, n, to);
        to += 2 * n;
      }
    }
  });
  return bytes;
}

}  // namespace tinylm
