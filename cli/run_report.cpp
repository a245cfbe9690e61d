#include "cli/run_report.h"

#include "core/checksum.h"
#include "data/dataset_manifest.h"
#include "data/token_file.h"
#include "tokenizer/registry.h"
#include "train/metrics_file.h"

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
  // What the configuration has is the first guess where a training was given minutes.
  const std::int64_t last_step = report.course.last().step;
  const bool passed = last_step > report.total_steps;
  if (passed || (report.status == "trained" && last_step > 0)) report.total_steps = last_step;
  return report;
}

}  // namespace tinylm
