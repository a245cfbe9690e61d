// Errors as clients of the OpenAI interface expect them: {"error": {"message", "type", "param", "code"}} and a status.
#pragma once

#include <stdexcept>
#include <string>

#include "serve/http.h"

namespace tinylm {

/// A request that is refused, and why. `param`: the field of the request that is at fault, "" for none; `code`: a word
/// for programs, "" for none.
struct ApiError : std::runtime_error {
  ApiError(int status_code, const std::string& message, std::string field = "", std::string word = "")
      : std::runtime_error(message), status(status_code), param(std::move(field)), code(std::move(word)) {}
  int status;
  std::string param, code;
};

/// {"error": ...} as the body of an answer and as an event of a stream; `type` follows from the status.
std::string error_json(const ApiError& error);
HttpResponse error_response(const ApiError& error);

/// The exception being handled, as one: BadInput and WrongUse are the request's fault (400), all others ours (500).
ApiError current_api_error();

}  // namespace tinylm
