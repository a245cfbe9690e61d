#include "serve/work_queue.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/stop_watch.h"

namespace tinylm {

namespace {

constexpr auto kPatience = std::chrono::milliseconds(50);
constexpr double kWeightOfLast = 0.25;  // in the mean of durations
constexpr double kMostRetrySeconds = 60.0;

}  // namespace

std::optional<std::int64_t> WorkQueue::add(const std::shared_ptr<Reply>& reply, std::function<void(Reply&)> work) {
  const std::lock_guard lock(mutex_);
  if (static_cast<std::int64_t>(waiting_.size()) >= most_)
    std::erase_if(waiting_, [](const Item& item) { return item.reply->gone(); });
  if (static_cast<std::int64_t>(waiting_.size()) >= most_)
    return std::llround(std::clamp(std::ceil(mean_s_), 1.0, kMostRetrySeconds));  // one place will be free by then
  waiting_.push_back({reply, std::move(work)});
  added_.notify_one();
  return std::nullopt;
}

std::optional<WorkQueue::Item> WorkQueue::next() {
  std::unique_lock lock(mutex_);
  added_.wait_for(lock, kPatience, [&] { return !waiting_.empty(); });
  if (waiting_.empty()) return std::nullopt;
  Item item = std::move(waiting_.front());
  waiting_.pop_front();
  return item;
}

void WorkQueue::run(const std::function<bool()>& stopped, const std::function<void(Reply&)>& fail,
                    const std::function<void(Reply&)>& leave) {
  while (!stopped()) {
    const std::optional<Item> item = next();
    if (!item || item->reply->gone()) continue;
    const StopWatch watch;
    try {
      item->work(*item->reply);
    } catch (...) {
      fail(*item->reply);
    }
    const std::lock_guard lock(mutex_);
    mean_s_ += kWeightOfLast * (watch.seconds() - mean_s_);
  }
  const std::lock_guard lock(mutex_);
  for (const Item& item : waiting_) leave(*item.reply);
  waiting_.clear();
}

}  // namespace tinylm
