// The page of `tinylm serve` in a real browser, with a server of the test's own process behind it.
#include <gtest/gtest.h>

#include <cmath>

#include "inspect/inspection.h"
#include "serve/served.h"
#include "webdriver.h"

namespace tinylm::test {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kSlow = 768;  // so wide a model takes a millisecond or more for a token

class ServePage : public ::testing::Test {
 protected:
  void open(ServeOptions options = {}, std::int64_t width = 32) {
    options.request_tokens = 1'000'000;
    served_ = std::make_unique<Served>(options, width);
    address_ = "http://127.0.0.1:" + std::to_string(served_->port) + "/";
    b.resize(1280, 900);
    b.prefer("light");
    b.open_address(address_);
    b.wait_until("document.readyState === 'complete'");
  }
  void open_and_type(const std::string& text, std::int64_t width = 32) {
    open({}, width);
    b.wait_until(kReady);
    type(text);
  }

  /// Puts a text into the field, as typing does, and waits until it stands there as tokens.
  void type(const std::string& text) {
    b.run("const field = byId('prompt'); field.value = arguments[0]; field.dispatchEvent(new Event('input'));", {text});
    b.wait_until("typing === null && state.ids.length === " + std::to_string(text.size()) + " && " + kReady);
  }
  void set(const std::string& id, const std::string& value) {
    b.run("const field = byId(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event('input'));",
          {id, value});
  }
  void write(const std::string& seed, const std::string& count) {
    set("seed", seed);
    set("count", count);
    b.click("#continue");
    b.wait_until("byId('status').textContent.startsWith('wrote') && " + kReady);
  }
  std::string text() { return b.value("byId('tokens').innerText"); }

  /// What `tinylm sample` gives at the page's temperature of 0.8.
  Generated expected(const std::string& prompt, std::uint64_t seed, std::int64_t tokens) {
    SamplerOptions sampler;
    sampler.seed = seed;
    GenerateOptions options;
    options.max_tokens = tokens;
    return generated(own_, prompt, sampler, options);
  }

