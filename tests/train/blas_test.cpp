// What still goes through BLAS, whose packages may not know the processor. This program's own sgemm_ and sgemv_ stand
// before the library's, count, and pass the call on.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>

#include "train_test_support.h"

namespace {

std::atomic<int> products{0};

template <class Function>
Function next_of(const char* name) {
  ++products;
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void sgemm_(char* trans_a, char* trans_b, int* m, int* n, int* k, float* alpha, float* a, int* lda, float* b, int* ldb,
            float* beta, float* c, int* ldc) {
  next_of<decltype(&sgemm_)>("sgemm_")(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void sgemv_(char* trans, int* m, int* n, float* alpha, float* a, int* lda, float* x, int* incx, float* beta, float* y,
            int* incy) {
  next_of<decltype(&sgemv_)>("sgemv_")(trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

}  // extern "C"

namespace tinylm {
namespace {

class Blas : public TrainingTest {
 protected:
  /// Products that reach BLAS while a model trains and is evaluated.
  int products_of(Ops ops, const ModelConfig& config) {
    TrainOptions options = small_training();
    options.steps = 4;
    LanguageModel model(config, options.seed, ops);
    Trainer trainer(model, make_optimizer(options, *model), BatchSource(train(), config.context, options.seed),
                    EvaluationWindows(val(), config.context), options);
    products = 0;
    trainer.run();
    return products;
  }
};

TEST_F(Blas, IsReachedByNoProductOfATrainingStep) {
  ModelConfig config = small_model();
  if (dlopen("libblas.so.3", RTLD_LAZY | RTLD_NOLOAD) == nullptr)
    GTEST_SKIP() << "this libtorch brings a BLAS of its own, whose calls cannot be counted: libblas.so.3 is not loaded";
  ASSERT_GT(products_of(Ops::kPlain, config), 0) << "the calls are not counted";
  EXPECT_EQ(products_of(Ops::kAuto, config), 0);
  config.tied_embeddings = false;
  config.kv_heads = 1;
  config.bias = true;
  config.activation = ActivationKind::kSwiGlu;
  config.dropout = 0.1;
  EXPECT_EQ(products_of(Ops::kAuto, config), 0);
}

}  // namespace
}  // namespace tinylm
