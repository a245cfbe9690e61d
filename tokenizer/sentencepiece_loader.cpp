#include "tokenizer/sentencepiece_loader.h"

#include <dlfcn.h>

#include <string>

#include "core/errors.h"
#include "core/program_files.h"

namespace tinylm {
namespace {

// RTLD_DEEPBIND lets the plugin keep to the protobuf that sentencepiece brings, though libtorch's is already there. The
// sanitizers of addresses and threads refuse it; programs built with them can use the plugin only without libtorch.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

}  // namespace

const SentencePiecePlugin& open_sentencepiece_plugin(const std::filesystem::path& library) {
  void* handle = dlopen(library.c_str(), kFlags);
  if (!handle) {
    throw FileError("cannot open the sentencepiece plugin: " + std::string(dlerror()) +
                    "; is libsentencepiece installed? --tokenizer byte and char do without");
  }
  const auto entry =
      reinterpret_cast<decltype(&tinylm_sentencepiece_plugin)>(dlsym(handle, "tinylm_sentencepiece_plugin"));
  if (!entry) {
    dlclose(handle);
    throw FileError(library.string() +
                    " is not tinylm's sentencepiece plugin: it has no tinylm_sentencepiece_plugin; "
                    "build or install tinylm again");
  }
  return *entry();
}

const SentencePiecePlugin& sentencepiece_plugin() {
  static const SentencePiecePlugin* plugin = &open_sentencepiece_plugin(library_file("libtinylm_sentencepiece.so"));
  return *plugin;
}

}  // namespace tinylm
