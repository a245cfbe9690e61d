// What this process may use of the machine: cores, memory. cgroup limits and affinity count.
#pragma once

#include <cstdint>

namespace tinylm {

/// Physical cores this process may run on: the affinity mask, hyper-threads counted once, at most the cgroup's quota
/// rounded up. At least 1. More threads than this slow small products down.
int usable_cores();

/// Bytes of memory that can be taken without swapping or being killed: the system's available memory, at most what the
/// cgroup leaves.
std::uint64_t available_memory_bytes();

/// Largest resident size of this process so far, in bytes.
std::uint64_t peak_resident_bytes();

}  // namespace tinylm
