#include "model/ops/kernels/panels.h"

#include <algorithm>

#include "core/vectorised.h"

namespace tinylm::ops {
namespace {

constexpr int kRowsToFetchAhead = 3;

void write(const Lanes& sum, const Panels& panels, std::int64_t panel, const PanelRows& io, std::int64_t row) {
  const std::int64_t column = panel * kLanes, count = std::min(kLanes, panels.outputs - column);
  float* y = io.y + row * io.y_stride + column;
  Lanes result = sum, other;
  if (panels.bias != nullptr) {
    load(panels.bias + column, other);
    result += other;
  }
  if (count == kLanes) {
    if (io.add) {
      load(y, other);
      result += other;
    }
    store(result, y);
  } else {
    if (io.add) {
      load_some(y, other, count);
      result += other;
    }
    store_some(result, y, count);
  }
}

/// write() for all sums of a tile, which stay in registers where every output exists.
template <int kPanels, int kRows>
void write_all(const Lanes (&sums)[kRows][kPanels], const Panels& panels, std::int64_t panel, const PanelRows& io,
               std::int64_t row) {
  const bool whole = (panel + kPanels) * kLanes <= panels.outputs;
  if (!whole || panels.bias != nullptr) {
    for (int r = 0; r < kRows; ++r)
      for (int p = 0; p < kPanels; ++p) write(sums[r][p], panels, panel + p, io, row + r);
    return;
  }
  float* y = io.y + row * io.y_stride + panel * kLanes;
  const bool add = io.add;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      Lanes result = sums[r][p], before;
      if (add) {
        load(y + r * io.y_stride + p * kLanes, before);
        result += before;
      }
      store(result, y + r * io.y_stride + p * kLanes);
    }
  }
}

/// kPanels panels of outputs for kRows rows, summed in registers. Meanwhile fetches the weights from `ahead` on into
/// the second cache; few rows leave no time for that.
template <int kPanels, int kRows>
void tile(const Panels& panels, std::int64_t panel, const PanelRows& io, std::int64_t row, const float* ahead) {
  const std::int64_t K = panels.inputs;
  const float *w = panels.values + panel * K * kLanes, *x = io.x + row * io.x_stride;
  Lanes sums[kRows][kPanels];
  for (int r = 0; r < kRows; ++r)
    for (int p = 0; p < kPanels; ++p) sums[r][p] = Lanes{};
  for (std::int64_t k = 0; k < K; ++k) {
    if constexpr (kRows >= kRowsToFetchAhead) __builtin_prefetch(ahead + k * kLanes, 0, 2);
    Lanes weights[kPanels];
    for (int p = 0; p < kPanels; ++p) load(w + (p * K + k) * kLanes, weights[p]);
    for (int r = 0; r < kRows; ++r)
      for (int p = 0; p < kPanels; ++p) sums[r][p] += x[r * io.x_stride + k] * weights[p];
  }
  write_all(sums, panels, panel, io, row);
}

/// As tile(), for `rows` rows of at most kMostRows.
template <int kPanels, int kMostRows>
void tile_of(std::int64_t rows, const Panels& panels, std::int64_t panel, const PanelRows& io, std::int64_t row,
             const float* ahead) {
  if (rows == kMostRows) return tile<kPanels, kMostRows>(panels, panel, io, row, ahead);
  if constexpr (kMostRows > 1) tile_of<kPanels, kMostRows - 1>(rows, panels, panel, io, row, ahead);
}

/// Panels [first, last), kPanels at a time while there are as many, rows in tiles of nearly equal height.
template <int kPanels, int kMostRows>
void walk(Panels panels, std::int64_t first, std::int64_t last, PanelRows io) {
  const std::int64_t tiles = (io.rows + kMostRows - 1) / kMostRows, size = kPanels * panels.inputs * kLanes;
  for (; first + kPanels <= last; first += kPanels) {
    const bool more = first + kPanels < last || io.next == nullptr;
    const float* following = more ? panels.values + (first + kPanels) * panels.inputs * kLanes : io.next;
    for (std::int64_t i = 0; i < tiles; ++i) {
      const std::int64_t row = io.rows * i / tiles, end = io.rows * (i + 1) / tiles;
      tile_of<kPanels, kMostRows>(end - row, panels, first, io, row, following + size * i / tiles);
    }
  }
  if constexpr (kPanels > 1) walk<kPanels / 2, kMostRows>(panels, first, last, io);
}

}  // namespace

void pack_panel(const float* weight, std::int64_t inputs, std::int64_t outputs, float* values) {
  for (std::int64_t k = 0; k < inputs; ++k)
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      values[k * kLanes + lane] = lane < outputs ? weight[lane * inputs + k] : 0.0F;
}

void multiply_panels(const Panels& panels, std::int64_t first, std::int64_t last, const PanelRows& rows) {
  // As many sums as fit in the registers: 32 of AVX-512, 16 half as wide of AVX2.
  if (rows.rows == 1) return vectorised<walk<4, 1>>(panels, first, last, rows);
  if (rows.rows <= 3) return vectorised<walk<2, 3>, walk<4, 6>>(panels, first, last, rows);
  vectorised<walk<1, 6>, walk<4, 6>>(panels, first, last, rows);
}

}  // namespace tinylm::ops
