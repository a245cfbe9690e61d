#include "model/ops/embedding.h"

#include "core/torch.h"
#include "model/ops/dispatch.h"
#include "model/ops/kernels/embedding_rows.h"

namespace tinylm::ops {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

EmbeddingRows rows_of(const Tensor& ids, std::int64_t V, std::int64_t C) {
  return {ids.numel(), V, C, ids.size(-1), ids.data_ptr<std::int64_t>()};
}

struct Embedding : torch::autograd::Function<Embedding> {
  static Tensor forward(AutogradContext* context, const Tensor& weight, const Tensor& ids,
                        const c10::optional<Tensor>& added) {
    const Tensor x = at::empty({ids.size(0), ids.size(1), weight.size(1)}, weight.options());  // [B, T, C]
    look_up_rows(rows_of(ids, weight.size(0), weight.size(1)), weight.data_ptr<float>(),
                 added ? added->data_ptr<float>() : nullptr, x.data_ptr<float>());
    context->save_for_backward({ids});
    context->saved_data["V"] = weight.size(0);
    context->saved_data["added"] = added.has_value();
    return x;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const Tensor ids = context->get_saved_variables()[0], dx = gradients[0].contiguous();  // dx [B, T, C]
    const std::int64_t V = context->saved_data["V"].toInt(), C = dx.size(-1);
    const EmbeddingRows rows = rows_of(ids, V, C);
    const Tensor dweight = at::empty({V, C}, dx.options());
    sum_rows_by_id(rows, dx.data_ptr<float>(), dweight.data_ptr<float>());
    Tensor dadded;
    if (context->saved_data["added"].toBool()) {
      dadded = at::empty({ids.size(-1), C}, dx.options());
      sum_rows_by_position(rows, dx.data_ptr<float>(), dadded.data_ptr<float>());
    }
    return {dweight, {}, dadded};
  }
};

}  // namespace

torch::Tensor embedding(const Tensor& weight, const Tensor& ids, const Tensor& added, Ops ops) {
  if (ids.numel() > 0 && use_fast(ops, Operation::kEmbedding, {weight, added}))
    return Embedding::apply(weight.contiguous(), ids.contiguous(),
                            added.defined() ? c10::optional<Tensor>(added.contiguous()) : c10::nullopt);
  const Tensor x = torch::embedding(weight, ids);  // [B, T, C]
  return added.defined() ? x + added : x;
}

}  // namespace tinylm::ops
