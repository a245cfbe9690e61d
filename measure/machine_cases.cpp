// The section "machine" of the suite: the limits that everything else is measured against.
#include <memory>

#include "core/stop_watch.h"
#include "measure/reading.h"
#include "measure/square_product.h"
#include "measure/suite.h"

namespace tinylm {
namespace {

constexpr std::int64_t kProductSize = 1024;
constexpr std::uint64_t kBigBytes = 512'000'000;  // more than any cache keeps of a walk
constexpr std::uint64_t kCachedBytes = 1'000'000;
constexpr double kRoundSeconds = 0.02;

void add_product(Suite& suite, const std::string& name, ops::MatmulInputs inputs) {
  const auto prepare = [inputs] {
    const auto product = std::make_shared<SquareProduct>(kProductSize, inputs);
    return [product] { return fastest_s(kRoundSeconds, [&] { return product->run_s(); }); };
  };
  suite.cases.push_back({name, prepare, /*kept_bytes=*/3 * 4 * kProductSize * kProductSize});
  suite.results.push_back({"machine", name, "GFLOP/s", name, 2e-9 * kProductSize * kProductSize * kProductSize, true});
}

void add_reading(Suite& suite, const std::string& name, std::uint64_t bytes) {
  const auto prepare = [bytes] {
    const auto reading = std::make_shared<Reading>(bytes);
    return [reading] { return fastest_s(kRoundSeconds, [&] { return reading->run_s(); }); };
  };
  suite.cases.push_back({name, prepare, bytes});
  suite.results.push_back({"machine", name, "GB/s", name, 1e-9 * static_cast<double>(bytes), true});
}

}  // namespace

void add_machine(Suite& suite) {
  add_product(suite, "products_fp32", ops::MatmulInputs::kFloat32);
  if (ops::has_bf16_matmul()) {
    add_product(suite, "products_bf16", ops::MatmulInputs::kBfloat16);
    suite.ratios.push_back({"machine", "products_bf16_over_fp32", "products_fp32", "products_bf16",
                            "rate of bfloat16 products over that of float32 ones"});
  }
  add_reading(suite, "reading_memory", kBigBytes);
  add_reading(suite, "reading_cache", kCachedBytes);
}

}  // namespace tinylm
