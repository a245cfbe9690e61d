// Runs side by side: as a table for the terminal, and as JSON. (As a page: report_page().)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "inspect/report/report_page.h"

namespace tinylm {

/// Why losses of these runs say nothing about each other, or less than it seems: other tokenizers, other texts. A
/// sentence each; none when they can be compared.
std::vector<std::string> comparison_notes(const std::vector<RunReport>& runs);

/// A setting, "section.key", and its value in each run as JSON ("" where a run has no such setting).
using Difference = std::pair<std::string, std::vector<std::string>>;
/// The settings that are not the same in all runs, in the order of the first run.
std::vector<Difference> differing_settings(const std::vector<RunReport>& runs);

/// What the runs came to, a line each, and below it the settings that differ, in columns.
std::string comparison_table(const std::vector<RunReport>& runs);

/// {"runs": [{"name", "status", "step", "total_steps", "tokens_seen", "elapsed_s", "parameters", "train_loss_nats",
/// "best_val_loss_nats", "best_step", "last_val_loss_nats", "tokens_per_s"}], "differences": {"section.key": [a value
/// a run]}, "notes": []}.
std::string comparison_json(const std::vector<RunReport>& runs);

}  // namespace tinylm
