#include "core/big_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tinylm {
namespace {

TEST(BigBuffer, IsAlignedAndHoldsWhatIsWritten) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{2'000'000}}) {
    BigBuffer buffer(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
    for (std::size_t i = 0; i < size; ++i) buffer.data()[i] = static_cast<float>(i % 1000);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(buffer.data()[i], static_cast<float>(i % 1000));
  }
}

TEST(BigBuffer, IsEmptyByDefaultAndMoves) {
  BigBuffer empty, full(8);
  EXPECT_EQ(empty.data(), nullptr);
  float* const memory = full.data();
  empty = std::move(full);
  EXPECT_EQ(empty.data(), memory);
}

}  // namespace
}  // namespace tinylm
