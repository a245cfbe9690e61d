#include "core/errors.h"

namespace tinylm {

void Problems::throw_if_any() const {
  if (messages_.empty()) return;
  std::string all = messages_.front();
  for (std::size_t i = 1; i < messages_.size(); ++i) all += "\n" + messages_[i];
  throw WrongUse(all);
}

}  // namespace tinylm
