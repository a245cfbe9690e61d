// A small model with random weights, alone and behind a server of the test's own process.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "core/stop_watch.h"
#include "sample/generator.h"
#include "sample/scripted_model.h"
#include "serve/server.h"
#include "testing/models.h"

namespace tinylm::test {

/// Letters, space and newline; a context of 32 tokens; END never comes. The wider, the slower.
inline LoadedModel letters_model(std::int64_t width = 32) {
  LoadedModel loaded;
  loaded.tokenizer = tokenizer_over("char", "abcdefgh \n");
  loaded.config.model = testing::small_config();
  loaded.config.model.context = 32;
  loaded.config.model.width = width;
  loaded.config.model.vocabulary_size = loaded.tokenizer->vocabulary_size();
  loaded.config.model.bias = true;
  loaded.config.model.tied_embeddings = false;
  loaded.model = testing::random_model(loaded.config.model);
  loaded.empty_prompt_id = loaded.tokenizer->encode("\n").front();
  // One channel after the last norm is always 1, and only END's logit depends on it.
  const torch::NoGradGuard no_grad;
  auto parameters = loaded.model->named_parameters();
  parameters["final_norm.weight"][0] = 0.0;
  parameters["final_norm.bias"].zero_()[0] = 1.0;
  torch::Tensor& output = parameters["output.weight"];  // [V, C]
  output.select(1, 0).zero_();
  output[loaded.tokenizer->end_id()].zero_()[0] = -100.0;
  return loaded;
}

/// What `tinylm sample` gives as text number `sample`.
inline Generated generated(LoadedModel& loaded, const std::string& prompt, const SamplerOptions& sampler,
                           const GenerateOptions& options, std::uint64_t sample = 0) {
  Generator generator(loaded.model, *loaded.tokenizer, Sampler(sampler), loaded.empty_prompt_id);
  return generator.generate(generator.prompt_ids(prompt), sample, options);
}

/// A server of letters_model() at a free port, until it goes.
class Served {
 public:
  explicit Served(ServeOptions options = {}, std::int64_t width = 32) : loaded(letters_model(width)) {
    options.port = 0;
    server_ = std::make_unique<Server>(loaded, "letters", options);
    const std::string address = server_->address();
    port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    thread_ = std::thread([this] { server_->run([this] { return stopped_.load(); }); });
  }
  ~Served() { stop(); }

  /// As Ctrl-C does. Gives the seconds that it took.
  double stop() {
    const StopWatch watch;
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
    return watch.seconds();
  }

  LoadedModel loaded;  // the server's alone while it runs
  std::uint16_t port = 0;

 private:
  std::atomic<bool> stopped_ = false;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

/// Whether something comes true within some seconds.
template <class Holds>
bool eventually(const Holds& holds, double most_s = 10.0) {
  const StopWatch watch;
  while (watch.seconds() < most_s) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return holds();
}

}  // namespace tinylm::test
