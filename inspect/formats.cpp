#include "inspect/formats.h"

#include "core/files.h"
#include "inspect/csv.h"
#include "inspect/json_export.h"
#include "inspect/npy.h"
#include "inspect/pictures.h"
#include "inspect/viewer/viewer_data.h"

namespace tinylm {
namespace {

using Views = std::vector<View>;
using Path = std::filesystem::path;

void write_page(const Views& views, const FormatOptions&, const Path& file) {
  write_viewer_page(views, file);
}

void write_json_file(const Views& views, const FormatOptions&, const Path& file) {
  write_atomically(file, inspection_json(views) + "\n");
}

void write_npy_folder(const Views& views, const FormatOptions& options, const Path& folder) {
  write_npy(views.front(), options.what, folder);
}

void write_csv_folder(const Views& views, const FormatOptions&, const Path& folder) {
  write_csv(views.front(), folder);
}

void write_png_file(const Views& views, const FormatOptions& options, const Path& file) {
  write_atomically(file, head_png(views.front().text, options.head));
}

void write_svg_file(const Views& views, const FormatOptions& options, const Path& file) {
  write_atomically(file, head_svg(views.front().text, options.head));
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> table = {
      {"html", "FILE", "everything as one page for a browser, which needs no network and no other file", true, true,
       write_page},
      {"json", "FILE",
       "everything as one JSON object; without FILE, or with '-', to standard output instead of the drawing", true,
       true, write_json_file, inspection_json},
      {"npy", "DIR",
       "arrays for numpy: attention.npy (float32, layers x heads x tokens x tokens), tokens.json; see --what", false,
       false, write_npy_folder},
      {"csv", "DIR", "tables for a spreadsheet: tokens, scores, attention, ablation, attribution, lens, next tokens",
       false, true, write_csv_folder},
      {"png", "FILE", "the map of one head, see --head, as a picture", false, false, write_png_file},
      {"svg", "FILE", "the same as a drawing with its tokens", false, false, write_svg_file},
  };
  return table;
}

}  // namespace tinylm
