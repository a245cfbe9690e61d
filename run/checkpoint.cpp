#include "run/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include <spdlog/spdlog.h>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/numbers.h"
#include "run/state_file.h"

namespace tinylm {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "step-";
constexpr const char* kUnfinished = ".tmp";     // being written, or being removed
constexpr const char* kReplaced = ".replaced";  // stepping aside for a new checkpoint of the same step
constexpr const char* kStateName = "state.json";

/// N of "step-N"; nothing for other names.
std::optional<std::int64_t> step_of(std::string_view name) {
  if (name.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  const std::string_view digits = name.substr(kPrefix.size());
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (error != std::errc() || end != digits.data() + digits.size() || step < 0) return std::nullopt;
  return step;
}

/// `path`, or, where there is something, with the first number behind it that is free.
fs::path free_name(const fs::path& path) {
  fs::path name = path;
  for (int number = 2; fs::exists(name); ++number) name = path.string() + "-" + std::to_string(number);
  return name;
}

/// Moves away first, so that a kill in between never leaves half a checkpoint under its name.
void remove_checkpoint(const fs::path& folder) {
  const fs::path unfinished = folder.string() + kUnfinished;
  fs::remove_all(unfinished);
  fs::rename(folder, unfinished);
  fs::remove_all(unfinished);
}

void require_undamaged(const fs::path& file, std::uint64_t expected) {
  if (!fs::exists(file)) {
    throw FileError(file.string() +
                    " is missing, so the checkpoint is damaged; use another checkpoint of the run "
                    "(--checkpoint step-N)");
  }
  if (checksum_of_file(file) == expected) return;
  throw FileError(file.string() + " is damaged: its content does not match the checksum in " + kStateName +
                  "; use another checkpoint of the run (--checkpoint step-N)");
}

}  // namespace

CheckpointStore::CheckpointStore(fs::path folder, bool clean) : folder_(std::move(folder)) {
  if (!clean || !fs::exists(folder_)) return;
  try {
    finish_interrupted_save();
  } catch (const fs::filesystem_error& error) {
    throw FileError("cannot tidy " + folder_.string() + ": " + error.code().message());
  }
}

void CheckpointStore::finish_interrupted_save() {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder_)) entries.push_back(entry.path());
  for (const fs::path& path : entries) {
    if (path.extension() == kReplaced) {
      fs::path original = path;
      original.replace_extension();
      if (fs::exists(original)) {
        fs::remove_all(path);
      } else {
        fs::rename(path, original);
      }
    } else if (path.extension().string().rfind(kUnfinished, 0) == 0) {
      fs::remove_all(path);
    }
  }
  const std::optional<TrainingState> state = last_state();
  if (!state) return;
  const fs::path best = step_folder(state->best_step);
  std::error_code no_link;
  if (state->best_step > 0 && fs::exists(best) && fs::read_symlink(folder_ / "best", no_link) != best.filename()) {
    replace_link(folder_ / "best", best.filename());
  }
}

void CheckpointStore::save(const NamedTensors& model, const NamedTensors& optimizer, const TrainingState& state,
                           const Origin& origin, bool is_best, std::int64_t keep) {
  const fs::path final_folder = step_folder(state.step);
  const fs::path unfinished = final_folder.string() + kUnfinished;
  const fs::path replaced = final_folder.string() + kReplaced;
  const Checkpoint checkpoint{unfinished, state, origin.tokenizer_fingerprint, origin.model_options};
  try {
    fs::remove_all(unfinished);
    fs::create_directories(unfinished);
    const Metadata metadata = {{"format", "pt"},
                               {"step", std::to_string(state.step)}};  // "pt": what other readers ask for
    StateFile content{state, origin.tokenizer_fingerprint, origin.model_options, {}};
    content.checksums["model.safetensors"] = write_safetensors(checkpoint.model_file(), model, metadata);
    content.checksums["optimizer.safetensors"] = write_safetensors(checkpoint.optimizer_file(), optimizer, metadata);
    write_state_file(unfinished / kStateName, content);
    sync_folder(unfinished);
    if (fs::exists(final_folder)) fs::rename(final_folder, replaced);
    fs::rename(unfinished, final_folder);
    sync_folder(folder_);
    replace_link(folder_ / "last", final_folder.filename());
    if (is_best) replace_link(folder_ / "best", final_folder.filename());
    fs::remove_all(replaced);
    prune(keep);
  } catch (const fs::filesystem_error& error) {
    throw FileError("cannot save checkpoint " + final_folder.string() + ": " + error.code().message());
  } catch (const FileError&) {
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);  // gives its room on a full disk back
    throw;
  }
}

