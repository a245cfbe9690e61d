// What waits for the model. Requests are computed one after another, in the order in which they came, by one thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "serve/http.h"

namespace tinylm {

class WorkQueue {
 public:
  /// `most`: how many may wait, besides the one that is computed.
  explicit WorkQueue(std::int64_t most) : most_(most) {}

  /// Adds work that answers `reply`; for any thread. Work whose client has gone gives its place away. Nothing when
  /// there was a place, else the seconds after which it is worth trying again.
  std::optional<std::int64_t> add(const std::shared_ptr<Reply>& reply, std::function<void(Reply&)> work);

  /// Does the work in the calling thread until `stopped`, which is asked a few times a second; what waits then is given
  /// to `leave`. An exception of the work is given to `fail` while it is handled.
  void run(const std::function<bool()>& stopped, const std::function<void(Reply&)>& fail,
           const std::function<void(Reply&)>& leave);

 private:
  struct Item {
    std::shared_ptr<Reply> reply;
    std::function<void(Reply&)> work;
  };
  std::optional<Item> next();

  const std::int64_t most_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable added_;
  std::deque<Item> waiting_;
  double mean_s_ = 1.0;  // of what was done lately
};

}  // namespace tinylm
