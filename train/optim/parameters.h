// The parameters that an optimizer changes, cut into slices of similar size that threads share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "core/torch.h"

namespace tinylm {

struct Parameter {
  std::string name;
  torch::Tensor value;           // float32, contiguous
  bool is_block_matrix = false;  // of the matrices inside blocks, not norms, biases, embeddings, output projection
};

class ParameterList {
 public:
  /// All parameters of `model`, in its order. Throws std::invalid_argument unless they are float32, contiguous and on
  /// the processor.
  explicit ParameterList(const torch::nn::Module& model);

  const std::vector<Parameter>& all() const { return parameters_; }
  /// Drops the gradients, so that the next backward pass hands over its own memory instead of adding to old ones.
  void zero_gradients();
  /// First elements of the gradients, contiguous float32, in the order of all(); null where there is none.
  std::vector<const float*> gradients() const;
  /// Euclidean norm of all gradients together. Summed in double, slice by slice in a fixed order: the same for any
  /// number of threads.
  double gradient_norm() const;
  /// "weight decay on 16 tensors (786,432), none on 11 tensors (17,664)", in the words given for the matrices of blocks
  /// and for the others.
  std::string describe_groups(const std::string& on_matrices, const std::string& on_others) const;

  /// Calls `body(slice number, index into all(), first element, count)` for every slice, on several threads.
  template <class Body>
  void for_each_slice(const Body& body) const {
    parallel_for(0, static_cast<std::int64_t>(slices_.size()), kSlicesPerThread,
                 [&](std::int64_t first, std::int64_t last) {
                   for (std::int64_t i = first; i < last; ++i)
                     body(i, slices_[i].parameter, slices_[i].first, slices_[i].count);
                 });
  }

 private:
  static constexpr std::int64_t kSliceElements = 1 << 14;
  static constexpr std::int64_t kSlicesPerThread = 4;  // fewer are not worth waking another thread
  struct Slice {
    std::size_t parameter;
    std::int64_t first, count;
  };
  std::vector<Parameter> parameters_;
  std::vector<Slice> slices_;
};

}  // namespace tinylm
