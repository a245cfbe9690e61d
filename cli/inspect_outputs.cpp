#include "cli/inspect_outputs.h"

#include <spdlog/fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

#include "cli/flag_checks.h"
#include "cli/open_page.h"
#include "inspect/npy.h"
#include "inspect/packed_rows.h"
#include "inspect/viewer/viewer_data.h"

namespace tinylm {

void OutputFlags::describe(CLI::App& app) {
  for (const Format& format : formats()) {
    CLI::Option* option =
        app.add_option("--" + format.name, places_[format.name], format.help)->type_name(format.place);
    if (format.text) option->expected(0, 1)->default_str("-");
    option->check(not_empty());
  }
  app.add_option("--what", what_, "arrays of --npy, any of " + fmt::format("{}", fmt::join(npy_arrays(), ",")))
      ->delimiter(',')
      ->capture_default_str()
      ->needs("--npy");
  app.add_flag("--open", open_, "open the page of --html in the browser")->needs("--html");
  app.add_flag("--term", term_, "draw in the terminal although files are written, too");
}

void OutputFlags::validate(bool two, Problems& problems) const {
  for (const Format& format : formats())
    problems.require(!two || format.several || places_.at(format.name).empty(),
                     "--" + format.name + " writes one text of one run: leave out --compare and the second --prompt");
  for (const Format& format : formats())
    problems.require(
        !term_ || !format.text || places_.at(format.name) != "-",
        "--term and --" + format.name + " both write to standard output: give --" + format.name + " a file");
  for (const std::string& name : what_) problems.require(is_npy_array(name), no_npy_array(name));
}

bool OutputFlags::files() const {
  return std::any_of(places_.begin(), places_.end(), [](const auto& place) { return !place.second.empty(); });
}

bool OutputFlags::show_effects() const {
  return draws() || std::any_of(formats().begin(), formats().end(), [&](const Format& format) {
           return format.effects && !places_.at(format.name).empty();
         });
}

void OutputFlags::require_writable(const HeadSelection& shown, const ModelConfig& model, std::int64_t tokens) const {
  if (places_.at("html").empty()) return;
  const auto maps = static_cast<std::int64_t>(shown.layers.size() * shown.heads.size());
  require_page_size(packed_bytes(maps, tokens, model.attention_mask == MaskKind::kCausal) * 4 / 3);
}

bool OutputFlags::write(const std::vector<View>& views, const HeadPlace& head) const {
  bool to_output = false;
  for (const Format& format : formats()) {
    const std::string& place = places_.at(format.name);
    if (place.empty()) continue;
    if (place == "-" && format.text) {
      std::cout << format.text(views) << '\n';
      to_output = true;
    } else {
      format.write(views, {head, what_}, place);
      spdlog::info("{} written to {}", format.name, place);
    }
  }
  if (open_) open_page(places_.at("html"));
  return to_output;
}

}  // namespace tinylm
