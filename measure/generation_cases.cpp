// The section "generation" of the suite.
#include <memory>

#include "core/errors.h"
#include "core/stop_watch.h"
#include "measure/reading.h"
#include "measure/suite.h"
#include "sample/generator.h"

namespace tinylm {
namespace {

constexpr std::int64_t kStreams = 32;

/// A vocabulary of letters whose END is its START, which is never drawn: texts do not end early.
class EndlessTokenizer : public Tokenizer {
 public:
  explicit EndlessTokenizer(std::int64_t vocabulary_size) : vocabulary_size_(vocabulary_size) {}

  using Tokenizer::encode;
  std::string kind() const override { return "endless"; }
  std::int64_t vocabulary_size() const override { return vocabulary_size_; }
  TokenId start_id() const override { return static_cast<TokenId>(vocabulary_size_ - 1); }
  TokenId end_id() const override { return start_id(); }
  void encode(std::string_view text, std::vector<TokenId>& ids) const override {
    ids.insert(ids.end(), text.size(), 0);
  }
  std::string bytes_of(TokenId id) const override { return {static_cast<char>('A' + id % 26)}; }
  std::string serialize() const override { return std::to_string(vocabulary_size_); }
  std::string file_name() const override { return "tokenizer-endless"; }

 private:
  std::int64_t vocabulary_size_;
};

/// Texts of a model with random weights, whose speed is that of a trained one.
class Generation {
 public:
  explicit Generation(const BenchShape& shape)
      : tokenizer_(shape.model.vocabulary_size),
        generator_(LanguageModel(shape.model, shape.train.seed), tokenizer_, Sampler(SamplerOptions{}), 0) {}

  /// Seconds a token, over `streams` texts of `tokens` tokens that grow together.
  double token_s(std::int64_t streams, std::int64_t tokens) {
    GenerateOptions options;
    options.max_tokens = tokens;
    const double seconds =
        seconds_of([&] { generator_.generate_all({0}, 0, static_cast<std::uint64_t>(streams), options); });
    return seconds / static_cast<double>(streams * tokens);
  }

 private:
  EndlessTokenizer tokenizer_;
  Generator generator_;
};

/// Float32 numbers that one token walks over: the matrices of the blocks and the output projection.
std::uint64_t walked_bytes(const ModelConfig& config) {
  return 4 * static_cast<std::uint64_t>(config.block_matrix_parameters() + config.vocabulary_size * config.width);
}

void add_streams(Suite& suite, const BenchShape& shape, const std::string& name, std::int64_t streams,
                 std::int64_t tokens) {
  const auto prepare = [shape, streams, tokens] {
    const auto generation = std::make_shared<Generation>(shape);
    return [generation, streams, tokens] { return generation->token_s(streams, tokens); };
  };
  // The decoder has a copy of the weights.
  suite.cases.push_back({name, prepare, 8 * static_cast<std::uint64_t>(shape.model.parameter_count())});
  suite.results.push_back({"generation", name, "tokens/s", name, 1.0, true});
}

}  // namespace

void add_generation(Suite& suite, const BenchShape& shape) {
  const std::string one = "generation_" + shape.name, many = one + "_" + std::to_string(kStreams);
  const std::string reading = "reading_" + shape.name + "_weights";
  const std::int64_t context = shape.model.context;
  const std::uint64_t bytes = walked_bytes(shape.model);
  add_streams(suite, shape, one, 1, shape.tokens_of_one_text());
  add_streams(suite, shape, many, kStreams, context);
  suite.cases.push_back({reading,
                         [bytes] {
                           const auto memory = std::make_shared<Reading>(bytes);
                           return [memory] { return fastest_s(0.02, [&] { return memory->run_s(); }); };
                         },
                         bytes});
  suite.results.push_back({"generation", reading, "GB/s", reading, 1e-9 * static_cast<double>(bytes), true});
  suite.ratios.push_back({"generation", many + "_over_1", one, many,
                          "tokens/s of " + std::to_string(kStreams) + " texts together over those of one"});
  suite.ratios.push_back({"generation", one + "_share_of_reading", reading, one,
                          "weight bytes that one text reads a second, of what the machine can read"});
}

}  // namespace tinylm
