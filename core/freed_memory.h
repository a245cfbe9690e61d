// What becomes of memory that the program frees.
#pragma once

namespace tinylm {

/// Has the C library keep freed memory for the next allocation instead of giving it back to the system at once. A step
/// of training asks for the same buffers as the one before; given back, each of their pages would have to be filled
/// with zeros again. What is free beyond 1 GiB is given back. For programs to call at their start; does nothing where
/// the C library is not glibc.
void keep_freed_memory();

/// Gives the system what is free now, so that resident memory is what is in use.
void give_back_freed_memory();

}  // namespace tinylm
