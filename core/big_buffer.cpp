#include "core/big_buffer.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <new>

namespace tinylm {
namespace {

constexpr std::size_t kLine = 64, kHugePage = std::size_t{1} << 21;

}  // namespace

BigBuffer::BigBuffer(std::size_t size) {
  const std::size_t wanted = size * sizeof(float), unit = wanted >= kHugePage ? kHugePage : kLine;
  const std::size_t bytes = (wanted + unit) / unit * unit;  // never 0
  memory_.reset(static_cast<float*>(std::aligned_alloc(unit, bytes)));
  if (!memory_) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (unit == kHugePage) madvise(memory_.get(), bytes, MADV_HUGEPAGE);  // a wish: without it the pages are small
#endif
}

}  // namespace tinylm
