#include "serve/server.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "inspect/page_data.h"
#include "serve/access.h"
#include "serve/completion.h"
#include "serve/exploration.h"
#include "serve/http_server.h"
#include "serve/work_queue.h"

namespace tinylm {

extern const std::string_view kServePage;  // joined from page/ by cmake/Page.cmake

namespace {

constexpr double kGoodbyeSeconds = 1.0;  // for the last answers to be taken

/// The page is one file, asks this server alone, and no other page may frame it.
std::string serve_page_policy() {
  return page_policy(kServePage) + "; connect-src 'self'; frame-ancestors 'none'";
}

ServeOptions validated(const ServeOptions& options) {
  Problems problems;
  options.validate(problems);
  problems.throw_if_any();
  return options;
}

/// Throws as the first request would.
LoadedModel& usable(LoadedModel& loaded) {
  Generator(loaded.model, *loaded.tokenizer, Sampler({}), loaded.empty_prompt_id);
  return loaded;
}

std::string models_json(const ServedModel& model) {
  const nlohmann::ordered_json entry = {
      {"id", model.name}, {"object", "model"}, {"created", model.created}, {"owned_by", "tinylm"}};
  return nlohmann::ordered_json{{"object", "list"}, {"data", {entry}}}.dump() + "\n";
}

}  // namespace

class Server::Service {
 public:
  Service(LoadedModel& loaded, const std::string& name, const ServeOptions& options)
      : options_(validated(options)),
        model_{usable(loaded), name, static_cast<std::int64_t>(std::time(nullptr))},
        rules_{name, loaded.config.model.vocabulary_size, options.request_tokens, options.request_seconds},
        config_(loaded.config.model),
        models_(models_json(model_)),
        model_json_(model_json(model_)),
        queue_(options.waiting),
        http_(options.host, static_cast<std::uint16_t>(options.port),
              {.connections = options.connections, .body_bytes = static_cast<std::size_t>(options.body_bytes)},
              handler()) {}

  std::string address() const {
    std::string host = options_.host;
    if (host == "0.0.0.0") host = "127.0.0.1";
    if (host == "::") host = "::1";
    return "http://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" +
           std::to_string(http_.port());
  }

  void run(const std::function<bool()>& stopped) {
    model_.stopped = stopped;
    queue_.run(
        stopped, [](Reply& reply) { reply.send(error_response(current_api_error())); },
        [](Reply& reply) { reply.send(error_response(ApiError(503, "the server was stopped", "", "stopped"))); });
    http_.stop(kGoodbyeSeconds);
  }

 private:
  using Answer = void (Service::*)(const HttpRequest&, const std::shared_ptr<Reply>&);
  struct Route {
    const char* method;
    const char* path;
    Answer answer;
  };
  static constexpr std::array<Route, 7> routes() {
    return {{{"GET", "/", &Service::page},
             {"GET", "/health", &Service::health},
             {"GET", "/v1/models", &Service::models},
             {"POST", "/v1/completions", &Service::completions},
             {"GET", "/model", &Service::model},
             {"POST", "/next", &Service::next},
             {"POST", "/attention", &Service::attention}}};
  }

  HttpHandler handler() {
    return {.refuse = [this](const HttpRequest& request) { return refuse(request); },
            .answer =
                [this](const HttpRequest& request, const std::shared_ptr<Reply>& reply) {
                  try {
                    (this->*find(request)->answer)(request, reply);
                  } catch (...) {
                    reply->send(error_response(current_api_error()));
                  }
                }};
  }

  static const Route* find(const HttpRequest& request) {
    static constexpr auto kRoutes = routes();
    const auto route = std::find_if(kRoutes.begin(), kRoutes.end(), [&](const Route& candidate) {
      return candidate.path == request.path && candidate.method == request.method;
    });
    return route == kRoutes.end() ? nullptr : &*route;
  }

  std::optional<HttpResponse> refuse(const HttpRequest& request) const {
    if (const std::optional<ApiError> error = refusal(request, options_.token)) return error_response(*error);
    if (find(request) != nullptr) return std::nullopt;
    for (const Route& route : routes()) {
      if (route.path != request.path) continue;
      HttpResponse response = error_response(ApiError(405, request.path + " takes " + route.method + " only"));
      response.headers.emplace_back("Allow", route.method);
      return response;
    }
    return error_response(ApiError(404, "there is nothing at " + request.path.substr(0, 100)));
  }

  void page(const HttpRequest&, const std::shared_ptr<Reply>& reply) {
    reply->send({.type = "text/html; charset=utf-8",
                 .body = std::string(kServePage),
                 .headers = {{"Content-Security-Policy", page_policy_}, {"Referrer-Policy", "no-referrer"}}});
  }
  void health(const HttpRequest&, const std::shared_ptr<Reply>& reply) {
    reply->send({.body = "{\"status\":\"ok\"}\n"});
  }
  void models(const HttpRequest&, const std::shared_ptr<Reply>& reply) { reply->send({.body = models_}); }
  void model(const HttpRequest&, const std::shared_ptr<Reply>& reply) { reply->send({.body = model_json_}); }

  void completions(const HttpRequest& request, const std::shared_ptr<Reply>& reply) {
    compute(reply, [this, completion = read_completion(request.body, rules_)](Reply& answer) {
      complete(model_, completion, answer);
    });
  }
  void next(const HttpRequest& request, const std::shared_ptr<Reply>& reply) {
    compute(reply, [this, wanted = read_next(request.body, rules_.vocabulary)](Reply& answer) {
      answer.send({.body = next_json(model_, wanted)});
    });
  }
  void attention(const HttpRequest& request, const std::shared_ptr<Reply>& reply) {
    compute(reply, [this, wanted = read_attention(request.body, config_)](Reply& answer) {
      answer.send({.body = attention_json(model_, wanted)});
    });
  }

  void compute(const std::shared_ptr<Reply>& reply, std::function<void(Reply&)> work) {
    const std::optional<std::int64_t> retry_s = queue_.add(reply, std::move(work));
    if (!retry_s) return;
    HttpResponse response = error_response(ApiError(429,
                                                    std::to_string(options_.waiting) +
                                                        " requests are waiting for the model already: try again in " +
                                                        std::to_string(*retry_s) + " s",
                                                    "", "queue_full"));
    response.headers.emplace_back("Retry-After", std::to_string(*retry_s));
    reply->send(std::move(response));
  }

  const ServeOptions options_;
  ServedModel model_;
  const CompletionRules rules_;
  const ModelConfig config_;
  const std::string models_, model_json_, page_policy_ = serve_page_policy();
  WorkQueue queue_;
  HttpServer http_;  // goes first: nobody asks for anything then
};

Server::Server(LoadedModel& loaded, const std::string& name, const ServeOptions& options)
    : service_(std::make_unique<Service>(loaded, name, options)) {}

Server::~Server() = default;

std::string Server::address() const {
  return service_->address();
}

void Server::run(const std::function<bool()>& stopped) {
  service_->run(stopped);
}

}  // namespace tinylm
