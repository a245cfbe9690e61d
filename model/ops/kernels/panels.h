// Products of few rows with a weight matrix, as generation needs them: a walk over the weights, in which each output is
// summed in the order of the inputs whatever the number of rows and threads.
#pragma once

#include <cstdint>

#include "model/ops/kernels/lanes.h"

namespace tinylm::ops {

/// A matrix W [outputs, inputs] laid out for that walk: panels of kLanes outputs, values [panels, inputs, kLanes], zero
/// where there is no such output; bias [panels * kLanes] or null.
struct Panels {
  const float* values = nullptr;
  const float* bias = nullptr;
  std::int64_t inputs = 0, outputs = 0;

  std::int64_t count() const { return whole_lanes(outputs) / kLanes; }
};

/// Writes one panel, values [inputs, kLanes], from `outputs` (at most kLanes) rows of a matrix with `inputs` columns.
void pack_panel(const float* weight, std::int64_t inputs, std::int64_t outputs, float* values);

/// x [rows, inputs] and y [rows, outputs]; strides from row to row, in elements.
struct PanelRows {
  std::int64_t rows = 0;
  const float* x = nullptr;
  std::int64_t x_stride = 0;
  float* y = nullptr;
  std::int64_t y_stride = 0;
  bool add = false;             // y += x W^T + bias instead of y = x W^T + bias
  const float* next = nullptr;  // weights that the thread walks over next, fetched from slow memory meanwhile; or null
};

/// The outputs of panels [first, last); float32, in the calling thread.
void multiply_panels(const Panels& panels, std::int64_t first, std::int64_t last, const PanelRows& rows);

}  // namespace tinylm::ops
