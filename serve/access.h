// Who may use the server: programs of this machine and its own page, or whoever knows the token; no other web page.
#pragma once

#include <optional>
#include <string>

#include "serve/api_error.h"
#include "serve/http.h"

namespace tinylm {

/// Whether a numeric address is one of this machine alone (127.0.0.0/8, ::1); nothing when it is no address.
std::optional<bool> is_loopback(const std::string& address);

/// The reason to refuse a request, by its head alone. Each protects against another way in:
/// * Without a token, the Host header must name this machine: a page elsewhere whose name was made to lead here (DNS
///   rebinding) sends its own name.
/// * An Origin header must be the server's own: browsers send it with what pages of other sites ask for. So must
///   Sec-Fetch-Site be, but for following a link to the page.
/// * With a token, all but the page itself and /health need "Authorization: Bearer TOKEN".
std::optional<ApiError> refusal(const HttpRequest& request, const std::string& token);

}  // namespace tinylm
