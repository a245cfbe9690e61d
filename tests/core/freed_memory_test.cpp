#include "core/freed_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>

namespace tinylm {
namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20, kPage = 4096;

/// Pages that the system had to provide while a buffer was made, filled and freed.
long faults_of_a_buffer() {
  const auto faults = [] {
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  const long before = faults();
  void* volatile buffer = std::malloc(kBytes);  // volatile: else the compiler leaves the pair out
  std::memset(buffer, 1, kBytes);
  std::free(buffer);
  return faults() - before;
}

TEST(FreedMemory, ServesTheNextBuffer) {
  keep_freed_memory();
  faults_of_a_buffer();
  EXPECT_LT(faults_of_a_buffer(), static_cast<long>(kBytes / kPage / 8));
}

}  // namespace
}  // namespace tinylm
