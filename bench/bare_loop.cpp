// A transformer trained with torch::nn modules alone, as a libtorch user would write it by the textbook: what tinylm's
// speed is measured against. Same model, batch and optimizer as `tinylm train --preset shakespeare-tiny --tokenizer
// char`.
//   bare_loop TEXT [STEPS [LAYERS HEADS WIDTH CONTEXT BATCH]]
//   bare_loop --on-demand THREADS gelu|relu2 tied|own VOCABULARY LAYERS HEADS WIDTH CONTEXT BATCH
// The second trains on random ids, so many steps as a line of stdin says (on_demand.h).
#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bench/on_demand.h"
#include "core/machine.h"
#include "core/torch_compat.h"

namespace nn = torch::nn;
using torch::Tensor;

struct Sizes {
  std::int64_t layers = 4, heads = 4, width = 128, context = 64, batch = 12, vocabulary = 0;
  bool gelu = false;  // else squared ReLU
  bool tied = false;  // the output projection is the embedding of tokens
};

struct BlockImpl : nn::Module {
  explicit BlockImpl(const Sizes& s) : heads(s.heads), gelu(s.gelu) {
    norm1 = register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({s.width})));
    qkv = register_module("qkv", nn::Linear(nn::LinearOptions(s.width, 3 * s.width).bias(false)));
    projection = register_module("projection", nn::Linear(nn::LinearOptions(s.width, s.width).bias(false)));
    norm2 = register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({s.width})));
    up = register_module("up", nn::Linear(nn::LinearOptions(s.width, 4 * s.width).bias(false)));
    down = register_module("down", nn::Linear(nn::LinearOptions(4 * s.width, s.width).bias(false)));
    future = register_buffer("future", torch::ones({s.context, s.context}, torch::kBool).triu(1));
  }
  Tensor attention(const Tensor& x) {
    const auto B = x.size(0), T = x.size(1), C = x.size(2), D = C / heads;
    const auto parts = qkv(x).chunk(3, -1);
    const auto split = [&](const Tensor& part) { return part.view({B, T, heads, D}).transpose(1, 2); };
    const Tensor q = split(parts[0]), k = split(parts[1]), v = split(parts[2]);  // [B, H, T, D]
    Tensor scores = torch::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(D));
    scores = scores.masked_fill(future.slice(0, 0, T).slice(1, 0, T), -INFINITY);
    return projection(torch::matmul(torch::softmax(scores, -1), v).transpose(1, 2).reshape({B, T, C}));
  }
  Tensor forward(Tensor x) {
    x = x + attention(norm1(x));
    const Tensor hidden = up(norm2(x));
    return x + down(gelu ? torch::gelu(hidden) : torch::relu(hidden).square());
  }
  std::int64_t heads;
  bool gelu;
  nn::LayerNorm norm1{nullptr}, norm2{nullptr};
  nn::Linear qkv{nullptr}, projection{nullptr}, up{nullptr}, down{nullptr};
  Tensor future;
};
TORCH_MODULE(Block);

struct ModelImpl : nn::Module {
  explicit ModelImpl(const Sizes& s) {
    tokens = register_module("tokens", nn::Embedding(s.vocabulary, s.width));
    positions = register_module("positions", nn::Embedding(s.context, s.width));
    blocks = register_module("blocks", nn::Sequential());
    for (std::int64_t i = 0; i < s.layers; ++i) blocks->push_back(Block(s));
    norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({s.width})));
    if (!s.tied) output = register_module("output", nn::Linear(nn::LinearOptions(s.width, s.vocabulary).bias(false)));
    for (auto& p : parameters())
      if (p.dim() == 2) nn::init::normal_(p, 0.0, 0.02);
  }
  Tensor forward(const Tensor& ids) {
    const Tensor x = tokens(ids) + positions(torch::arange(ids.size(1)));
    const Tensor normed = norm(blocks->forward(x));
    return output ? output(normed) : nn::functional::linear(normed, tokens->weight);
  }
  nn::Embedding tokens{nullptr}, positions{nullptr};
  nn::Sequential blocks{nullptr};
  nn::LayerNorm norm{nullptr};
  nn::Linear output{nullptr};  // none: the embedding of tokens
};
TORCH_MODULE(Model);

/// The file's bytes as ids 0 .. V-1 by first appearance.
Tensor read_characters(const char* path, std::int64_t& vocabulary) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::int64_t> id_of(256, -1), ids;
  for (const unsigned char c : text) {
    if (id_of[c] < 0) id_of[c] = vocabulary++;
    ids.push_back(id_of[c]);
  }
  return torch::tensor(ids);
}

struct Training {
  Training(const Sizes& sizes, const Tensor& ids) : s(sizes), text(ids) {}
  /// Gives the loss, in nats.
  double step() {
    const Tensor starts = torch::randint(text.size(0) - s.context, {s.batch, 1}, torch::kInt64);
    const Tensor rows = text.index({starts + torch::arange(s.context + 1)});  // [B, T + 1]
    const Tensor logits = model(rows.slice(1, 0, s.context));                 // [B, T, V]
    const Tensor loss = nn::functional::cross_entropy(logits.view({-1, s.vocabulary}), rows.slice(1, 1).reshape({-1}));
    optimizer.zero_grad();
    loss.backward();
    nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    optimizer.step();
    return loss.item<double>();
  }
  Sizes s;
  Tensor text;
  Model model{s};
  torch::optim::AdamW optimizer{model->parameters(),
                                torch::optim::AdamWOptions(1e-3).betas({0.9, 0.99}).weight_decay(0.1)};
};

int train_on_demand(int argc, char** argv) {
  constexpr std::int64_t kIds = 100'000;
  const tinylm::bench::Demand demand(argc, argv, 6);
  const auto& n = demand.numbers;
  Sizes s{n[1], n[2], n[3], n[4], n[5], n[0], demand.gelu, demand.tied};
  Training training(s, torch::randint(s.vocabulary, {kIds}, torch::kInt64));
  training.step();
  return demand.answer([&](std::int64_t steps) {
    for (std::int64_t step = 0; step < steps; ++step) training.step();
  });
}

int main(int argc, char** argv) {
  torch::manual_seed(1337);
  if (argc > 1 && std::string(argv[1]) == "--on-demand") return train_on_demand(argc, argv);
  const auto number = [&](int i, std::int64_t otherwise) { return argc > i ? std::stoll(argv[i]) : otherwise; };
  const std::int64_t steps = number(2, 200);
  Sizes s{number(3, 4), number(4, 4), number(5, 128), number(6, 64), number(7, 12)};
  const Tensor text = argc > 1 ? read_characters(argv[1], s.vocabulary) : Tensor();
  if (!text.defined() || text.size(0) <= s.context) {
    std::fprintf(
        stderr, "usage: bare_loop TEXT [STEPS [LAYERS HEADS WIDTH CONTEXT BATCH]]; TEXT must be longer than CONTEXT\n");
    return 2;
  }
  tinylm::use_threads(tinylm::usable_cores());
  Training training(s, text);
  auto begin = std::chrono::steady_clock::now();
  const std::int64_t warm = std::min<std::int64_t>(10, steps / 2);  // not timed: caches fill, pages appear
  double loss_nats = 0.0;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (step == warm) begin = std::chrono::steady_clock::now();
    loss_nats = training.step();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("steps %lld loss_nats %.4f tokens_per_s %.0f\n", static_cast<long long>(steps), loss_nats,
              static_cast<double>((steps - warm) * s.batch * s.context) / seconds);
}