void CheckpointStore::prune(std::int64_t keep) {
  if (keep <= 0) return;
  const std::string best = named("best"), last = named("last");
  std::vector<std::int64_t> candidates;
  for (const std::int64_t step : steps()) {
    if (step_folder(step).filename() != best) candidates.push_back(step);
  }
  for (std::size_t i = 0; i + keep < candidates.size(); ++i) {
    if (step_folder(candidates[i]).filename() != last) remove_checkpoint(step_folder(candidates[i]));
  }
}

Checkpoint CheckpointStore::open(const std::string& name, bool with_optimizer) const {
  Checkpoint checkpoint;
  checkpoint.folder = folder_ / named(name);
  if (!step_of(named(name)) || !fs::is_directory(checkpoint.folder)) throw missing(name);
  const fs::path state_path = checkpoint.folder / kStateName;
  if (with_optimizer && (!fs::exists(state_path) || !fs::exists(checkpoint.optimizer_file()))) {
    throw FileError(checkpoint.folder.string() + " cannot be resumed: it holds weights alone, without " +
                    (fs::exists(state_path) ? "optimizer.safetensors" : kStateName) +
                    ", and training could not go on as it was; to start anew from these weights use --init-from RUN");
  }
  const StateFile content = read_state_file(state_path);
  checkpoint.state = content.state;
  checkpoint.tokenizer_fingerprint = content.tokenizer_fingerprint;
  checkpoint.model_options = content.model_options;
  for (const auto& [file, checksum] : content.checksums) {
    if (with_optimizer || file != checkpoint.optimizer_file().filename()) {
      require_undamaged(checkpoint.folder / file, checksum);
    }
  }
  return checkpoint;
}

std::optional<TrainingState> CheckpointStore::last_state() const {
  const fs::path file = folder_ / named("last") / kStateName;
  if (empty() || !fs::exists(file)) return std::nullopt;
  return read_state_file(file).state;
}

void CheckpointStore::go_back_to(const Checkpoint& checkpoint) {
  const std::string name = checkpoint.folder.filename().string();
  if (named("last") == name) return;
  replace_link(folder_ / "last", name);
  const fs::path best = step_folder(checkpoint.state.best_step);
  replace_link(folder_ / "best", fs::is_directory(best) ? best.filename() : fs::path(name));
  for (const std::int64_t step : steps()) {
    if (step > checkpoint.state.step) fs::rename(step_folder(step), free_name(step_folder(step).string() + ".damaged"));
  }
}

Checkpoint CheckpointStore::open_newest_whole() const {
  std::vector<std::int64_t> candidates = steps();
  std::string name = "last";
  std::optional<FileError> refusal;
  for (;;) {
    try {
      return open(name, /*with_optimizer=*/true);
    } catch (const FileError& damage) {
      const std::optional<std::int64_t> refused = step_of(named(name));
      while (!candidates.empty() && refused && candidates.back() >= *refused) candidates.pop_back();
      if (!refusal) refusal = damage;
      if (candidates.empty()) throw *refusal;
      name = step_folder(candidates.back()).filename().string();
      spdlog::warn("{}", damage.what());
      spdlog::warn("going back to {}", name);
    }
  }
}

std::vector<std::int64_t> CheckpointStore::steps() const {
  std::vector<std::int64_t> steps;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder_, missing)) {
    const auto step = step_of(entry.path().filename().string());
    if (step && entry.is_directory()) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

fs::path CheckpointStore::step_folder(std::int64_t step) const {
  return folder_ / (std::string(kPrefix) + std::to_string(step));
}

FileError CheckpointStore::missing(const std::string& name) const {
  const std::string run = folder_.parent_path().string();
  if (empty()) {
    return FileError(run + " has saved no checkpoint yet; go on with it (tinylm train --resume " + shell_word(run) +
                     ") or name another run");
  }
  std::string there;
  for (const std::int64_t step : steps()) there += " step-" + std::to_string(step);
  return FileError("there is no checkpoint " + name + " in " + folder_.string() + "; there are:" + there +
                   " (--checkpoint takes each of them)");
}

/// The folder of a checkpoint by any of its names. Where a copy of the run has lost the links, `last` is the newest
/// checkpoint, and `best` the one that it says was best. "" when there is none.
std::string CheckpointStore::named(const std::string& name) const {
  if (name != "last" && name != "best") return name;
  std::error_code no_link;
  const fs::path target = fs::read_symlink(folder_ / name, no_link).filename();
  if (!target.empty() && fs::is_directory(folder_ / target)) return target.string();
  if (empty()) return "";
  if (name == "last") return step_folder(steps().back()).filename().string();
  const std::optional<TrainingState> state = last_state();
  const fs::path best = state ? step_folder(state->best_step) : fs::path();
  return state && fs::is_directory(best) ? best.filename().string() : named("last");
}

}  // namespace tinylm
