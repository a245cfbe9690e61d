// Pieces of text through a tokenizer, on several threads.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <vector>

#include "data/document_splitter.h"
#include "tokenizer/tokenizer.h"

namespace tinylm {

struct EncodedPieces {
  /// The ids of all pieces, one part after another.
  std::vector<std::vector<TokenId>> parts;
  /// What Tokenizer::encode() threw at the first piece that it could not encode, and its number; null: nothing.
  std::exception_ptr error = {};
  std::size_t failed_piece = 0;
};

/// START before what begins a document, the tokens, END behind what ends one. The ids are those of a call of
/// Tokenizer::encode() for each piece, whatever the number of threads: a long piece is cut behind line ends, where that
/// changes nothing.
EncodedPieces encode_pieces(std::span<const DocumentPiece> pieces, const Tokenizer& tokenizer);

}  // namespace tinylm
