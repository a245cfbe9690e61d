#include "inspect/page_data.h"

#include <sodium.h>

#include <array>

#include <nlohmann/json.hpp>

#include "inspect/base64.h"

namespace tinylm {
namespace {

/// The content of the first element that begins with `opening`, as a source of a policy.
std::string hash_source(std::string_view page, std::string_view opening, std::string_view closing) {
  const std::size_t begin = page.find(opening) + opening.size();
  const std::string_view content = page.substr(begin, page.find(closing, begin) - begin);
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(content.data()), content.size());
  return "'sha256-" + base64(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size())) + "'";
}

}  // namespace

std::string page_policy(std::string_view page) {
  return "default-src 'none'; style-src " + hash_source(page, "<style>", "</style>") + "; script-src " +
         hash_source(page, "<script>", "</script>") + "; img-src data:; base-uri 'none'; form-action 'none'";
}

std::string filled_page(std::string_view page, const nlohmann::ordered_json& data) {
  constexpr std::string_view kPolicyPlace = "{{policy}}", kPlace = "{{data}}";
  const std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const std::size_t policy_place = page.find(kPolicyPlace), place = page.find(kPlace);
  std::string filled;
  filled.reserve(page.size() + text.size());
  filled += page.substr(0, policy_place);
  filled += page_policy(page);
  filled += page.substr(policy_place + kPolicyPlace.size(), place - policy_place - kPolicyPlace.size());
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
