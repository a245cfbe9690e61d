// The section "tokenizing" of the suite.
#include <memory>

#include "core/stop_watch.h"
#include "data/piece_encoder.h"
#include "data/text_files.h"
#include "measure/suite.h"
#include "tokenizer/registry.h"

namespace tinylm {
namespace {

constexpr std::int64_t kPieces = 1000;
constexpr std::size_t kBytes = 600'000;  // tenths of a second

/// The bundled text over and over, and pieces of words that sentencepiece has learned from it.
class Tokenizing {
 public:
  Tokenizing() {
    TextFiles text(list_text_files({}, {}), {}, /*any_bytes=*/false);
    text.keep_quiet();
    TokenizerOptions options;
    options.tokenizer = "sentencepiece";
    options.vocab_size = kPieces;
    tokenizer_ = make_tokenizer(options, /*seed=*/1, text);
    std::string once;
    text.rewind();
    for (std::string piece; text.next(piece);) once += piece;
    while (pieces_.front().text.size() < kBytes) pieces_.front().text += once;
  }

  /// Seconds a byte, line by line in one thread.
  double one_thread_s() const {
    return a_byte([&] { tokenizer_->encode(pieces_.front().text); });
  }
  /// The same on all threads, as a training's text is encoded.
  double all_threads_s() const {
    return a_byte([&] { encode_pieces(pieces_, *tokenizer_); });
  }

 private:
  template <class Work>
  double a_byte(const Work& work) const {
    return seconds_of(work) / static_cast<double>(pieces_.front().text.size());
  }

  std::unique_ptr<Tokenizer> tokenizer_;
  std::vector<DocumentPiece> pieces_ = std::vector<DocumentPiece>(1);
};

/// Made when the first case needs it.
using Shared = std::shared_ptr<std::unique_ptr<Tokenizing>>;

void add_case(Suite& suite, const std::string& name, const Shared& shared, double (Tokenizing::*work)() const) {
  const auto prepare = [shared, work] {
    if (!*shared) *shared = std::make_unique<Tokenizing>();
    return [shared, work] { return ((**shared).*work)(); };
  };
  suite.cases.push_back({name, prepare, /*kept_bytes=*/16 * kBytes});
  suite.results.push_back({"tokenizing", name, "MB/s", name, 1e-6, true});
}

}  // namespace

void add_tokenizing(Suite& suite) {
  const auto shared = std::make_shared<std::unique_ptr<Tokenizing>>();
  add_case(suite, "tokenizing_one_thread", shared, &Tokenizing::one_thread_s);
  add_case(suite, "tokenizing_all_threads", shared, &Tokenizing::all_threads_s);
  suite.ratios.push_back({"tokenizing", "tokenizing_over_one_thread", "tokenizing_one_thread", "tokenizing_all_threads",
                          "text a second on all threads, over sentencepiece line by line in one"});
}

}  // namespace tinylm
