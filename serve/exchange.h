// An answer on its way from the thread that computes it to the one that sends it.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "serve/http.h"

namespace tinylm {

/// What both threads touch is behind the mutex, or atomic. A client that is 16 MB behind is given up.
class Exchange : public Reply {
 public:
  /// `wake` is called, from any thread, after each change: the sender looks again.
  explicit Exchange(std::function<void()> wake) : wake_(std::move(wake)) {}

  void send(HttpResponse response) override;
  void begin(HttpResponse head) override;
  void write(std::string piece) override;
  void end() override;
  bool gone() const override { return gone_; }

  /// What the sender takes: a head once, then the pieces that are there, as one.
  struct News {
    std::optional<HttpResponse> head;
    bool whole = false;  // the head has the body too, and nothing follows
    std::string pieces;
    bool last = false;  // nothing follows
    bool any() const { return head.has_value() || !pieces.empty() || last; }
  };
  News take();
  /// Nobody waits any more.
  void leave() { gone_ = true; }

 private:
  template <class Change>
  void add(const Change& change);

  std::function<void()> wake_;
  std::mutex mutex_;
  News news_;
  std::atomic<bool> gone_ = false;
};

}  // namespace tinylm
