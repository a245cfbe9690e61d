// The primitives of oneDNN that the product engine runs: made once a shape, and kept. Includes oneDNN's header, so only
// the files of the engine include this one (matmul.h).
#pragma once

#include <memory>
#include <string>

#include <oneapi/dnnl/dnnl.hpp>

#include "model/ops/matmul.h"

namespace tinylm::ops {

/// A oneDNN primitive with the descriptions of its operands, and, where B is packed, what packs it.
struct Product {
  dnnl::matmul primitive;
  dnnl::memory::desc a, b, c, bias, scratchpad;
  std::string implementation;
  dnnl::memory::desc plain_b = {};  // of a packed B: what pack makes it from
  dnnl::reorder pack = {};
};

/// oneDNN on this processor.
const dnnl::engine& cpu_engine();

/// The product of a shape, made at the first call with it; `packed`: its B is in the layout of oneDNN's choice. Throws
/// std::invalid_argument for strides that are not allowed, dnnl::error. May be called from several threads.
std::shared_ptr<const Product> find_product(const MatmulShape& shape, MatmulInputs inputs, bool packed = false);

}  // namespace tinylm::ops
