// The fused embedding against the definition, whose gradient is compared with finite differences.
#include "model/ops/embedding.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/torch.h"
#include "testing/fused.h"

namespace tinylm::ops {
namespace {

using tinylm::testing::at_each_instruction_set;
using tinylm::testing::close_by_scale;
using tinylm::testing::Draw;
using tinylm::testing::expect_reproducible;
using tinylm::testing::gradients_match;
using tinylm::testing::tensors_equal;

struct EmbeddingCase {
  torch::Tensor weight, ids, added, dx;  // added: undefined for none
};

EmbeddingCase make_embedding_case(Draw& draw, std::int64_t B, std::int64_t T, std::int64_t V, std::int64_t C) {
  EmbeddingCase c{torch::randn({V, C}), torch::randint(V, {B, T}, torch::kInt64), {}, torch::randn({B, T, C})};
  if (draw.coin()) c.added = torch::randn({T, C});
  return c;
}

/// x, and the gradients of weight and added.
std::vector<torch::Tensor> embedding_results(const EmbeddingCase& c, torch::ScalarType dtype, Ops ops) {
  const auto leaf = [&](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.detach().to(dtype, false, true).requires_grad_(true) : tensor;
  };
  const torch::Tensor weight = leaf(c.weight), added = leaf(c.added);
  const torch::Tensor x = embedding(weight, c.ids, added, ops);
  x.backward(c.dx.to(dtype));
  std::vector<torch::Tensor> results = {x.detach(), weight.grad()};
  if (added.defined()) results.push_back(added.grad());
  return results;
}

TEST(FusedEmbedding, AgreesWithTheDefinitionForManyShapes) {
  at_each_instruction_set([] {
    torch::manual_seed(1);
    Draw draw(1);
    for (int i = 0; i < 220; ++i) {
      const EmbeddingCase c =
          make_embedding_case(draw, draw.between(1, 6), draw.between(1, 40), draw.one_of({1, 2, 19, 65, 1000}),
                              draw.one_of({1, 3, 16, 17, 64, 100}));
      const auto found = embedding_results(c, torch::kFloat32, Ops::kAuto),
                 expected = embedding_results(c, torch::kFloat64, Ops::kPlain);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_TRUE(close_by_scale(found[k], expected[k], 1e-5)) << "case " << i << " result " << k;
    }
  });
}

TEST(FusedEmbedding, HasATwinWhoseGradientsMatchFiniteDifferences) {
  torch::manual_seed(2);
  const torch::Tensor ids = torch::tensor({{0L, 2L, 2L}, {1L, 0L, 0L}}, torch::kInt64);
  const auto function = [&](const std::vector<torch::Tensor>& x) { return embedding(x[0], ids, x[1], Ops::kPlain); };
  EXPECT_TRUE(
      gradients_match(function, {torch::randn({4, 3}, torch::kFloat64), torch::randn({3, 3}, torch::kFloat64)}));
}

TEST(FusedEmbedding, IsReproducible) {
  torch::manual_seed(3);
  Draw draw(3);
  for (int i = 0; i < 4; ++i) {
    const EmbeddingCase c = make_embedding_case(draw, 12, 64, 65, 96);
    expect_reproducible([&] { return embedding_results(c, torch::kFloat32, Ops::kAuto); });
  }
}

TEST(FusedEmbedding, LeavesRowsThatNoTokenNamesWithoutAGradient) {
  const torch::Tensor weight = torch::randn({5, 3}).requires_grad_(true);
  embedding(weight, torch::tensor({{1L, 3L, 1L}}, torch::kInt64), {}, Ops::kAuto).sum().backward();
  const torch::Tensor expected = torch::tensor({0.0F, 2.0F, 0.0F, 1.0F, 0.0F}).unsqueeze(1).expand({5, 3});
  EXPECT_TRUE(tensors_equal(weight.grad(), expected.contiguous()));
}

}  // namespace
}  // namespace tinylm::ops
