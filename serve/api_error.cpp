#include "serve/api_error.h"

#include <new>

#include <c10/util/Exception.h>
#include <nlohmann/json.hpp>

#include "core/errors.h"

namespace tinylm {

namespace {

const char* type_of(int status) {
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  if (status == 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

}  // namespace

std::string error_json(const ApiError& error) {
  nlohmann::ordered_json object;
  object["error"] = {{"message", error.what()},
                     {"type", type_of(error.status)},
                     {"param", text_or_null(error.param)},
                     {"code", text_or_null(error.code)}};
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

HttpResponse error_response(const ApiError& error) {
  HttpResponse response{.status = error.status, .body = error_json(error) + "\n"};
  if (error.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

ApiError current_api_error() {
  try {
    throw;
  } catch (const ApiError& error) {
    return error;
  } catch (const BadInput& error) {
    return ApiError(400, error.what());
  } catch (const WrongUse& error) {
    return ApiError(400, error.what());
  } catch (const c10::Error& error) {
    return ApiError(500, std::string("libtorch failed: ") + error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return ApiError(500, "not enough memory for this request");
  } catch (const std::exception& error) {
    return ApiError(500, error.what());
  }
}

}  // namespace tinylm
