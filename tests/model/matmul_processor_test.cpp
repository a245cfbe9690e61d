#include "model/ops/matmul_processor.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "model/ops/matmul.h"

namespace tinylm::ops {
namespace {

TEST(MatmulProcessor, IsThisProcessorWithoutWhatOneDnnMayNotUse) {
  const Processor all = read_processor(), usable = matmul_processor();
  for (const std::string& feature : usable.features) EXPECT_TRUE(all.has(feature)) << feature;
  for (const std::string& feature : all.features)
    EXPECT_TRUE(usable.has(feature) || feature == "avx512_bf16" || feature == "amx_bf16") << feature;
  EXPECT_EQ(usable.name, all.name);
  EXPECT_EQ(usable.vendor, all.vendor);
}

// What the program chooses by itself it must be able to do; CTest runs this also with ONEDNN_MAX_CPU_ISA=AVX2.
TEST(MatmulProcessor, FavoursBfloat16OnlyWhereThereAreProducts) {
  if (matmul_processor().favours_bfloat16()) {
    EXPECT_TRUE(has_bf16_matmul());
  }
  const char* limit = std::getenv("ONEDNN_MAX_CPU_ISA");
  if (limit == nullptr || std::string_view(limit) != "AVX2") return;
  EXPECT_FALSE(matmul_instructions().avx512_bf16);
  EXPECT_FALSE(matmul_instructions().amx_bf16);
  EXPECT_FALSE(matmul_processor().favours_bfloat16());
}

}  // namespace
}  // namespace tinylm::ops
