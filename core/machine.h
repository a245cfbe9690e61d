// The machine, and what this process may use of it: cores, memory. cgroup limits and affinity count.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tinylm {

/// Physical cores this process may run on: the affinity mask, hyper-threads counted once, at most the cgroup's quota
/// rounded up. At least 1. More threads than this slow small products down.
int usable_cores();
/// The same for the processors numbered `allowed`, with the kernel's files (proc/, sys/) under `root`.
int usable_cores(const std::vector<int>& allowed, const std::filesystem::path& root);

/// Bytes of memory that can be taken without swapping or being killed: the system's available memory, at most what the
/// cgroup leaves. File pages that the kernel can drop count as available. 0 when the kernel does not say.
std::uint64_t available_memory_bytes(const std::filesystem::path& root = "/");

/// The words that this process was started with, the program's first; none when the kernel does not say.
std::vector<std::string> command_line(const std::filesystem::path& root = "/");

/// Resident size of this process now, in bytes; 0 when the kernel does not say.
std::uint64_t resident_bytes();
/// The largest so far, or since forget_peak_resident().
std::uint64_t peak_resident_bytes();
/// Begins anew, where the kernel lets it.
void forget_peak_resident();

}  // namespace tinylm
