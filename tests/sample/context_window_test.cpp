#include "sample/context_window.h"

#include <gtest/gtest.h>

#include "sample/scripted_model.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

constexpr std::int64_t kV = 12;

void expect_logits_near(const torch::Tensor& found, const torch::Tensor& expected) {
  EXPECT_TRUE(testing::tensors_close(found, expected, 1e-5));
}

/// A window over one text.
ContextWindow window_over(const LanguageModel& model, const std::vector<TokenId>& ids, bool use_cache) {
  return ContextWindow(model, ids, use_cache);
}

void push(ContextWindow& window, const std::vector<TokenId>& ids) {
  window.push(ids);
}

TEST(ContextWindow, CachedLogitsEqualThoseOfTheWholeWindow) {
  const LanguageModel model = test::random_model(kV, 8, "learned");
  ContextWindow cached = window_over(model, {1, 2, 3}, /*use_cache=*/true);
  ContextWindow whole = window_over(model, {1, 2, 3}, /*use_cache=*/false);
  expect_logits_near(cached.next_logits(), whole.next_logits());
  for (const TokenId id : {7, 0, 11}) {
    push(cached, {id});
    push(whole, {id});
    expect_logits_near(cached.next_logits(), whole.next_logits());
  }
}

TEST(ContextWindow, SlidingKeepsTheNewerHalf) {
  const LanguageModel model = test::random_model(kV, 4, "learned");
  for (const bool use_cache : {true, false}) {
    ContextWindow window = window_over(model, {1, 2, 3, 4}, use_cache);
    window.next_logits();
    EXPECT_TRUE(window.full());
    window.slide();
    push(window, {5});
    EXPECT_FALSE(window.full());
    expect_logits_near(window.next_logits(), window_over(model, {3, 4, 5}, false).next_logits());
  }
}

TEST(ContextWindow, TextsPartAfterTheirCommonBeginningChangePlacesAndLeave) {
  const LanguageModel model = test::random_model(kV, 8, "rope");
  for (const bool use_cache : {true, false}) {
    ContextWindow window = window_over(model, {1, 2}, use_cache);
    window.next_logits();
    window.select(std::vector<std::int64_t>{0, 0, 0});
    push(window, {4, 5, 6});
    const torch::Tensor second = window.next_logits();
    for (int text = 0; text < 3; ++text)
      expect_logits_near(second[text], window_over(model, {1, 2, 4 + text}, false).next_logits()[0]);
    window.select(std::vector<std::int64_t>{2, 1});
    push(window, {7, 8});
    const torch::Tensor third = window.next_logits();
    ASSERT_EQ(third.size(0), 2);
    expect_logits_near(third[0], window_over(model, {1, 2, 6, 7}, false).next_logits()[0]);
    expect_logits_near(third[1], window_over(model, {1, 2, 5, 8}, false).next_logits()[0]);
    window.select(std::vector<std::int64_t>{0});
    push(window, {9});
    expect_logits_near(window.next_logits()[0], window_over(model, {1, 2, 6, 7, 9}, false).next_logits()[0]);
  }
}

}  // namespace
}  // namespace tinylm
