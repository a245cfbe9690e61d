// What becomes of memory that the program frees.
#pragma once

namespace tinylm {

/// Has the C library keep freed memory for the next allocation instead of giving it back to the system at once. A step
/// of training asks for the same buffers as the one before; given back, each of their pages would have to be filled
/// with zeros again. Single buffers above 64 MiB, and what goes beyond 1 GiB in all, are still given back. For programs
/// to call at their start; does nothing where the C library is not glibc.
void keep_freed_memory();

}  // namespace tinylm
