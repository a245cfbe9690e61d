// How much memory a training takes, as people run it: by a process of its own, since what this one frees it keeps.
#pragma once

#include <cstdint>
#include <filesystem>

#include "measure/shape.h"

namespace tinylm {

/// The programs that it is measured with: the measure, bench/peak_memory.cpp, and what it measures.
struct MemoryPrograms {
  std::filesystem::path peak_memory, tinylm;
};

inline constexpr std::int64_t kMemorySteps = 3;  // the first has everything that the others have

/// The most memory that kMemorySteps of `tinylm train` with the model and batch of `shape` take, on the bundled text,
/// above the most that `tinylm --version` takes. Throws FileError when one of them fails.
std::uint64_t training_memory_bytes(const MemoryPrograms& programs, const BenchShape& shape);

}  // namespace tinylm
