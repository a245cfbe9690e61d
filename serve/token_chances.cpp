#include "serve/token_chances.h"

namespace tinylm {

std::vector<Choice> choices_of_text(LoadedModel& loaded, const std::vector<TokenId>& ids, std::size_t alternatives) {
  const torch::NoGradGuard no_grad;
  loaded.model->eval();
  const torch::Tensor inputs = torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0);  // [1, T]
  const torch::Tensor logits =
      loaded.model->forward(inputs).squeeze(0).to(torch::kCPU, torch::kFloat32).contiguous();  // [T, V]
  const auto V = static_cast<std::size_t>(logits.size(1));
  const float* row = logits.data_ptr<float>();
  std::vector<Choice> choices;
  for (std::size_t t = 1; t < ids.size(); ++t, row += V) choices.push_back(choice_of({row, V}, ids[t], alternatives));
  return choices;
}

}  // namespace tinylm
