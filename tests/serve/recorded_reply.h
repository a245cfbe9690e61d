// An answer that goes nowhere: what was said is kept for the test.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "serve/http.h"

namespace tinylm::test {

class RecordedReply : public Reply {
 public:
  void send(HttpResponse response) override {
    head = response;
    body = response.body;
    ended = true;
  }
  void begin(HttpResponse response) override { head = std::move(response); }
  void write(std::string piece) override {
    body += piece;
    if (++pieces == leave_after) leave();
  }
  void end() override { ended = true; }
  bool gone() const override { return gone_; }
  /// What the client does when it goes away.
  void leave() { gone_ = true; }

  std::optional<HttpResponse> head;
  std::string body;
  bool ended = false;
  int pieces = 0, leave_after = -1;  // goes after so many

 private:
  std::atomic<bool> gone_ = false;
};

}  // namespace tinylm::test
