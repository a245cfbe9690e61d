#include "many_clients.h"

#include <map>

#include "client.h"

namespace tinylm::test {

namespace {

using nlohmann::json;

constexpr int kSeeds = 20, kTokens = 60;

/// The text of an answer of either kind; throws for an error.
std::string text_of(const Answer& answer, bool stream) {
  if (answer.status != 200) throw std::runtime_error(std::to_string(answer.status) + " " + answer.body);
  if (!stream) return answer.json().at("choices").at(0).at("text");
  std::vector<std::string> events = events_in(answer.body);
  if (events.empty() || events.back() != "[DONE]") throw std::runtime_error("the stream has no end");
  events.pop_back();
  std::string text;
  for (const std::string& event : events) text += json::parse(event).at("choices").at(0).at("text").get<std::string>();
  return text;
}

/// What one client got: text by seed.
struct Found {
  std::vector<std::pair<int, std::string>> texts;
  std::vector<std::string> problems;
};

void ask_for(const Served& served, int client, double seconds, Found& found) {
  const bool stream = client % 2 == 1;
  const StopWatch watch;
  for (int i = client; watch.seconds() < seconds; ++i) {
    const int seed = i % kSeeds;
    const json request = {{"prompt", "abc"}, {"seed", seed}, {"max_tokens", kTokens}, {"stream", stream}};
    try {
      found.texts.emplace_back(seed, text_of(post(served.port, "/v1/completions", request.dump()), stream));
    } catch (const std::exception& error) {
      found.problems.push_back(error.what());
    }
  }
}

}  // namespace

ManyClients ask_together(Served& served, int count, double seconds) {
  std::vector<Found> found(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int client = 0; client < count; ++client)
    threads.emplace_back([&, client] { ask_for(served, client, seconds, found[static_cast<std::size_t>(client)]); });
  for (std::thread& thread : threads) thread.join();
  served.stop();  // the model is ours again
  std::map<int, std::string> expected;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SamplerOptions sampler;
    sampler.temperature = 1.0;
    sampler.seed = static_cast<std::uint64_t>(seed);
    GenerateOptions options;
    options.max_tokens = kTokens;
    expected[seed] = generated(served.loaded, "abc", sampler, options).text;
  }
  ManyClients all;
  for (const Found& one : found) {
    all.answers += static_cast<int>(one.texts.size());
    all.problems.insert(all.problems.end(), one.problems.begin(), one.problems.end());
    for (const auto& [seed, text] : one.texts)
      if (text != expected[seed]) all.problems.push_back("seed " + std::to_string(seed) + " gave: " + text);
  }
  return all;
}

}  // namespace tinylm::test
