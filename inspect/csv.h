// An inspection as tables: comma-separated values with a header line (RFC 4180), a file a table. Empty: not a number.
#pragma once

#include <filesystem>
#include <string>

#include "inspect/view.h"

namespace tinylm {

/// A cell: in double quotes where it holds a comma, a quote, a line end or spaces at its ends.
std::string csv_cell(const std::string& text);

/// tokens.csv, scores.csv, attention.csv (a line a layer, head, query and key it may look at: weight, and weight times
/// |f(x_k)|), lens.csv, attribution.csv, next.csv (the ten likeliest tokens after each), and where they were worked out
/// ablation.csv and rollout.csv, in `folder`; where the folder has tables of an earlier text, those two of it go.
/// Throws FileError.
void write_csv(const View& view, const std::filesystem::path& folder);

}  // namespace tinylm
