// A text that is read once, as tokens in a file that lives as long as its object.
#pragma once

#include <memory>
#include <string>

#include "data/temporary.h"
#include "data/text_source.h"
#include "data/token_file.h"

namespace tinylm {

/// The tokens lie in a folder of this user's alone, where the system keeps temporary files, so memory does not grow
/// with the text.
class TemporaryTokens {
 public:
  /// Encodes the files, folders or standard input that `text` names, or, where it names none, `literal`, as training
  /// encodes what it holds out: documents with START and END, line ends and bad UTF-8 as `text` says. A signal ends a
  /// long pass. Throws BadInput naming file, line and column (of a literal: of "--text"), and as list_text_files() and
  /// write_tokens().
  TemporaryTokens(const TextOptions& text, const std::string& literal, const Tokenizer& tokenizer);

  TokenRange range() const { return {file_.get(), 0, file_->size()}; }

 private:
  TemporaryPath folder_;
  std::unique_ptr<TokenFile> file_;
};

}  // namespace tinylm
