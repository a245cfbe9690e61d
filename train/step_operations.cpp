#include "train/step_operations.h"

#include <algorithm>
#include <set>
#include <vector>

#include "data/batch.h"
#include "model/ops/projected_loss.h"

namespace tinylm {
namespace {

using torch::autograd::Node;

/// "torch::autograd::CppNode<tinylm::ops::(anonymous namespace)::Embedding>" is a node of ours, "Embedding".
bool is_fused(const std::string& name) {
  return name.find("CppNode<") != std::string::npos;
}

std::string short_name(const std::string& name) {
  const std::size_t last = name.rfind("::");
  const std::string own = last == std::string::npos ? name : name.substr(last + 2);
  return own.substr(0, own.find('>'));
}

/// Whether a node of libtorch only gathers gradients or looks at its input in another shape.
bool computes_nothing(const std::string& name) {
  for (const char* word : {"AccumulateGrad", "GraphRoot", "View", "Reshape", "Alias", "Transpose", "Permute", "Slice",
                           "Split", "Select", "Squeeze", "Unsqueeze", "Expand", "TBackward"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

std::string listed(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::string StepOperations::text() const {
  return "fused: " + listed(fused) + "; composed: " + listed(composed);
}

StepOperations step_operations(LanguageModel model) {
  const std::int64_t T = std::min<std::int64_t>(2, model->config().context);
  const torch::Tensor ids = torch::zeros({1, T}, torch::kInt64);
  const DropoutPlan dropout{model->config().dropout, /*seed=*/0, /*first_sample=*/0};
  const torch::Tensor hidden = model->hidden(ids, {.dropout = &dropout});  // [1, T, C]
  const torch::Tensor loss = ops::projected_loss(hidden, model->output_weight(), ids, model->ops());
  StepOperations operations;
  std::set<Node*> seen;
  std::vector<Node*> open = {loss.grad_fn().get()};
  while (!open.empty()) {
    Node* const node = open.back();
    open.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    const std::string name = node->name();
    if (is_fused(name)) {
      ++operations.fused[short_name(name)];
    } else if (!computes_nothing(name)) {
      ++operations.composed[short_name(name)];
    }
    for (const auto& edge : node->next_edges()) open.push_back(edge.function.get());
  }
  return operations;
}

}  // namespace tinylm
