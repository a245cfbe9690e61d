// report.html: one run as a page, and the same page with several runs laid over each other. One file that needs nothing
// else: no network, no other file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/report/course.h"
#include "run/sessions.h"
#include "train/sample_file.h"

namespace tinylm {

/// What a page says of a run. Every text may hold anything: it is data to the page, never markup.
struct RunReport {
  std::string name;
  std::string status;  // how the last session ended: "trained", "stopped", ...; "training"
  std::int64_t parameters = 0;
  std::int64_t total_steps = 0;
  std::string tokenizer;              // kind
  std::string tokenizer_fingerprint;  // with what follows: whether losses can be compared
  std::string training_text;          // equal for equal token ids
  std::string validation_text;        // likewise
  std::int64_t vocabulary_size = 0;
  std::string config_json = "{}";  // OptionTable::to_json()
  std::vector<Session> sessions;
  std::vector<TrainingSample> samples;  // the page shows at most kMostSamples of them
  Course course;
};

constexpr std::size_t kMostSamples = 60;

/// The page. One run: its own report; more: a comparison. `live`: a training goes on, so that the page reads itself
/// again now and then. `notes` stand above everything.
std::string report_page(const std::vector<RunReport>& runs, bool live, const std::vector<std::string>& notes = {});

}  // namespace tinylm
