#include "inspect/page_data.h"

#include <nlohmann/json.hpp>

namespace tinylm {

std::string filled_page(std::string_view page, const nlohmann::ordered_json& data) {
  constexpr std::string_view kPlace = "{{data}}";
  const std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const std::size_t place = page.find(kPlace);
  std::string filled;
  filled.reserve(page.size() + text.size());
  filled += page.substr(0, place);
  for (const char c : text) {
    if (c == '<') {
      filled += "\\u003c";
    } else {
      filled += c;
    }
  }
  return filled += page.substr(place + kPlace.size());
}

}  // namespace tinylm
