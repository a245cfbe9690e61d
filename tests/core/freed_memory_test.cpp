#include "core/freed_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>

namespace tinylm {
namespace {

constexpr std::size_t kPage = 4096;

/// Pages that the system had to provide while a buffer was made, filled and freed.
long faults_of_a_buffer(std::size_t bytes) {
  const auto faults = [] {
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  const long before = faults();
  void* volatile buffer = std::malloc(bytes);  // volatile: else the compiler leaves the pair out
  std::memset(buffer, 1, bytes);
  std::free(buffer);
  return faults() - before;
}

TEST(FreedMemory, ServesTheNextBuffer) {
  keep_freed_memory();
  for (const std::size_t bytes : {std::size_t{16} << 20, std::size_t{100} << 20}) {
    faults_of_a_buffer(bytes);
    EXPECT_LT(faults_of_a_buffer(bytes), static_cast<long>(bytes / kPage / 8)) << bytes;
  }
}

}  // namespace
}  // namespace tinylm
