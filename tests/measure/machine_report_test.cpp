#include "measure/machine_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tinylm {
namespace {

MachineReport a_machine() {
  MachineReport report;
  report.processor = {"Some processor", {"avx2", "fma", "sse"}, "GenuineIntel"};
  report.onednn_processor = report.processor;
  report.instruction_sets = {"baseline", "avx2"};
  report.instruction_set = "avx2";
  report.cores = 4;
  report.threads = 2;
  report.memory_bytes = 3'000'000'000;
  report.libtorch = "1.13.0";
  report.onednn = "2.6.3";
  report.fp32_gflops = 200.0;
  report.blas = {"/lib/libblas.so", "Haswell"};
  report.blas_gflops = 100.0;
  return report;
}

TEST(MachineReport, MeasuresThisMachine) {
  const MachineReport report = measure_machine();
  EXPECT_GE(report.cores, 1);
  EXPECT_GT(report.fp32_gflops, 0.1);
  EXPECT_GT(report.blas_gflops, 0.1);
  EXPECT_GT(report.memory_bytes, 1'000'000u);
  EXPECT_NE(report.onednn_kernels, "");
}

TEST(MachineReport, SaysWhenTheChoiceOfPrecisionIsWrong) {
  MachineReport report = a_machine();
  EXPECT_EQ(precision_advice(report), "fp32; oneDNN has no bfloat16 products for this processor");
  EXPECT_TRUE(nlohmann::json::parse(to_json(report))["onednn_bf16_gflops"].is_null());
  report.bf16_gflops = 100.0;
  EXPECT_EQ(precision_advice(report), "fp32; bfloat16 products run at 0.5 times the rate of float32 here");
  report.bf16_gflops = 500.0;
  EXPECT_EQ(precision_advice(report),
            "fp32; bfloat16 products run at 2.5 times the rate of float32 here: try --precision bf16");
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["precision_auto"], "fp32");
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["onednn_bf16_gflops"], 500.0);
  report.onednn_processor.features.insert("amx_bf16");
  EXPECT_EQ(precision_advice(report), "bf16; bfloat16 products run at 2.5 times the rate of float32 here");
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["precision_auto"], "bf16");
  report.bf16_gflops = 200.0;
  EXPECT_EQ(precision_advice(report),
            "bf16; bfloat16 products run at 1.0 times the rate of float32 here: try --precision fp32");
}

TEST(MachineReport, NamesFeaturesThatCount) {
  const auto json = nlohmann::json::parse(to_json(a_machine()));
  EXPECT_EQ(json["features"], (std::vector<std::string>{"avx2", "fma"}));
  EXPECT_EQ(json["threads"], 2);
}

TEST(MachineReport, SaysWhatToDoAboutASlowBlas) {
  MachineReport report = a_machine();
  EXPECT_EQ(to_text(report).find("update-alternatives"), std::string::npos);
  report.blas_gflops = 30.0;  // on two threads
  EXPECT_NE(to_text(report).find("update-alternatives"), std::string::npos);
}

TEST(MachineReport, SaysThatLoopsAreHeldBack) {
  MachineReport report = a_machine();
  report.instruction_set_limit = "avx2";
  EXPECT_NE(to_text(report).find("TINYLM_MAX_ISA=avx2"), std::string::npos);
}

TEST(Blas, IsSlowBelowTwentyGflopsAThread) {
  EXPECT_EQ(advice_on_blas(40.0, 2), "");
  EXPECT_NE(advice_on_blas(39.0, 2).find("39 GFLOP/s on 2 thread(s)"), std::string::npos);
}

}  // namespace
}  // namespace tinylm
