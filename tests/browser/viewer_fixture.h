// A page of the attention viewer whose every number is known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tinylm::test {

/// What the numbers of a made-up view are made of. The heads take turns in what they look at, counted over all layers:
/// 0 the token before (the first: itself), 1 all evenly, 2 half the first and half itself, 3 itself.
struct MadeView {
  int layers = 2, heads = 2;
  std::vector<std::string> texts = {"a", "b", "a", " ", "b", "c"};
  int vocabulary = 8;
  bool full = false;  // looks ahead as well: then every row is even

  int tokens() const { return static_cast<int>(texts.size()); }
  /// The weight of a packed cell, in 1/65535; 1 as it is packed is 65535.
  std::uint16_t weight(int layer, int head, int query, int key) const;
  /// Length of the value vector at `key`: 1 + layer + head / 2 + key / 4.
  float norm(int layer, int head, int key) const;
  /// Logit of token `id` after position `t`; all different.
  float logit(int t, int id) const;
  /// Score of a head in the map "previous": 0, 0.1, 0.2, ... over all heads, 1 at most.
  double score(int layer, int head) const;
};

/// The view as the program writes it: see inspect/viewer/viewer_data.h.
nlohmann::json view_json(const MadeView& view);

/// The whole page, with views of which the test may have changed some.
std::string made_page(const std::vector<nlohmann::json>& views);

/// Writes the page into the running test's folder; gives the file.
std::filesystem::path written_page(const std::vector<nlohmann::json>& views);

}  // namespace tinylm::test