  const std::string kReady = "state.logits !== null && state.attention !== null && state.writing === null";
  Browser& b = browser();
  LoadedModel own_ = letters_model();  // the same weights as the server's, which are its alone
  std::unique_ptr<Served> served_;
  std::string address_;
};

TEST_F(ServePage, AsksNobodyButItsServer) {
  open_and_type("abc");
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
  for (const std::string& request : b.requests())
    EXPECT_TRUE(request.starts_with(address_) || request.starts_with("data:")) << request;
}

TEST_F(ServePage, WritesTheTextOfTheCommandLine) {
  open_and_type("abc");
  write("7", "50");
  const Generated generated = expected("abc", 7, 50);
  std::vector<TokenId> ids = own_.tokenizer->encode("abc");
  ids.insert(ids.end(), generated.ids.begin(), generated.ids.end());
  EXPECT_EQ(b.value("state.ids"), Json(ids));
  EXPECT_EQ(b.value("document.querySelectorAll('.token').length"), ids.size());
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
}

TEST_F(ServePage, ShowsTokensAsTheyCome) {
  open_and_type("abc", kSlow);
  b.run(
      "window.steps = []; new MutationObserver(() => window.steps.push(document.querySelectorAll('.token').length))"
      ".observe(byId('tokens'), {childList: true});");
  write("7", "200");
  const std::vector<int> steps = b.value("window.steps");
  EXPECT_GT(steps.size(), 3U) << "the text came at once";
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
}

TEST_F(ServePage, StopsWhenToldTo) {
  open_and_type("abc", kSlow);
  set("count", "20000");
  b.click("#continue");
  b.wait_until("state.ids.length > 50");
  b.click("#stop");
  b.wait_until(kReady);
  EXPECT_LT(b.value("state.ids.length"), 20'000);
  EXPECT_TRUE(b.value("byId('stop').disabled").get<bool>());
}

/// chances.js against sample/sampler.cpp, on the page's own logits.
TEST_F(ServePage, DrawsTheChancesOfTheSampler) {
  open_and_type("abcd");
  std::vector<float> logits;
  const Json shown = b.value("state.logits");
  for (const Json& logit : shown) logits.push_back(logit.is_null() ? -1e30F : logit.get<float>());
  struct Setting {
    double temperature;
    std::int64_t top_k;
    double top_p;
  };
  for (const Setting& setting : {Setting{1.0, 0, 1.0}, Setting{0.3, 0, 1.0}, Setting{2.0, 3, 1.0}, Setting{1.0, 0, 0.7},
                                 Setting{1.5, 5, 0.5}, Setting{1.0, 0, 0.01}, Setting{0.0, 0, 1.0}}) {
    SamplerOptions options;
    options.temperature = setting.temperature;
    options.top_k = setting.top_k;
    options.top_p = setting.top_p;
    const std::vector<double> right = Sampler(options).probabilities(logits);
    const std::vector<double> found =
        b.run("return chancesOf(state.logits, arguments[0]);",
              {{{"temperature", setting.temperature}, {"topK", setting.top_k}, {"topP", setting.top_p}}});
    ASSERT_EQ(found.size(), right.size());
    for (std::size_t id = 0; id < right.size(); ++id)
      EXPECT_NEAR(found[id], right[id], 1e-6) << "token " << id << " at temperature " << setting.temperature;
  }
}

TEST_F(ServePage, ShowsAChangedSettingAtOnce) {
  open_and_type("abcd");
  b.requests();
  const auto percents = [&] {
    return b.value("[...document.querySelectorAll('#choices .percent')].map(e => e.innerText)");
  };
  const Json before = percents();
  set("temperature", "0.3");
  const Json colder = percents();  // nothing was waited for
  EXPECT_NE(colder, before);
  EXPECT_GT(std::stod(colder[0].get<std::string>()), std::stod(before[0].get<std::string>()));
  set("top-k", "2");
  EXPECT_EQ(percents()[2], "cut off");
  EXPECT_EQ(b.value("byId('left').textContent"), "2 of 12 tokens can be drawn");
  set("temperature", "0");
  EXPECT_EQ(percents()[0], "100.0 %");
  EXPECT_EQ(b.requests(), std::vector<std::string>()) << "the page computes it by itself";
}

TEST_F(ServePage, ShowsWhatElseCouldHaveStoodThereAndGoesOnFromIt) {
  open_and_type("abcd");
  set("count", "5");
  b.click(".token:nth-of-type(3)");
  b.wait_until("state.chosen === 2 && document.querySelector('#choices .there') !== null");
  EXPECT_EQ(b.value("document.querySelector('#choices .there .name').innerText"), "c");
  EXPECT_EQ(b.value("document.querySelector('.token[aria-pressed=true]').innerText"), "c");
  const std::int64_t other = b.value("Number(document.querySelector('#choices button:not(.there)').dataset.id)");
  b.click("#choices button:not(.there)");
  b.wait_until("byId('status').textContent.startsWith('wrote 5') && " + kReady);
  const std::vector<std::int64_t> ids = b.value("state.ids");
  ASSERT_EQ(ids.size(), 8U);
  EXPECT_EQ(ids[0], own_.tokenizer->encode("a").front());
  EXPECT_EQ(ids[1], own_.tokenizer->encode("b").front());
  EXPECT_EQ(ids[2], other);
}

TEST_F(ServePage, ColoursTokensByWhatAHeadLooksAt) {
  open_and_type("abca");
  const torch::Tensor attention = inspect(own_, own_.tokenizer->encode("abca")).attention;  // [L, H, T, T]
  const auto expect_row = [&](std::int64_t layer, std::int64_t head, std::int64_t query) {
    const std::vector<std::string> shown =
        b.value("[...document.querySelectorAll('.token')].map(e => e.style.getPropertyValue('--weight'))");
    for (std::int64_t key = 0; key < 4; ++key) {
      const double weight = key <= query ? attention[layer][head][query][key].item<double>() : 0.0;
      EXPECT_NEAR(std::stod(shown[static_cast<std::size_t>(key)]), 90.0 * std::sqrt(weight), 0.6) << "key " << key;
    }
  };
  expect_row(0, 0, 3);
  b.run("byId('head').value = 'L1H2'; byId('head').dispatchEvent(new Event('change'));");
  b.wait_until("byId('looks').textContent.includes('L1H2')");
  expect_row(1, 2, 3);
  b.click(".token:nth-of-type(3)");
  b.wait_until("state.chosen === 2 && byId('looks').textContent.includes('token 2')");
  expect_row(1, 2, 2);
}

TEST_F(ServePage, CanBeUsedWithTheKeyboard) {
  open_and_type("abcd");
  b.run("document.querySelector('.token').focus();");
  b.press("ArrowRight");
  b.press("ArrowRight");
  EXPECT_EQ(b.value("document.activeElement.innerText"), "c");
  b.press("Enter");
  b.wait_until("state.chosen === 2");
  b.press("End");
  EXPECT_EQ(b.value("document.activeElement.innerText"), "d");
}

TEST_F(ServePage, SaysWhatTheServerRefuses) {
  open();
  b.wait_until(kReady);
  set("prompt", "xyz");
  b.wait_until("!byId('problem').hidden");
  const std::string problem = b.value("byId('problem').innerText");
  EXPECT_NE(problem.find("is not among the 10 characters"), std::string::npos) << problem;
  type("abc");
  EXPECT_TRUE(b.value("byId('problem').hidden").get<bool>());
}

TEST_F(ServePage, AsksForTheToken) {
  ServeOptions options;
  options.token = "a-secret-token";
  open(options);
  b.wait_until("!byId('login').hidden");
  b.run("byId('token').value = 'a-secret-token';");
  b.click("#login button");
  b.wait_until(kReady);
  EXPECT_TRUE(b.value("byId('login').hidden").get<bool>());
  b.run("sessionStorage.clear();");
}

}  // namespace
}  // namespace tinylm::test
