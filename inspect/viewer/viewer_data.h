// The page that shows an inspection, and the data in it. One file that needs nothing else: no network, no other file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/view.h"

namespace tinylm {

/// {"written", "version", "views": [...]}: each view as view_json() with base64, its "tokens" ("ids", "texts",
/// "labels", "losses_nats") and its "attention" (packed_rows() as base64; "attention_full": of all keys, not of the
/// lower triangle). Every text may hold anything: it is data to the page, never markup.
std::string viewer_data(const std::vector<View>& views);

/// The page with the data. Two views stand side by side.
std::string viewer_page(const std::vector<View>& views);

/// Bytes that the attention weights of all views take in a page.
std::int64_t page_weights_bytes(const std::vector<View>& views);

/// The most of them that a browser opens without a wait: 12 x 12 heads and 256 tokens take 12.6 MB.
inline constexpr std::int64_t kMostPageWeights = 14'000'000;

/// Throws BadInput, naming the size and what makes a page smaller, for weights of more than kMostPageWeights.
void require_page_size(std::int64_t weights_bytes);

/// viewer_page() as a file, whose size is said first. Throws as require_page_size(), and FileError.
void write_viewer_page(const std::vector<View>& views, const std::filesystem::path& file);

}  // namespace tinylm
