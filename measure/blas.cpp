#include "measure/blas.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "core/numbers.h"
#include "core/stop_watch.h"
#include "core/torch.h"

namespace tinylm {
namespace {

constexpr double kSlowGflopsPerThread = 20.0;

std::string file_of(const void* address) {
  Dl_info info;
  if (address == nullptr || ::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : file.string();
}

}  // namespace

BlasLibrary blas_in_use() {
  BlasLibrary library;
  library.file = file_of(::dlsym(RTLD_DEFAULT, "sgemm_"));
  using Name = const char* (*)();
  if (const auto corename = reinterpret_cast<Name>(::dlsym(RTLD_DEFAULT, "openblas_get_corename")))
    library.kernels = corename();
  return library;
}

double probe_blas_gflops() {
  constexpr std::int64_t kSize = 512;
  const torch::NoGradGuard no_grad;
  const torch::Tensor a = torch::ones({kSize, kSize}), b = torch::ones({kSize, kSize});
  const double seconds = fastest_s(0.02, [&] { return seconds_of([&] { torch::mm(a, b); }); });
  return 2.0 * kSize * kSize * kSize / seconds * 1e-9;
}

std::string advice_on_blas(double gflops, int threads) {
  if (gflops >= kSlowGflopsPerThread * threads) return "";
  const std::string kernels = blas_in_use().kernels;
  return "--ops plain multiplies through BLAS, which reaches only " + fixed(gflops, 0) + " GFLOP/s on " +
         std::to_string(threads) + " thread(s) here: the package may not know this processor" +
         (kernels.empty() ? "" : " (it took its kernels for " + kernels + ")") +
         ". Choose another with update-alternatives --config libblas.so.3-x86_64-linux-gnu, set OPENBLAS_CORETYPE "
         "(Haswell, SkylakeX) if it is OpenBLAS, or leave out --ops plain";
}

}  // namespace tinylm
