#include "sample/sampler_report.h"

#include <gtest/gtest.h>

#include "sample/scripted_model.h"

namespace tinylm {
namespace {

TEST(SamplerReport, SaysWhatEachStepLeavesAndWhatIsDrawn) {
  const auto tokenizer = test::tokenizer_over("char", "a\n ");  // ids: three characters, START, END in some order
  std::vector<float> logits(5, 0.0F);
  logits[tokenizer->encode("a")[0]] = 2.0F;  // e^2 = 7.389 of 11.389
  SamplerOptions options;
  options.temperature = 1.0;
  options.top_k = 2;
  Sampler sampler(options);
  sampler.ban(tokenizer->start_id());
  const std::string text = steps_text(sampler, logits, {}, *tokenizer);
  EXPECT_TRUE(text.starts_with("From 5 logits to the next token: these steps, in this order")) << text;
  const auto line_of = [&](const std::string& beginning) {
    const std::size_t at = text.find("\n" + beginning);
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  };
  EXPECT_TRUE(line_of("ban ").starts_with("ban                 1 token     4  takes these tokens out")) << text;
  EXPECT_TRUE(line_of("repetition-penalty").starts_with("repetition-penalty      off     4  ")) << text;
  EXPECT_TRUE(line_of("top-k").starts_with("top-k                     2     2  keeps the k likeliest tokens [Fan"))
      << text;
  EXPECT_LT(text.find("\nban"), text.find("\ntop-k"));
  EXPECT_NE(text.find("0.6488  0.8808"), std::string::npos) << text;  // 7.389/11.389, then 7.389/8.389
}

}  // namespace
}  // namespace tinylm
