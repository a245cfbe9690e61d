#include "model/ops/matmul.h"

#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "model/ops/matmul_primitives.h"

namespace tinylm::ops {
namespace {

dnnl::memory memory_of(const dnnl::memory::desc& description, const void* data) {
  return {description, cpu_engine(), const_cast<void*>(data)};
}

/// A buffer of this thread that only grows.
dnnl::memory scratchpad(const dnnl::memory::desc& description) {
  thread_local std::vector<dnnl::memory> kept;
  const std::size_t size = description.get_size();
  if (kept.empty() || kept[0].get_desc().get_size() < size) {
    kept.clear();
    kept.emplace_back(description, cpu_engine());
  }
  return {description, cpu_engine(), kept[0].get_data_handle()};
}

/// What a product over no terms gives: zero plus the scaled bias.
void fill_without_terms(const MatmulShape& shape, float* c, const float* bias) {
  for (std::int64_t o = 0; o < shape.outer; ++o)
    for (std::int64_t b = 0; b < shape.batch; ++b)
      for (std::int64_t i = 0; i < shape.m; ++i)
        for (std::int64_t j = 0; j < shape.n; ++j) {
          float& element = c[o * shape.c.outer_stride + b * shape.c.batch_stride + i * shape.c.row_stride + j];
          element = (shape.accumulate ? element : 0.0F) + (bias ? shape.scale * bias[j] : 0.0F);
        }
}

dnnl::stream& stream_of_thread() {
  thread_local dnnl::stream stream(cpu_engine());
  return stream;
}

/// Calls body(), whose errors of oneDNN become std::runtime_error.
template <class Body>
void explain_errors(const MatmulShape& shape, const Body& body) {
  try {
    body();
  } catch (const dnnl::error& error) {
    throw std::runtime_error("oneDNN could not compute a product of " + std::to_string(shape.m) + " x " +
                             std::to_string(shape.k) + " by " + std::to_string(shape.k) + " x " +
                             std::to_string(shape.n) + ": " + error.what());
  }
}

/// `a` and `b` are of the product's types.
void execute(const MatmulShape& shape, const Product& product, const void* a, const void* b, float* c,
             const float* bias) {
  std::unordered_map<int, dnnl::memory> operands = {{DNNL_ARG_SRC, memory_of(product.a, a)},
                                                    {DNNL_ARG_WEIGHTS, memory_of(product.b, b)},
                                                    {DNNL_ARG_DST, memory_of(product.c, c)}};
  if (shape.has_bias) operands.emplace(DNNL_ARG_BIAS, memory_of(product.bias, bias));
  if (product.scratchpad.get_size() > 0) operands.emplace(DNNL_ARG_SCRATCHPAD, scratchpad(product.scratchpad));
  product.primitive.execute(stream_of_thread(), operands);
  stream_of_thread().wait();
}

void find_and_execute(const MatmulShape& shape, MatmulInputs inputs, const void* a, const void* b, float* c,
                      const float* bias) {
  explain_errors(shape, [&] { execute(shape, *find_product(shape, inputs), a, b, c, bias); });
}

}  // namespace

void matmul_f32(const MatmulShape& shape, const float* a, const float* b, float* c, const float* bias) {
  if (shape.outer * shape.batch * shape.m * shape.n == 0) return;
  if (shape.k == 0) return fill_without_terms(shape, c, bias);
  find_and_execute(shape, MatmulInputs::kFloat32, a, b, c, bias);
}

void matmul_bf16(const MatmulShape& shape, const Bfloat16* a, const Bfloat16* b, float* c, const float* bias) {
  if (shape.outer * shape.batch * shape.m * shape.n == 0) return;
  if (shape.k == 0) return fill_without_terms(shape, c, bias);
  find_and_execute(shape, MatmulInputs::kBfloat16, a, b, c, bias);
}

namespace {

std::shared_ptr<const Product> find_packed(const MatmulShape& shape) {
  return find_product(shape, MatmulInputs::kBfloat16, /*packed=*/true);
}

}  // namespace

struct PackedMatrix::Numbers {
  dnnl::memory memory;
  bool is_for(const Product& product) const { return product.b == memory.get_desc(); }
};

PackedMatrix::PackedMatrix(const MatmulShape& shape, const Bfloat16* b) {
  if (shape.outer * shape.batch != 1) throw std::invalid_argument("only the B of a single product is packed");
  explain_errors(shape, [&] {
    const auto product = find_packed(shape);
    dnnl::memory plain = memory_of(product->plain_b, b), packed(product->b, cpu_engine());
    product->pack.execute(stream_of_thread(), plain, packed);
    stream_of_thread().wait();
    numbers_ = std::make_shared<const Numbers>(Numbers{packed});
  });
}

bool PackedMatrix::fits(const MatmulShape& shape) const {
  if (!numbers_ || shape.outer * shape.batch != 1) return false;
  bool same = false;
  explain_errors(shape, [&] { same = numbers_->is_for(*find_packed(shape)); });
  return same;
}

void matmul_bf16(const MatmulShape& shape, const Bfloat16* a, const PackedMatrix& b, float* c, const float* bias) {
  if (shape.m * shape.n == 0) return;
  if (shape.k == 0) return fill_without_terms(shape, c, bias);
  explain_errors(shape, [&] {
    const auto product = find_packed(shape);
    if (!b.numbers_ || !b.numbers_->is_for(*product))
      throw std::invalid_argument("B was packed for products of another kind");
    execute(shape, *product, a, b.numbers_->memory.get_data_handle(), c, bias);
  });
}

MatmulInstructions matmul_instructions() {
  const auto allowed = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto may_use = [allowed](dnnl::cpu_isa set) {
    const auto bits = static_cast<unsigned>(set);  // each set of instructions has the bits of those before it
    return (allowed & bits) == bits;
  };
  return {.avx512_bf16 = may_use(dnnl::cpu_isa::avx512_core_bf16), .amx_bf16 = may_use(dnnl::cpu_isa::avx512_core_amx)};
}

bool has_bf16_matmul() {
  constexpr std::int64_t kSize = 64;
  const MatrixView dense{.row_stride = kSize};
  const MatmulShape shape{.m = kSize, .n = kSize, .k = kSize, .a = dense, .b = dense, .c = dense};
  try {
    matmul_implementation(shape, MatmulInputs::kBfloat16);
    return true;
  } catch (const dnnl::error&) {
    return false;
  }
}

std::string matmul_implementation(const MatmulShape& shape, MatmulInputs inputs) {
  return find_product(shape, inputs)->implementation;
}

const char* matmul_engine_version() {
  static const std::string version = std::to_string(dnnl::version()->major) + "." +
                                     std::to_string(dnnl::version()->minor) + "." +
                                     std::to_string(dnnl::version()->patch);
  return version.c_str();
}

}  // namespace tinylm::ops
