#include "measure/machine_report.h"

#include <omp.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/instruction_set.h"
#include "core/machine.h"
#include "core/numbers.h"
#include "core/torch_compat.h"
#include "measure/square_product.h"
#include "model/ops/matmul_processor.h"
#include "run/config.h"

namespace tinylm {
namespace {

/// Features of the processor that decide how fast products are.
constexpr const char* kFeatures[] = {"avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16"};

std::vector<std::string> features_that_count(const Processor& processor) {
  std::vector<std::string> found;
  for (const char* feature : kFeatures)
    if (processor.has(feature)) found.emplace_back(feature);
  return found;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

/// Products in bfloat16 have to be this much faster to make up for the rounding of what they multiply.
constexpr double kWorthRounding = 1.3;

std::string precision_auto(const MachineReport& report) {
  MachineOptions options;
  options.resolve_precision(report.onednn_processor);
  return options.precision;
}

std::string rate(double gflops) {
  return fixed(gflops, 0) + " GFLOP/s";
}

}  // namespace

MachineReport measure_machine() {
  MachineReport report;
  report.processor = read_processor();
  report.onednn_processor = ops::matmul_processor();
  for (const InstructionSet set : available_instruction_sets()) report.instruction_sets.emplace_back(name_of(set));
  report.instruction_set = name_of(instruction_set());
  if (const char* limit = std::getenv("TINYLM_MAX_ISA")) report.instruction_set_limit = limit;
  report.cores = usable_cores();
  report.threads = omp_get_max_threads();
  report.memory_bytes = available_memory_bytes();
  report.libtorch = TORCH_VERSION;
  report.onednn = ops::matmul_engine_version();
  report.onednn_kernels = SquareProduct(kPeakProductSize, ops::MatmulInputs::kFloat32).implementation();
  report.fp32_gflops = product_gflops(kPeakProductSize, ops::MatmulInputs::kFloat32);
  if (ops::has_bf16_matmul()) report.bf16_gflops = product_gflops(kPeakProductSize, ops::MatmulInputs::kBfloat16);
  report.blas_gflops = probe_blas_gflops();
  report.blas = blas_in_use();
  return report;
}

std::string precision_advice(const MachineReport& report) {
  const std::string now = precision_auto(report);
  if (!report.bf16_gflops) return now + "; oneDNN has no bfloat16 products for this processor";
  const double ratio = *report.bf16_gflops / report.fp32_gflops;
  const std::string measured =
      now + "; bfloat16 products run at " + fixed(ratio, 1) + " times the rate of float32 here";
  if (now == "bf16" && ratio < kWorthRounding) return measured + ": try --precision fp32";
  if (now == "fp32" && ratio > kWorthRounding) return measured + ": try --precision bf16";
  return measured;
}

std::string to_json(const MachineReport& report) {
  nlohmann::ordered_json json = {
      {"processor", report.processor.name},
      {"features", features_that_count(report.processor)},
      {"instruction_sets", report.instruction_sets},
      {"instruction_set", report.instruction_set},
      {"cores", report.cores},
      {"threads", report.threads},
      {"available_memory_bytes", report.memory_bytes},
      {"libtorch", report.libtorch},
      {"onednn", report.onednn},
      {"onednn_kernels", report.onednn_kernels},
      {"onednn_gflops", report.fp32_gflops},
      {"onednn_bf16_gflops", nullptr},
      {"blas", report.blas.file},
      {"blas_kernels", report.blas.kernels},
      {"blas_gflops", report.blas_gflops},
      {"precision_auto", precision_auto(report)},
  };
  if (report.bf16_gflops) json["onednn_bf16_gflops"] = *report.bf16_gflops;
  return json.dump(2);
}

std::string to_text(const MachineReport& report) {
  const std::string limit =
      report.instruction_set_limit.empty() ? "" : "; held to that by TINYLM_MAX_ISA=" + report.instruction_set_limit;
  const std::string blas = report.blas.file.empty() ? "unknown" : report.blas.file;
  std::string text =
      "processor          " + report.processor.name + "\n" +                          //
      "has                " + joined(features_that_count(report.processor)) + "\n" +  //
      "tinylm's loops     " + report.instruction_set + " (of " + joined(report.instruction_sets) + limit + ")\n" +
      "cores              " + std::to_string(report.cores) + " that this process may use, " +            //
      std::to_string(report.threads) + " thread(s)\n" +                                                  //
      "memory             " + human_bytes(report.memory_bytes) + " available\n" +                        //
      "libtorch           " + report.libtorch + "\n" +                                                   //
      "oneDNN             " + report.onednn + ", kernels " + report.onednn_kernels + "\n" +              //
      "  float32          " + rate(report.fp32_gflops) + " (products of 512^3; what tinylm uses)\n" +    //
      "  bfloat16         " + (report.bf16_gflops ? rate(*report.bf16_gflops) : "no products") + "\n" +  //
      "BLAS               " + blas + (report.blas.kernels.empty() ? "" : ", kernels " + report.blas.kernels) + "\n" +
      "  float32          " + rate(report.blas_gflops) + " (what --ops plain uses)\n" +  //
      "--precision auto   " + precision_advice(report) + "\n";
  const std::string advice = advice_on_blas(report.blas_gflops, report.threads);
  return advice.empty() ? text : text + "\n" + advice + "\n";
}

}  // namespace tinylm
