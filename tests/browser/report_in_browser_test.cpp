// The training report, drawn by a real browser.
#include <gtest/gtest.h>

#include <cmath>

#include "core/files.h"
#include "inspect/report/report_page.h"
#include "test_support.h"
#include "webdriver.h"

namespace tinylm::test {
namespace {

/// A run of 40 steps whose loss falls from 4 nats.
RunReport falling_run(const std::string& name) {
  RunReport run;
  run.name = name;
  run.status = "trained";
  run.parameters = 1234;
  run.total_steps = 40;
  run.tokenizer = "char";
  run.config_json = R"({"model": {"width": 16}})";
  for (std::int64_t step = 1; step <= 40; ++step) {
    Metrics metrics;
    metrics.step = step;
    metrics.train_loss_nats = 4.0 * std::exp(-0.05 * static_cast<double>(step));
    metrics.val_loss_nats = step % 10 == 0 ? metrics.train_loss_nats + 0.1 : std::nan("");
    run.course.add(metrics);
  }
  run.samples.push_back({10, "The ", "</script><b>heron</b>"});
  return run;
}

class ReportInBrowser : public ::testing::Test {
 protected:
  void open(const std::vector<RunReport>& runs) {
    const std::filesystem::path file = fresh_folder() / "report.html";
    write_atomically(file, report_page(runs, /*live=*/false));
    b.resize(1280, 800);
    b.open(file);
    b.wait_until("document.querySelectorAll('#charts figure svg path.curve').length > 0");
  }
  Browser& b = browser();
};

TEST_F(ReportInBrowser, DrawsItsCurvesAndLoadsNothing) {
  open({falling_run("demo")});
  EXPECT_EQ(b.value("document.getElementById('samples').innerText.includes('</script><b>heron</b>')"), true);
  b.run("[...document.querySelectorAll('.choice button')].forEach(button => button.click())");
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
  for (const std::string& address : b.requests())
    EXPECT_TRUE(address.rfind("file:///", 0) == 0 || address.rfind("data:", 0) == 0) << address;
}

TEST_F(ReportInBrowser, ComparesRuns) {
  open({falling_run("one"), falling_run("two")});
  EXPECT_EQ(b.value("document.querySelectorAll('.legend button').length >= 2"), true);
  EXPECT_EQ(b.complaints(), std::vector<std::string>());
}

}  // namespace
}  // namespace tinylm::test
