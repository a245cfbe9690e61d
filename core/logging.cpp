#include "core/logging.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/utf8.h"

namespace tinylm {
namespace {

using FileSink = spdlog::sinks::basic_file_sink_mt;
using EarlySink = spdlog::sinks::ringbuffer_sink_mt;  // what is said before there is a file for it

constexpr std::size_t kEarlyMessages = 500;
constexpr std::string_view kLineUp = "\x1b[A", kClearBelow = "\x1b[J";

void write_to_people(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

/// Columns of a live line. The terminal's last one stays free: some wrap as soon as it is written.
std::size_t live_columns() {
  struct winsize size {};
  constexpr std::size_t kUsual = 80;
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : kUsual) - 1;
}

/// The longest beginning of `text`, a line, that takes at most `columns`.
std::string cut_to_columns(const std::string& text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t offset = 0, used = 0; offset < text.size(); end = offset) {
    const std::size_t begin = offset;
    utf8::next(text, offset);
    used += utf8::display_width(std::string_view(text).substr(begin, offset - begin));
    if (used > columns) break;
  }
  return text.substr(0, end);
}

std::string cut_lines_to_columns(const std::string& text, std::size_t columns) {
  std::string lines;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find('\n', begin);
    lines += (begin == 0 ? "" : "\n") + cut_to_columns(text.substr(begin, end - begin), columns);
  }
  return lines;
}

const char* prefix_of(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) return "error: ";
  if (level == spdlog::level::warn) return "warning: ";
  return "";
}

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

/// Writes messages to stderr, above the live line if there is one.
class PeopleSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  bool terminal() const { return terminal_; }

  void show_live(const std::string& text) {
    const std::lock_guard lock(mutex_);
    const std::string clear = clear_live();
    live_ = cut_lines_to_columns(utf8::with_replacements(text), live_columns());
    write_to_people(clear + live_);
  }

  void drop_live() {
    const std::lock_guard lock(mutex_);
    if (!live_.empty()) write_to_people(clear_live());
    live_.clear();
  }

  void finish_live() {
    const std::lock_guard lock(mutex_);
    if (!live_.empty()) write_to_people("\n");
    live_.clear();
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string line =
        prefix_of(message.level) + std::string(message.payload.data(), message.payload.size()) + "\n";
    write_to_people(live_.empty() ? line : clear_live() + line + live_);
  }
  void flush_() override {}

 private:
  /// From the end of what is shown to where it began, and everything from there on away.
  std::string clear_live() const {
    std::string codes = "\r";
    for (const char c : live_)
      if (c == '\n') codes += kLineUp;
    return codes + std::string(kClearBelow);
  }

  const bool terminal_ = stderr_is_terminal();
  std::string live_;
};

namespace {

/// Makes a logger with these sinks the default one; a new one each time, as spdlog's list of sinks has no lock.
void use_sinks(std::vector<spdlog::sink_ptr> sinks) {
  auto logger = std::make_shared<spdlog::logger>("tinylm", sinks.begin(), sinks.end());
  logger->set_level(spdlog::level::debug);  // each sink has its own level above that
  logger->flush_on(spdlog::level::debug);   // a killed run keeps what it said
  spdlog::set_default_logger(std::move(logger));
}

/// The sink that start_logging() installed, null before that.
std::shared_ptr<PeopleSink> people_sink() {
  for (const spdlog::sink_ptr& sink : spdlog::default_logger()->sinks()) {
    if (auto people = std::dynamic_pointer_cast<PeopleSink>(sink)) return people;
  }
  return nullptr;
}

}  // namespace

void start_logging(Verbosity verbosity) {
  auto sink = std::make_shared<PeopleSink>();
  switch (verbosity) {
    case Verbosity::kQuiet:
      sink->set_level(spdlog::level::warn);
      break;
    case Verbosity::kNormal:
      sink->set_level(spdlog::level::info);
      break;
    case Verbosity::kVerbose:
      sink->set_level(spdlog::level::debug);
      break;
  }
  use_sinks({std::move(sink), std::make_shared<EarlySink>(kEarlyMessages)});
}

void add_log_file(const std::filesystem::path& file) {
  std::vector<spdlog::sink_ptr> sinks;
  std::shared_ptr<EarlySink> early;
  for (const spdlog::sink_ptr& sink : spdlog::default_logger()->sinks()) {
    if (auto found = std::dynamic_pointer_cast<EarlySink>(sink)) {
      early = std::move(found);
    } else if (!std::dynamic_pointer_cast<FileSink>(sink)) {
      sinks.push_back(sink);
    }
  }
  try {
    auto sink = std::make_shared<FileSink>(file.string());
    sink->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
    if (early)
      for (const auto& message : early->last_raw()) sink->log(message);
    sinks.push_back(std::move(sink));
  } catch (const spdlog::spdlog_ex& error) {
    throw FileError("cannot open the log file '" + file.string() + "': " + error.what());
  }
  use_sinks(std::move(sinks));
}

LiveLine::LiveLine(double plain_interval_s) : plain_interval_s_(plain_interval_s) {}

LiveLine::~LiveLine() {
  finish();
}

void LiveLine::show(const std::string& text, bool important) {
  const auto sink = people_sink();
  if (!sink || !sink->should_log(spdlog::level::info)) return;
  if (sink->terminal()) {
    sink->show_live(text);
    return;
  }
  const double now_s = monotonic_seconds();
  if (important || now_s - last_plain_s_ >= plain_interval_s_) {
    write_to_people(text + "\n");
    last_plain_s_ = now_s;
    held_back_.clear();
  } else {
    held_back_ = text;
  }
}

std::size_t LiveLine::columns() const {
  const auto sink = people_sink();
  return sink && sink->terminal() ? live_columns() : 0;
}

void LiveLine::drop() {
  if (const auto sink = people_sink()) sink->drop_live();
  held_back_.clear();
}

void LiveLine::finish() {
  if (const auto sink = people_sink()) sink->finish_live();
  if (!held_back_.empty()) write_to_people(held_back_ + "\n");
  held_back_.clear();
}

}  // namespace tinylm
