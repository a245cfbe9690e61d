#include "model/ops/matmul_primitives.h"

#include <omp.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace tinylm::ops {
namespace {

/// What a primitive is made for. oneDNN divides the work when it makes one, so the number of threads counts too.
struct Key {
  MatmulShape shape;
  MatmulInputs inputs;
  bool packed;  // B in the layout of oneDNN's choice
  int threads;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = static_cast<std::uint64_t>(key.threads);
    const auto mix = [&hash](std::int64_t value) {
      hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29;
    };
    const MatmulShape& shape = key.shape;
    for (const std::int64_t value : {shape.outer, shape.batch, shape.m, shape.n, shape.k}) mix(value);
    for (const MatrixView* view : {&shape.a, &shape.b, &shape.c})
      for (const std::int64_t value : {view->outer_stride, view->batch_stride, view->row_stride, view->column_stride})
        mix(value);
    mix(shape.has_bias + 2 * shape.accumulate + 4 * static_cast<int>(key.inputs) + 8 * key.packed);
    return hash;
  }
};

/// Strides of dimensions of size 1 never move a pointer; dense values there let oneDNN recognise more layouts.
MatrixView normalised(MatrixView view, const MatmulShape& shape, std::int64_t rows, std::int64_t columns) {
  if (columns == 1) view.column_stride = 1;
  if (rows == 1) view.row_stride = view.column_stride == 1 ? columns : 1;
  const std::int64_t matrix = std::max(rows * view.row_stride, columns * view.column_stride);
  if (shape.batch == 1) view.batch_stride = matrix;
  if (shape.outer == 1) view.outer_stride = shape.batch * view.batch_stride;
  return view;
}

void check(const MatrixView& view, const char* name) {
  if (view.row_stride != 1 && view.column_stride != 1)
    throw std::invalid_argument(std::string("matrix ") + name + " of a product needs a row or column stride of 1");
}

/// The same product in a form that is equal for all ways to write it: strides that cannot matter are made dense, and
/// two batch dimensions that can be walked as one become one.
MatmulShape canonical(MatmulShape shape) {
  shape.a = normalised(shape.a, shape, shape.m, shape.k);
  shape.b = normalised(shape.b, shape, shape.k, shape.n);
  shape.c = normalised(shape.c, shape, shape.m, shape.n);
  const auto joins = [&](const MatrixView& view) { return view.outer_stride == shape.batch * view.batch_stride; };
  if (shape.outer > 1 && joins(shape.a) && joins(shape.b) && joins(shape.c)) {
    shape.batch *= shape.outer;
    shape.outer = 1;
    for (MatrixView* view : {&shape.a, &shape.b, &shape.c}) view->outer_stride = shape.batch * view->batch_stride;
  }
  check(shape.a, "A");
  check(shape.b, "B");
  if (shape.c.column_stride != 1) throw std::invalid_argument("matrix C of a product needs a column stride of 1");
  return shape;
}

dnnl::memory::desc describe(const MatmulShape& shape, const MatrixView& view, std::int64_t rows, std::int64_t columns,
                            MatmulInputs type) {
  dnnl::memory::dims sizes = {rows, columns}, strides = {view.row_stride, view.column_stride};
  if (shape.outer * shape.batch > 1) {
    sizes.insert(sizes.begin(), shape.batch);
    strides.insert(strides.begin(), view.batch_stride);
  }
  if (shape.outer > 1) {
    sizes.insert(sizes.begin(), shape.outer);
    strides.insert(strides.begin(), view.outer_stride);
  }
  const bool bfloat16 = type == MatmulInputs::kBfloat16;
  return {sizes, bfloat16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32, strides};
}

dnnl::memory::desc describe_bias(const MatmulShape& shape) {
  if (!shape.has_bias) return {};
  dnnl::memory::dims sizes = {1, shape.n}, strides = {shape.n, 1};
  if (shape.outer * shape.batch > 1) {
    sizes.insert(sizes.begin(), 1);
    strides.insert(strides.begin(), shape.n);
  }
  if (shape.outer > 1) {
    sizes.insert(sizes.begin(), 1);
    strides.insert(strides.begin(), shape.n);
  }
  return {sizes, dnnl::memory::data_type::f32, strides};
}

dnnl::primitive_attr attributes(const MatmulShape& shape) {
  dnnl::primitive_attr attribute;
  attribute.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops after;
  if (shape.scale != 1.0F) {
#if DNNL_VERSION_MAJOR >= 3
    after.append_eltwise(dnnl::algorithm::eltwise_linear, shape.scale, 0.0F);
#else
    after.append_eltwise(1.0F, dnnl::algorithm::eltwise_linear, shape.scale, 0.0F);
#endif
  }
  if (shape.accumulate) after.append_sum();
  attribute.set_post_ops(after);
  return attribute;
}

dnnl::memory::desc in_any_layout(const dnnl::memory::desc& matrix) {
#if DNNL_VERSION_MAJOR >= 3
  return {matrix.get_dims(), matrix.get_data_type(), dnnl::memory::format_tag::any};
#else
  return {matrix.dims(), matrix.data_type(), dnnl::memory::format_tag::any};
#endif
}

std::shared_ptr<const Product> make_product(const Key& key) {
  const MatmulShape& shape = key.shape;
  const MatmulInputs inputs = key.inputs;
  const dnnl::memory::desc a = describe(shape, shape.a, shape.m, shape.k, inputs),
                           b = describe(shape, shape.b, shape.k, shape.n, inputs),
                           c = describe(shape, shape.c, shape.m, shape.n, MatmulInputs::kFloat32),
                           bias = describe_bias(shape), read_b = key.packed ? in_any_layout(b) : b;
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc description(cpu_engine(), a, read_b, bias, c, attributes(shape));
#else
  const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, read_b, bias, c), attributes(shape),
                                                 cpu_engine());
#endif
  Product product{dnnl::matmul(description),  a, description.weights_desc(), c, bias, description.scratchpad_desc(),
                  description.impl_info_str()};
  if (key.packed) {
    product.plain_b = b;
    product.pack = dnnl::reorder({cpu_engine(), b, cpu_engine(), product.b});
  }
  return std::make_shared<const Product>(std::move(product));
}

}  // namespace

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// Products by shape, shared by all threads. Emptied when it has grown large: prompts of ever new lengths must not fill
/// memory.
std::shared_ptr<const Product> find_product(const MatmulShape& shape, MatmulInputs inputs, bool packed) {
  constexpr std::size_t kMostProducts = 2048;
  static std::shared_mutex mutex;
  static std::unordered_map<Key, std::shared_ptr<const Product>, KeyHash> products;
  const Key key{canonical(shape), inputs, packed, omp_get_max_threads()};
  {
    const std::shared_lock lock(mutex);
    const auto found = products.find(key);
    if (found != products.end()) return found->second;
  }
  auto made = make_product(key);
  const std::unique_lock lock(mutex);
  if (products.size() >= kMostProducts) products.clear();
  return products.emplace(key, std::move(made)).first->second;
}

}  // namespace tinylm::ops
