#include "core/program_files.h"

#include <algorithm>

#include "core/errors.h"
#include "core/numbers.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

/// Where share/ and lib/ may be: beside the program (build tree), or above its bin/ (installed).
std::vector<fs::path> prefixes(const fs::path& program) {
  return {program, program.parent_path()};
}

fs::path first_existing(const std::string& name, const std::vector<fs::path>& candidates) {
  std::string looked;
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    if (fs::exists(candidate, error)) return candidate;
    looked += "\n  " + candidate.string();
  }
  throw FileError("'" + name +
                  "', which comes with the program, is missing; build or install it again. Looked for:" + looked);
}

/// lib, lib64 and the like directly under `prefix`, and one level below them.
std::vector<fs::path> library_folders(const fs::path& prefix) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(prefix, error)) {
    if (!entry.path().filename().string().starts_with("lib") || !entry.is_directory(error)) continue;
    folders.push_back(entry.path());
    for (const auto& inner : fs::directory_iterator(entry.path(), error)) folders.push_back(inner.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

fs::path executable_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw FileError("cannot find out where the program is (/proc/self/exe): " + error.message());
  return program.parent_path();
}

fs::path shared_file(const std::string& name, const fs::path& program) {
  std::vector<fs::path> candidates;
  for (const fs::path& prefix : prefixes(program)) candidates.push_back(prefix / "share/tinylm" / name);
  return first_existing(name, candidates);
}

fs::path library_file(const std::string& name, const fs::path& program) {
  std::vector<fs::path> candidates;
  for (const fs::path& prefix : prefixes(program)) {
    for (const fs::path& folder : library_folders(prefix)) {
      // Other programs' folders below a shared prefix are not worth naming in the message.
      if (fs::exists(folder / "tinylm")) candidates.push_back(folder / "tinylm" / name);
    }
    candidates.push_back(prefix / "lib/tinylm" / name);
  }
  return first_existing(name, candidates);
}

std::vector<std::string> preset_names(const fs::path& program) {
  std::vector<std::string> names;
  const fs::path folder = shared_file("configs", program);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  if (error) throw FileError("cannot read the folder of presets '" + folder.string() + "': " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path preset_file(const std::string& name, const fs::path& program) {
  const std::vector<std::string> names = preset_names(program);
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return shared_file("configs", program) / (name + ".toml");
  }
  std::string message = "there is no preset '" + name + "'" + did_you_mean(name, names) + "\nPresets:";
  for (const std::string& known : names) message += " " + known;
  throw WrongUse(message + "\nA file of your own is given with --config FILE");
}

}  // namespace tinylm
