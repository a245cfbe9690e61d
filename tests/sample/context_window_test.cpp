#include "sample/context_window.h"

#include <gtest/gtest.h>

#include "sample/scripted_model.h"

namespace tinylm {
namespace {

constexpr std::int64_t kV = 12;

void expect_near(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-4) << "at id " << i;
}

TEST(ContextWindow, CachedLogitsEqualThoseOfTheWholeWindow) {
  const LanguageModel model = test::random_model(kV, 8, "learned");
  ContextWindow cached(model, {1, 2, 3}, /*use_cache=*/true);
  ContextWindow whole(model, {1, 2, 3}, /*use_cache=*/false);
  expect_near(cached.next_logits(), whole.next_logits());
  for (const TokenId id : {7, 0, 11}) {
    cached.push(id);
    whole.push(id);
    expect_near(cached.next_logits(), whole.next_logits());
  }
}

TEST(ContextWindow, SlidingKeepsTheNewerHalf) {
  const LanguageModel model = test::random_model(kV, 4, "learned");
  for (const bool use_cache : {true, false}) {
    ContextWindow window(model, {1, 2, 3, 4}, use_cache);
    window.next_logits();
    EXPECT_TRUE(window.full());
    window.slide();
    window.push(5);
    EXPECT_FALSE(window.full());
    expect_near(window.next_logits(), ContextWindow(model, {3, 4, 5}, false).next_logits());
  }
}

}  // namespace
}  // namespace tinylm
