#include "tokenizer/sentencepiece_plugin.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tinylm {

struct SentencePieceModel {
  sentencepiece::SentencePieceProcessor processor;
  std::string serialized;
  std::vector<std::string> texts;            // [V], what each id stands for
  std::array<std::int32_t, 256> byte_ids{};  // -1: none
  SentencePieceIds ids{};
};

namespace {

constexpr std::string_view kSpaceMark = "\u2581";  // how sentencepiece writes a space

void require_ok(const sentencepiece::util::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

std::string with_spaces(std::string piece) {
  for (std::size_t at = 0; (at = piece.find(kSpaceMark, at)) != std::string::npos; ++at) {
    piece.replace(at, kSpaceMark.size(), " ");
  }
  return piece;
}

/// Lists what each id stands for; a byte's piece is spelled <0x41>.
void fill_tables(SentencePieceModel& model) {
  const auto& processor = model.processor;
  model.ids = {processor.GetPieceSize(), processor.bos_id(), processor.eos_id(), -1};
  model.byte_ids.fill(-1);
  for (std::int32_t id = 0; id < model.ids.count; ++id) {
    const std::string& piece = processor.IdToPiece(id);
    std::string text;
    if (processor.IsByte(id)) {
      const int byte = std::stoi(piece.substr(1), nullptr, 16);
      model.byte_ids.at(static_cast<std::size_t>(byte)) = id;
      text = static_cast<char>(byte);
    } else if (processor.IsUnknown(id)) {
      text = "\uFFFD";  // no text encodes to it, but an untrained network may draw it
    } else if (!processor.IsControl(id)) {
      text = with_spaces(piece);
      if (text == "\n") model.ids.newline = id;
    }
    model.texts.push_back(std::move(text));
  }
  const bool bytes = std::find(model.byte_ids.begin(), model.byte_ids.end(), -1) == model.byte_ids.end();
  if (!bytes || model.ids.start < 0 || model.ids.end < 0 || model.ids.newline < 0) {
    throw std::runtime_error("the model lacks byte pieces, <s>, </s> or a piece for the newline");
  }
}

std::unique_ptr<SentencePieceModel> model_of(std::string serialized) {
  auto model = std::make_unique<SentencePieceModel>();
  model->serialized = std::move(serialized);
  require_ok(model->processor.LoadFromSerializedProto(model->serialized));
  fill_tables(*model);
  return model;
}

/// The caller's words as sentencepiece asks for them.
class Words : public sentencepiece::SentenceIterator {
 public:
  explicit Words(const SentencePieceTraining& training) : training_(training) { Next(); }
  bool done() const override { return !more_; }
  void Next() override {
    const char* bytes = nullptr;
    std::size_t size = 0;
    more_ = training_.next_word(training_.source, &bytes, &size) == 1;
    if (more_) word_.assign(bytes, size);
  }
  const std::string& value() const override { return word_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const SentencePieceTraining& training_;
  bool more_ = false;
  std::string word_;
};

/// Settings that keep every text exact; the number of threads is fixed because sums depend on it.
std::unordered_map<std::string, std::string> settings_of(const SentencePieceTraining& training) {
  return {{"vocab_size", std::to_string(training.vocab_size)},
          {"model_type", training.bpe ? "bpe" : "unigram"},
          {"input_format", "tsv"},
          {"max_sentence_length", std::to_string(training.longest_word_bytes)},
          {"hard_vocab_limit", "false"},
          {"normalization_rule_name", "identity"},
          {"remove_extra_whitespaces", "false"},
          {"add_dummy_prefix", "false"},
          {"character_coverage", "1.0"},
          {"byte_fallback", "true"},
          {"user_defined_symbols", "\n"},
          {"unk_id", "0"},
          {"bos_id", "1"},
          {"eos_id", "2"},
          {"pad_id", "-1"},
          {"num_threads", "4"},
          {"minloglevel", "3"}};
}

/// Sentencepiece takes U+2581 in a text for a space, and gives a space that it never saw as the bytes of U+2581. So
/// each piece is compared with the text it was found for, and that text is given as bytes where they differ.
std::size_t encode_line(const SentencePieceModel& model, std::string_view line, std::int32_t* ids) {
  sentencepiece::ImmutableSentencePieceText pieces;
  require_ok(model.processor.Encode(line, pieces.mutable_proto()));
  std::int32_t* out = ids;
  std::size_t consumed = 0;
  const std::size_t count = pieces.pieces_size();
  for (std::size_t i = 0; i < count;) {
    // The bytes of one unknown character are pieces of which only the last one carries the character as its surface.
    std::size_t last = i;
    while (last + 1 < count && pieces.pieces(static_cast<int>(last)).surface().empty()) ++last;
    const std::string& surface = pieces.pieces(static_cast<int>(last)).surface();
    std::string spelled;
    for (std::size_t j = i; j <= last; ++j) spelled += model.texts[pieces.pieces(static_cast<int>(j)).id()];
    if (line.compare(consumed, surface.size(), surface) != 0) throw std::logic_error("pieces that are not the line's");
    if (spelled == surface) {
      for (std::size_t j = i; j <= last; ++j)
        *out++ = static_cast<std::int32_t>(pieces.pieces(static_cast<int>(j)).id());
    } else {
      for (const char byte : surface) *out++ = model.byte_ids[static_cast<unsigned char>(byte)];
    }
    consumed += surface.size();
    i = last + 1;
  }
  if (consumed != line.size()) throw std::logic_error("pieces that do not cover the line");
  return static_cast<std::size_t>(out - ids);
}

/// Runs `work`; an exception becomes text in `error` and the result `failed`.
template <class Result, class Work>
Result guarded(SentencePieceError* error, Result failed, const Work& work) {
  const char* what = "unknown exception";
  std::string kept;
  try {
    return work();
  } catch (const std::exception& exception) {
    kept = exception.what();
    what = kept.c_str();
  } catch (...) {
  }
  std::strncpy(error->text, what, sizeof(error->text) - 1);
  error->text[sizeof(error->text) - 1] = '\0';
  return failed;
}

SentencePieceModel* train(const SentencePieceTraining* training, SentencePieceError* error) {
  return guarded<SentencePieceModel*>(error, nullptr, [&] {
    Words words(*training);
    std::string serialized;
    require_ok(sentencepiece::SentencePieceTrainer::Train(settings_of(*training), &words, &serialized));
    return model_of(std::move(serialized)).release();
  });
}

SentencePieceModel* load(const char* bytes, std::size_t size, SentencePieceError* error) {
  return guarded<SentencePieceModel*>(error, nullptr, [&] { return model_of(std::string(bytes, size)).release(); });
}

void release(SentencePieceModel* model) {
  delete model;
}

const char* serialized_bytes(const SentencePieceModel* model, std::size_t* size) {
  *size = model->serialized.size();
  return model->serialized.data();
}

SentencePieceIds special_ids(const SentencePieceModel* model) {
  return model->ids;
}

const char* text_of(const SentencePieceModel* model, std::int32_t id, std::size_t* size) {
  const std::string& text = model->texts[static_cast<std::size_t>(id)];
  *size = text.size();
  return text.data();
}

std::int64_t encode(const SentencePieceModel* model, const char* line, std::size_t size, std::int32_t* ids,
                    SentencePieceError* error) {
  return guarded<std::int64_t>(error, -1, [&] {
    return static_cast<std::int64_t>(encode_line(*model, {line, size}, ids));
  });
}

constexpr SentencePiecePlugin kPlugin{train, load, release, serialized_bytes, special_ids, text_of, encode};

}  // namespace

__attribute__((visibility("default"))) const SentencePiecePlugin* tinylm_sentencepiece_plugin() {
  return &kPlugin;
}

}  // namespace tinylm
