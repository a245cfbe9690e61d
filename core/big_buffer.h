// Memory for numbers that are walked through again and again.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace tinylm {

/// `size` floats, not initialised, aligned to 64 bytes; in huge pages where they fill some and the system has them, so
/// that walking through them does not wait for page tables. Throws std::bad_alloc.
class BigBuffer {
 public:
  BigBuffer() = default;
  explicit BigBuffer(std::size_t size);
  float* data() { return memory_.get(); }
  const float* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> memory_;
};

}  // namespace tinylm
