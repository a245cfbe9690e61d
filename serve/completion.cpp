#include "serve/completion.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <random>

#include "core/stop_watch.h"
#include "serve/api_error.h"
#include "serve/choice_json.h"
#include "serve/token_chances.h"

namespace tinylm {

namespace {

using Json = nlohmann::ordered_json;

struct ClientHasGone {};

std::string serialized(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string fresh_id() {
  std::random_device random;
  char text[40];
  std::snprintf(text, sizeof text, "cmpl-%08x%08x%08x", random(), random(), random());
  return text;
}

/// OpenAI's words: it knows one for the end of a text by itself and by a stop text, and one for any limit.
const char* api_word(FinishReason reason) {
  return reason == FinishReason::kEnd || reason == FinishReason::kStop ? "stop" : "length";
}

/// The answer as it is put together: one object at the end, or an event for each piece.
class CompletionAnswer {
 public:
  CompletionAnswer(ServedModel& model, const CompletionRequest& request, Reply& reply)
      : model_(model), request_(request), reply_(reply), answer_watch_() {
    base_ = {{"id", fresh_id()},
             {"object", "text_completion"},
             {"created", static_cast<std::int64_t>(std::time(nullptr))},
             {"model", model.name},
             {"seed", request.sampler.seed}};
  }

  void run() {
    try {
      for (const Prompt& prompt : request_.prompts) continue_prompt(tokens_of(prompt, model_.loaded));
      finish();
    } catch (const ClientHasGone&) {
    } catch (...) {
      if (!begun_) throw;
      event(error_json(current_api_error()));
      reply_.end();
    }
  }

 private:
  void continue_prompt(const PromptTokens& prompt) {
    const std::int64_t first = std::ssize(choices_);
    for (std::int64_t i = 0; i < request_.n; ++i)
      choices_.emplace_back(*model_.loaded.tokenizer, first + i, request_.logprobs.has_value());
    prompt_tokens_ += std::ssize(prompt.ids);
    if (prompt.dropped > 0) {
      base_["warnings"].push_back("the prompt has " + std::to_string(prompt.dropped + std::ssize(prompt.ids)) +
                                  " tokens: only the last " + std::to_string(prompt.ids.size()) +
                                  ", the model's context, are used");
    }
    if (request_.echo) add_prompt(prompt, first);
    if (request_.generate.max_tokens > 0) {
      generate(prompt.ids, first);
    } else {
      for (std::int64_t i = 0; i < request_.n; ++i) end_choice(first + i, FinishReason::kLength);
    }
  }

  void add_prompt(const PromptTokens& prompt, std::int64_t first) {
    std::vector<Choice> chances;
    if (request_.logprobs)
      chances = choices_of_text(model_.loaded, prompt.ids, static_cast<std::size_t>(*request_.logprobs));
    for (std::int64_t i = 0; i < request_.n; ++i) {
      choices_[first + i].add_text(prompt.text);
      for (std::size_t t = 0; request_.logprobs && t < prompt.ids.size(); ++t)
        choices_[first + i].add_prompt_token(prompt.ids[t], t == 0 ? nullptr : &chances[t - 1]);
      show(first + i, nullptr);
    }
  }

  void generate(const std::vector<TokenId>& ids, std::int64_t first) {
    LoadedModel& loaded = model_.loaded;
    Generator generator(loaded.model, *loaded.tokenizer, Sampler(request_.sampler, request_.rules),
                        loaded.empty_prompt_id);
    GenerateOptions options = request_.generate;
    options.max_time = std::max(1e-3, options.max_time - answer_watch_.seconds());
    options.alternatives = static_cast<std::size_t>(request_.logprobs.value_or(0));
    const std::vector<Generated> texts = generator.generate_all(ids, 0, request_.n, options, listener(first));
    require_going_on();
    for (std::int64_t i = 0; i < request_.n; ++i) {
      generated_tokens_ += std::ssize(texts[i].ids);
      end_choice(first + i, texts[i].finish_reason);
    }
  }

  TextListener listener(std::int64_t first) {
    return {.on_choice =
                [this, first](std::uint64_t sample, const Choice& choice) {
                  require_going_on();
                  choices_[first + static_cast<std::int64_t>(sample)].add_token(choice);
                },
            .on_text =
                [this, first](std::uint64_t sample, std::string_view piece) {
                  choices_[first + static_cast<std::int64_t>(sample)].add_text(piece);
                  show(first + static_cast<std::int64_t>(sample), nullptr);
                }};
  }

  void require_going_on() const {
    if (reply_.gone()) throw ClientHasGone();
    if (model_.stopped && model_.stopped()) throw ApiError(503, "the server was stopped", "", "stopped");
  }

  void end_choice(std::int64_t index, FinishReason reason) {
    if (request_.stream) return show(index, api_word(reason));
    whole_.push_back(choices_[index].take(api_word(reason)));
  }

  /// In a stream, what there is of a text.
  void show(std::int64_t index, const char* finish_reason) {
    if (!request_.stream) return;
    Json object = base_;
    object["choices"] = Json::array({choices_[index].take(finish_reason)});
    event(serialized(object));
  }

  void event(const std::string& data) {
    if (!begun_) reply_.begin({.type = "text/event-stream"});
    begun_ = true;
    reply_.write("data: " + data + "\n\n");
  }

  void finish() {
    const Json usage = {{"prompt_tokens", prompt_tokens_},
                        {"completion_tokens", generated_tokens_},
                        {"total_tokens", prompt_tokens_ + generated_tokens_}};
    Json object = base_;
    object["choices"] = whole_;
    object["usage"] = usage;
    if (!request_.stream) return reply_.send({.body = serialized(object) + "\n"});
    if (request_.stream_usage) event(serialized(object));
    event("[DONE]");
    reply_.end();
  }

  ServedModel& model_;
  const CompletionRequest& request_;
  Reply& reply_;
  StopWatch answer_watch_;
  Json base_, whole_ = Json::array();
  std::vector<ChoiceJson> choices_;
  std::int64_t prompt_tokens_ = 0, generated_tokens_ = 0;
  bool begun_ = false;
};

}  // namespace

void complete(ServedModel& model, const CompletionRequest& request, Reply& reply) {
  CompletionAnswer(model, request, reply).run();
}

}  // namespace tinylm
