#include "cli/run_report.h"

#include <algorithm>

#include "core/checksum.h"
#include "data/dataset_manifest.h"
#include "data/token_file.h"
#include "tokenizer/registry.h"
#include "train/metrics_file.h"
#include "train/schedule.h"

namespace tinylm {
namespace {

/// The checksum of a token file's ids, which its header holds.
std::string tokens_checksum(const std::filesystem::path& file) {
  return to_hex(TokenFile(file).header().checksum);
}

}  // namespace

RunReport report_of(const Run& run, const Configuration& configuration, const Tokenizer& tokenizer) {
  Configuration shown = configuration;
  OptionTable table;
  shown.describe(table);
  shown.run.model.vocabulary_size = tokenizer.vocabulary_size();
  const std::filesystem::path data = run.data_folder();
  const DatasetManifest manifest = DatasetManifest::read(data);

  RunReport report;
  report.name = std::filesystem::absolute(run.folder()).lexically_normal().filename().string();
  report.parameters = shown.run.model.parameter_count();
  report.total_steps = configuration.train.steps;
  report.tokenizer = tokenizer.kind();
  report.tokenizer_fingerprint = to_hex(tokenizer.fingerprint());
  report.vocabulary_size = tokenizer.vocabulary_size();
  const std::string place = " " + std::to_string(manifest.train_tokens) + " " + std::to_string(manifest.val_tokens);
  report.training_text = tokens_checksum(data / kTrainTokensFile) + place;
  report.validation_text = manifest.own_val_file ? tokens_checksum(data / kValTokensFile) : report.training_text;
  report.config_json = table.to_json();
  return report;
}

RunReport read_report(const Run& run) {
  Configuration configuration;
  OptionTable table;
  configuration.describe(table);
  table.read_toml(run.config_file());
  RunReport report = report_of(run, configuration, *load_tokenizer(run.data_folder()));
  report.sessions = read_sessions(run.sessions_file());
  report.samples = read_samples(run.samples_file());
  report.status = report.sessions.empty() ? "" : report.sessions.back().outcome;
  for_each_metrics(run.metrics_file(), [&](const Metrics& metrics) { report.course.add(metrics); });
  // With minutes the configuration has the first guess, and the checkpoint what it became.
  if (configuration.train.minutes > 0.0) {
    if (const auto state = run.checkpoints().last_state())
      report.total_steps = pace_of(configuration.train, *state).last_step;
  }
  report.total_steps = std::max(report.total_steps, report.course.last().step);
  return report;
}

}  // namespace tinylm
