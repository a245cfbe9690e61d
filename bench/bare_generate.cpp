// Text generated with torch::nn modules and a key/value cache, as a libtorch user would write it by the textbook: what
// the speed of tinylm's generation is measured against. Same model as `tinylm train --preset shakespeare-tiny` makes;
// its weights are random, which changes nothing about the time.
//   bare_generate [TOKENS [LAYERS HEADS WIDTH CONTEXT VOCABULARY]]
//   bare_generate --on-demand THREADS gelu|relu2 tied|own VOCABULARY LAYERS HEADS WIDTH CONTEXT [BATCH]
// The second makes a text of so many tokens as a line of stdin says (on_demand.h).
#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/on_demand.h"
#include "core/machine.h"
#include "core/torch_compat.h"

namespace nn = torch::nn;
using torch::Tensor;

struct Sizes {
  std::int64_t layers = 4, heads = 4, width = 128, context = 64, vocabulary = 65;
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
    keys = torch::zeros({1, heads, s.context, s.width / heads});
    values = torch::zeros_like(keys);
  }
  /// x [1, T, C], the tokens after the first `length`.
  Tensor attention(const Tensor& x, std::int64_t length) {
    const auto T = x.size(1), C = x.size(2), D = C / heads;
    const auto parts = qkv(x).chunk(3, -1);
    const auto split = [&](const Tensor& part) { return part.view({1, T, heads, D}).transpose(1, 2); };
    const Tensor q = split(parts[0]);  // [1, H, T, D]
    keys.narrow(2, length, T).copy_(split(parts[1]));
    values.narrow(2, length, T).copy_(split(parts[2]));
    const Tensor k = keys.narrow(2, 0, length + T), v = values.narrow(2, 0, length + T);
    Tensor scores = torch::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(D));
    if (T > 1) scores = scores.masked_fill(torch::ones({T, T}, torch::kBool).triu(1), -INFINITY);
    return projection(torch::matmul(torch::softmax(scores, -1), v).transpose(1, 2).reshape({1, T, C}));
  }
  Tensor forward(Tensor x, std::int64_t length) {
    x = x + attention(norm1(x), length);
    const Tensor hidden = up(norm2(x));
    return x + down(gelu ? torch::gelu(hidden) : torch::relu(hidden).square());
  }
  std::int64_t heads;
  bool gelu;
  nn::LayerNorm norm1{nullptr}, norm2{nullptr};
  nn::Linear qkv{nullptr}, projection{nullptr}, up{nullptr}, down{nullptr};
  Tensor keys, values;  // [1, H, context, D]
};
TORCH_MODULE(Block);

struct ModelImpl : nn::Module {
  explicit ModelImpl(const Sizes& s) {
    tokens = register_module("tokens", nn::Embedding(s.vocabulary, s.width));
    positions = register_module("positions", nn::Embedding(s.context, s.width));
    for (std::int64_t i = 0; i < s.layers; ++i)
      blocks.push_back(register_module("block" + std::to_string(i), Block(s)));
    norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({s.width})));
    if (!s.tied) output = register_module("output", nn::Linear(nn::LinearOptions(s.width, s.vocabulary).bias(false)));
  }
  /// Logits [V] of what follows `ids` [1, T], which follow `length` tokens in the cache.
  Tensor forward(const Tensor& ids, std::int64_t length) {
    Tensor x = tokens(ids) + positions(torch::arange(length, length + ids.size(1)));
    for (Block& block : blocks) x = block(x, length);
    const Tensor normed = norm(x.select(1, -1));
    return (output ? output(normed) : nn::functional::linear(normed, tokens->weight)).squeeze(0);
  }
  nn::Embedding tokens{nullptr}, positions{nullptr};
  std::vector<Block> blocks;
  nn::LayerNorm norm{nullptr};
  nn::Linear output{nullptr};  // none: the embedding of tokens
};
TORCH_MODULE(Model);

/// A text that grows by a token at a time; at the end of the context it goes on with the newer half.
struct Text {
  explicit Text(const Sizes& s) : context(s.context) {}
  void grow(Model& model) {
    const std::vector<std::int64_t> fresh(window.begin() + length, window.end());
    const Tensor logits = model(torch::tensor(fresh).unsqueeze(0), length);
    length = static_cast<std::int64_t>(window.size());
    const std::int64_t id = torch::multinomial(torch::softmax(logits / 0.8, -1), 1).item<std::int64_t>();
    if (length == context) {
      window.erase(window.begin(), window.end() - context / 2);
      length = 0;
    }
    window.push_back(id);
  }
  std::int64_t context;
  std::vector<std::int64_t> window = {0};  // what the model looks back on
  std::int64_t length = 0;                 // how much of it is in the cache
};

int generate_on_demand(int argc, char** argv) {
  const tinylm::bench::Demand demand(argc, argv, 5);
  const auto& n = demand.numbers;
  const Sizes s{n[1], n[2], n[3], n[4], n[0], demand.gelu, demand.tied};
  Model model(s);
  const auto generate = [&](std::int64_t tokens) {
    Text text(s);
    for (std::int64_t i = 0; i < tokens; ++i) text.grow(model);
  };
  generate(s.context);
  return demand.answer(generate);
}

int main(int argc, char** argv) {
  torch::manual_seed(1337);
  const torch::NoGradGuard no_gradient;
  if (argc > 1 && std::string(argv[1]) == "--on-demand") return generate_on_demand(argc, argv);
  const auto number = [&](int i, std::int64_t otherwise) { return argc > i ? std::stoll(argv[i]) : otherwise; };
  const std::int64_t wanted = number(1, 1000);
  const Sizes s{number(2, 4), number(3, 4), number(4, 128), number(5, 64), number(6, 65)};
  tinylm::use_threads(tinylm::usable_cores());
  Model model(s);
  Text text(s);
  const std::int64_t warm = std::min<std::int64_t>(100, wanted / 2);
  auto begin = std::chrono::steady_clock::now();
  for (std::int64_t n = 0; n < wanted; ++n) {
    if (n == warm) begin = std::chrono::steady_clock::now();
    text.grow(model);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("tokens %lld tokens_per_s %.0f\n", static_cast<long long>(wanted),
              static_cast<double>(wanted - warm) / seconds);
}
