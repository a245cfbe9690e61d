#include "inspect/viewer/viewer_data.h"

#include <spdlog/spdlog.h>

#include <string_view>

#include "core/errors.h"
#include "core/files.h"
#include "core/json_numbers.h"
#include "core/numbers.h"
#include "inspect/base64.h"
#include "inspect/packed_rows.h"
#include "inspect/page_data.h"
#include "inspect/view_json.h"
#include "run/sessions.h"

namespace tinylm {

extern const std::string_view kViewerPage;  // joined from the files of this folder by cmake/Page.cmake

namespace {

nlohmann::ordered_json tokens_object(const Inspection& text) {
  nlohmann::ordered_json losses = nlohmann::ordered_json::array();
  for (const double loss : text.losses_nats) losses.push_back(number_or_null(loss));
  return {{"ids", text.ids}, {"texts", text.texts}, {"labels", text.labels}, {"losses_nats", losses}};
}

nlohmann::ordered_json data_of(const std::vector<View>& views) {
  nlohmann::ordered_json data = {{"written", utc_now()}, {"version", TINYLM_VERSION}};
  data["views"] = nlohmann::ordered_json::array();
  for (const View& view : views) {
    nlohmann::ordered_json json = view_json(view, Base64Writer());
    json["tokens"] = tokens_object(view.text);
    json["attention"] = base64(packed_rows(view.shown.of(view.text.attention), view.text.causal));
    json["attention_full"] = !view.text.causal;
    data["views"].push_back(std::move(json));
  }
  return data;
}

}  // namespace

std::string viewer_data(const std::vector<View>& views) {
  return data_of(views).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string viewer_page(const std::vector<View>& views) {
  return filled_page(kViewerPage, data_of(views));
}

std::int64_t page_weights_bytes(const std::vector<View>& views) {
  std::int64_t bytes = 0;
  for (const View& view : views) {
    const auto maps = static_cast<std::int64_t>(view.shown.layers.size() * view.shown.heads.size());
    bytes += packed_bytes(maps, view.tokens(), view.text.causal) * 4 / 3;  // base64
  }
  return bytes;
}

void require_page_size(std::int64_t weights_bytes) {
  if (weights_bytes <= kMostPageWeights) return;
  throw BadInput(
      "the attention weights would make a page of " + human_bytes(static_cast<std::uint64_t>(weights_bytes)) +
      ", more than the " + human_bytes(kMostPageWeights) +
      " that a browser opens without a wait: show fewer with --layers 0-3, --heads 0,1 or --last 100 (tokens), "
      "or write them with --npy");
}

void write_viewer_page(const std::vector<View>& views, const std::filesystem::path& file) {
  require_page_size(page_weights_bytes(views));
  const std::string page = viewer_page(views);
  spdlog::info("a page of {} goes to {}", human_bytes(page.size()), file.string());
  write_atomically(file, page);
}

}  // namespace tinylm
