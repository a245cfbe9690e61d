// Opens the sentencepiece plugin.
#pragma once

#include <filesystem>

#include "tokenizer/sentencepiece_plugin.h"

namespace tinylm {

/// Opens the plugin in `library`. Throws FileError when it cannot be opened or is another library.
const SentencePiecePlugin& open_sentencepiece_plugin(const std::filesystem::path& library);

/// The plugin that came with the program, opened at the first call and kept. Throws FileError.
const SentencePiecePlugin& sentencepiece_plugin();

}  // namespace tinylm
