#include "inspect/report/report_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "file_size_limit.h"
#include "inspect/report/report_observer.h"
#include "test_support.h"

namespace tinylm {
namespace {

constexpr const char* kEvil = "</script><script>alert('x')</script><!-- & \" ' </style> ]]> \xE2\x80\xA8 {{data}}";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What the page's script reads.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

Metrics step_of(std::int64_t step) {
  Metrics metrics;
  metrics.step = step;
  metrics.train_loss_nats = 2.0 + 1.0 / 3.0;
  metrics.val_loss_nats = step % 2 == 0 ? 1.5 : std::numeric_limits<double>::quiet_NaN();
  return metrics;
}

RunReport some_run(const std::string& name) {
  RunReport run;
  run.name = name;
  run.status = "trained";
  run.parameters = 1234;
  run.total_steps = 4;
  run.tokenizer = "char";
  run.config_json = R"({"model": {"width": 16}})";
  for (std::int64_t step = 1; step <= 4; ++step) run.course.add(step_of(step));
  return run;
}

TEST(ReportPage, IsWholeAndNeedsNothingElse) {
  const std::string page = report_page({some_run("demo")}, false);
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_EQ(count(page, "{{"), 0u) << "a part was not joined";
  for (const char* part : {"function makeScale", "function makeChart", "function sampleArticles", "fillOnce();"})
    EXPECT_EQ(count(page, part), 1u) << part;
  // No address of anything to load: only the names of XML's own language for drawings.
  for (const char* outside : {"src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "<link rel=\"stylesheet"})
    EXPECT_EQ(count(page, outside), 0u) << outside;
  EXPECT_EQ(count(page, "http://") + count(page, "https://"), count(page, "http://www.w3.org/2000/svg"));
  EXPECT_LT(page.size(), 100'000u);
}

TEST(ReportPage, HoldsTheRun) {
  const nlohmann::json data = data_of(report_page({some_run("demo")}, true, {"a note"}));
  EXPECT_EQ(data["live"], true);
  EXPECT_EQ(data["notes"][0], "a note");
  const auto& run = data["runs"][0];
  EXPECT_EQ(run["name"], "demo");
  EXPECT_EQ(run["parameters"], 1234);
  EXPECT_EQ(run["course"]["step"], nlohmann::json({1, 2, 3, 4}));
  EXPECT_EQ(run["course"]["loss"][0], 2.333333) << "seven digits";
  EXPECT_TRUE(run["course"]["norm"][0].is_null()) << "what is no number";
  EXPECT_EQ(run["evaluations"]["step"], nlohmann::json({2, 4}));
  EXPECT_EQ(run["best"]["step"], 2);
  EXPECT_EQ(run["config"]["model"]["width"], 16);
}

TEST(ReportPage, TakesAnyTextAsText) {
  RunReport run = some_run(kEvil);
  run.status = kEvil;
  run.samples = {{1, kEvil, kEvil}, {2, "", "not utf-8 \xff"}};
  run.config_json = nlohmann::json{{"text", {{"text", {kEvil}}}}}.dump();
  Session session;
  session.command_line = {"tinylm", "train", kEvil};
  run.sessions = {session};
  const std::string page = report_page({run}, false, {kEvil});
  const std::string plain = report_page({some_run("demo")}, false);
  for (const char* markup : {"<script", "</script", "<!--", "</style"})
    EXPECT_EQ(count(page, markup), count(plain, markup));
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["runs"][0]["samples"][0]["text"], kEvil);
  EXPECT_EQ(data["runs"][0]["sessions"][0]["command_line"][2], kEvil);
  EXPECT_EQ(data["runs"][0]["config"]["text"]["text"][0], kEvil);
  EXPECT_EQ(data["runs"][0]["samples"][1]["text"], "not utf-8 \xEF\xBF\xBD");
}

// The page's scripts make text nodes: nothing in them turns a text into markup or a program.
TEST(ReportPage, NeverMakesMarkupOfText) {
  const std::string page = report_page({some_run("demo")}, false);
  for (const char* way : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"})
    EXPECT_EQ(count(page, way), 0u) << way;
}

TEST(ReportPage, ShowsSomeOfManySamples) {
  RunReport run = some_run("demo");
  for (std::int64_t step = 1; step <= 500; ++step) run.samples.push_back({step, "", "text"});
  const auto samples = data_of(report_page({run}, false))["runs"][0]["samples"];
  ASSERT_EQ(samples.size(), kMostSamples);
  EXPECT_EQ(samples.front()["step"], 1);
  EXPECT_EQ(samples.back()["step"], 500);
  for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_LT(samples[i - 1]["step"], samples[i]["step"]);
}

TEST(ReportPage, StaysSmallForALongRun) {
  RunReport run = some_run("demo");
  for (std::int64_t step = 5; step <= 100'000; ++step) run.course.add(step_of(step));
  EXPECT_LT(report_page({run}, false).size(), 250'000u);
}

class ReportOfATraining : public ::testing::Test {
 protected:
  std::filesystem::path folder_ = test::fresh_folder();
  ReportFiles files_{folder_ / "report.html", folder_ / "metrics.jsonl", folder_ / "samples.jsonl",
                     folder_ / "sessions.json"};
  nlohmann::json data() const { return data_of(read_file(files_.page)); }
  static StepReport step(std::int64_t number, bool evaluated) {
    StepReport report;
    report.step = report.state.step = number;
    report.train_loss_nats = 2.0;
    report.evaluated = evaluated;
    return report;
  }
};

TEST_F(ReportOfATraining, IsWrittenAtAnEvaluationAndAtTheEnd) {
  ReportObserver observer(files_, some_run("demo"));
  observer.on_step(step(5, false));
  EXPECT_FALSE(std::filesystem::exists(files_.page));
  observer.on_step(step(6, true));
  EXPECT_EQ(data()["live"], true);
  EXPECT_EQ(data()["runs"][0]["status"], "training");
  write_atomically(files_.samples, sample_line({6, "", "a sample"}) + "\n");
  observer.on_step(step(7, true));
  EXPECT_EQ(data()["runs"][0]["course"]["step"].size(), 6u) << "not at each of evaluations that follow close";
  observer.conclude("stopped");
  EXPECT_EQ(data()["live"], false);
  EXPECT_EQ(data()["runs"][0]["status"], "stopped");
  EXPECT_EQ(data()["runs"][0]["course"]["step"].size(), 7u);
  EXPECT_EQ(data()["runs"][0]["samples"][0]["text"], "a sample");
}

TEST_F(ReportOfATraining, HasTheWholeHistoryOfAResumedRun) {
  write_atomically(files_.metrics, metrics_line(step(1, false)) + "\n" + metrics_line(step(2, false)) + "\n");
  RunReport nothing = some_run("demo");
  nothing.course = {};
  ReportObserver observer(files_, nothing);
  observer.on_step(step(3, false));
  observer.conclude("trained");
  EXPECT_EQ(data()["runs"][0]["course"]["step"], nlohmann::json({1, 2, 3}));
}

// A training for minutes reckons its number of steps anew at each evaluation.
TEST_F(ReportOfATraining, HasTheNumberOfStepsThatWasSaidLast) {
  ReportObserver observer(files_, some_run("demo"));
  observer.conclude("stopped");
  EXPECT_EQ(data()["runs"][0]["total_steps"], 4) << "before any step that of the run";
  StepReport report = step(5, false);
  report.total_steps = 9;
  observer.on_step(report);
  observer.conclude("stopped");
  EXPECT_EQ(data()["runs"][0]["total_steps"], 9);
}

TEST_F(ReportOfATraining, ThatCannotBeWrittenEndsNoTraining) {
  ReportObserver observer(files_, some_run("demo"));
  const test::FileSizeLimit limit(16);
  EXPECT_NO_THROW(observer.on_step(step(5, true)));
  EXPECT_NO_THROW(observer.conclude("trained"));
}

}  // namespace
}  // namespace tinylm
