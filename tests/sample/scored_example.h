// A short text as a token file.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "data/temporary.h"
#include "data/token_file.h"
#include "tokenizer/tokenizer.h"

namespace tinylm::test {

/// Token ids in a file for as long as it lives.
class TokensOf {
 public:
  TokensOf(const std::vector<TokenId>& ids, const Tokenizer& tokenizer) {
    TokenFileWriter writer(path_.path(), tokenizer.vocabulary_size(), tokenizer.fingerprint());
    writer.append(ids);
    writer.finish();
    file_ = std::make_unique<TokenFile>(path_.path());
  }

  TokenRange range() const { return {file_.get(), 0, file_->size()}; }

 private:
  TemporaryPath path_{std::filesystem::path(::testing::TempDir()) / "tokens"};
  std::unique_ptr<TokenFile> file_;
};

}  // namespace tinylm::test
