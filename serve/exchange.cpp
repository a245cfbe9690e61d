#include "serve/exchange.h"

namespace tinylm {

namespace {

constexpr std::size_t kMostUnsentBytes = 16 << 20;

}  // namespace

template <class Change>
void Exchange::add(const Change& change) {
  {
    const std::lock_guard lock(mutex_);
    change();
  }
  wake_();
}

void Exchange::send(HttpResponse response) {
  add([&] {
    news_.head = std::move(response);
    news_.whole = news_.last = true;
  });
}

void Exchange::begin(HttpResponse head) {
  add([&] { news_.head = std::move(head); });
}

void Exchange::write(std::string piece) {
  add([&] {
    news_.pieces += piece;
    if (news_.pieces.size() > kMostUnsentBytes) leave();
  });
}

void Exchange::end() {
  add([&] { news_.last = true; });
}

Exchange::News Exchange::take() {
  const std::lock_guard lock(mutex_);
  News taken = std::move(news_);
  news_ = News();
  news_.last = taken.last;
  return taken;
}

}  // namespace tinylm
