#include "cli/line_reader.h"

#include <histedit.h>
#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string_view>

namespace tinylm {
namespace {

constexpr int kLinesRemembered = 1000;

class PlainLines : public LineReader {
 public:
  std::optional<std::string> next() override {
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }
  bool typed() const override { return false; }
};

/// libedit keeps bytes of a line as characters of the locale.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(::nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
}

char* prompt_text(EditLine*) {
  static char text[] = "> ";
  return text;
}

/// While it lives, Ctrl-C ends nothing: for the moment between the prompt and the editor's taking over the keys.
class WithoutInterrupts {
 public:
  WithoutInterrupts() = default;
  ~WithoutInterrupts() { std::signal(SIGINT, before_); }
  WithoutInterrupts(const WithoutInterrupts&) = delete;
  WithoutInterrupts& operator=(const WithoutInterrupts&) = delete;

 private:
  void (*before_)(int) = std::signal(SIGINT, SIG_IGN);
};

class EditedLines : public LineReader {
 public:
  EditedLines() {
    use_utf8();
    ::history(history_, &event_, H_SETSIZE, kLinesRemembered);
    ::history(history_, &event_, H_SETUNIQUE, 1);
    ::el_set(editor_, EL_CLIENTDATA, this);
    ::el_set(editor_, EL_PROMPT, prompt_text);
    ::el_set(editor_, EL_HIST, ::history, history_);
    ::el_set(editor_, EL_EDITOR, "emacs");
    ::el_set(editor_, EL_ADDFN, "give-up-line", "Gives up the line", give_up_line);
    ::el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    // While a line is edited Ctrl-C is a key like others; it is a signal again while a sample is written.
    ::el_set(editor_, EL_SETTY, "-d", "-isig", nullptr);
    ::el_set(editor_, EL_BIND, "^C", "give-up-line", nullptr);
    ::el_set(editor_, EL_SIGNAL, 1);  // one that ends the process leaves the terminal as it was
    ::el_source(editor_, nullptr);
  }
  ~EditedLines() override {
    ::el_end(editor_);
    ::history_end(history_);
  }
  EditedLines(const EditedLines&) = delete;
  EditedLines& operator=(const EditedLines&) = delete;

  std::optional<std::string> next() override {
    const WithoutInterrupts here;
    while (true) {
      given_up_ = false;
      int length = 0;
      const char* text = ::el_gets(editor_, &length);
      if (text == nullptr || length <= 0) {
        std::fputs("\n", stderr);
        return std::nullopt;
      }
      if (given_up_) continue;
      std::string line(text, static_cast<std::size_t>(length));
      while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
      if (!line.empty()) ::history(history_, &event_, H_ENTER, line.c_str());
      return line;
    }
  }
  bool typed() const override { return true; }

 private:
  static unsigned char give_up_line(EditLine* editor, int) {
    EditedLines* self = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &self);
    self->given_up_ = true;
    std::fputs("^C\n", stderr);
    return CC_NEWLINE;
  }

  EditLine* editor_ = ::el_init("tinylm", stdin, stderr, stderr);
  ::History* history_ = ::history_init();
  HistEvent event_{};
  bool given_up_ = false;
};

}  // namespace

std::unique_ptr<LineReader> make_line_reader() {
  if (::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0) return std::make_unique<EditedLines>();
  return std::make_unique<PlainLines>();
}

}  // namespace tinylm
