// Small prepared datasets for the tests of their making and of their use.
#pragma once

#include <iterator>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data_test_support.h"

namespace tinylm {

class DatasetTest : public FolderTest {
 protected:
  TextOptions options_for(const std::filesystem::path& file) const {
    TextOptions options;
    options.text = {file.string()};
    return options;
  }
  Dataset prepare(const TextOptions& options, const std::string& kind = "char",
                  const Tokenizer* fixed = nullptr) const {
    TokenizerOptions tokenizer;
    tokenizer.tokenizer = kind;
    return prepare_dataset(options, tokenizer, 1, folder_ / "cache", fixed);
  }
  /// A dataset of 100 characters, 90 of them for training; the same one at every call.
  Dataset prepare_hundred() const {
    const std::filesystem::path file = folder_ / "hundred.txt";
    if (!std::filesystem::exists(file)) write("hundred.txt", std::string(50, 'a') + std::string(50, 'b'));
    return prepare(options_for(file));
  }
  std::ptrdiff_t cached() const { return std::distance(std::filesystem::directory_iterator(folder_ / "cache"), {}); }
};

inline std::vector<TokenId> ids_of(const TokenRange& range) {
  std::vector<TokenId> ids;
  for (std::int64_t i = 0; i < range.count; ++i) ids.push_back((*range.file)[range.first + i]);
  return ids;
}

}  // namespace tinylm
