#include "core/freed_memory.h"

#include <cstdlib>  // defines __GLIBC__

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace tinylm {

void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);  // the largest threshold for mappings is 32 MiB, and a step has larger buffers
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

void give_back_freed_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace tinylm
