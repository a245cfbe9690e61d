#include "serve/work_queue.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "recorded_reply.h"

namespace tinylm {
namespace {

using test::RecordedReply;

class WorkQueueTest : public ::testing::Test {
 protected:
  std::optional<std::int64_t> add(const std::string& name, const std::shared_ptr<Reply>& reply) {
    return queue_.add(reply, [this, name](Reply&) { done_.push_back(name); });
  }
  std::shared_ptr<RecordedReply> reply() { return std::make_shared<RecordedReply>(); }
  /// Works until `count` calls were done.
  void work_off(std::size_t count) {
    queue_.run([&] { return done_.size() >= count; }, [&](Reply&) { done_.push_back("failed"); },
               [&](Reply&) { done_.push_back("left"); });
  }

  WorkQueue queue_{2};
  std::vector<std::string> done_;
};

TEST_F(WorkQueueTest, WorksInTheOrderInWhichTheWorkCame) {
  add("first", reply());
  add("second", reply());
  work_off(2);
  EXPECT_EQ(done_, (std::vector<std::string>{"first", "second"}));
}

TEST_F(WorkQueueTest, TellsWhenToTryAgainWhenItIsFull) {
  EXPECT_EQ(add("first", reply()), std::nullopt);
  EXPECT_EQ(add("second", reply()), std::nullopt);
  EXPECT_EQ(add("third", reply()), 1);
  work_off(2);
  EXPECT_EQ(add("fourth", reply()), std::nullopt);
}

TEST_F(WorkQueueTest, GivesThePlacesOfThoseWhoWentToOthers) {
  const auto impatient = reply();
  add("first", reply());
  add("second", impatient);
  impatient->leave();
  EXPECT_EQ(add("third", reply()), std::nullopt);
  work_off(2);
  EXPECT_EQ(done_, (std::vector<std::string>{"first", "third"}));
}

TEST_F(WorkQueueTest, GoesOnAfterAFailure) {
  queue_.add(reply(), [](Reply&) { throw std::runtime_error("no"); });
  add("second", reply());
  work_off(2);
  EXPECT_EQ(done_, (std::vector<std::string>{"failed", "second"}));
}

TEST_F(WorkQueueTest, LeavesWhatWaitsWhenItIsStopped) {
  add("first", reply());
  add("second", reply());
  work_off(1);
  EXPECT_EQ(done_, (std::vector<std::string>{"first", "left"}));
}

TEST_F(WorkQueueTest, TakesWorkFromManyThreads) {
  constexpr int kThreads = 4, kEach = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i)
        while (add("work", reply())) std::this_thread::yield();
    });
  }
  work_off(kThreads * kEach);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done_.size(), static_cast<std::size_t>(kThreads * kEach));
}

}  // namespace
}  // namespace tinylm
