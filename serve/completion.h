// POST /v1/completions: texts that go on from prompts, whole or as a stream of server-sent events.
#pragma once

#include "serve/completion_request.h"
#include "serve/http.h"
#include "serve/served_model.h"

namespace tinylm {

/// Generates what `request` asks for and answers with it; the texts are those that `tinylm sample` gives with the same
/// options and seed. Ends early, without an answer, when the client has gone. Throws, before anything is sent, BadInput
/// for a prompt that cannot be encoded and ApiError (503) when the server is stopped; once a stream has begun, an error
/// is its last event. For the thread that computes.
void complete(ServedModel& model, const CompletionRequest& request, Reply& reply);

}  // namespace tinylm
