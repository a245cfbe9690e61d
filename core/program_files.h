// Files that come with the program, found relative to the executable: beside it in a build tree
// (build/share/tinylm), one level up when installed (prefix/bin/tinylm, prefix/share/tinylm).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tinylm {

/// Folder of the running executable. Throws FileError when the system does not tell.
std::filesystem::path executable_folder();
/// share/tinylm/NAME; throws FileError naming the places looked in.
std::filesystem::path shared_file(const std::string& name, const std::filesystem::path& program = executable_folder());
/// lib/tinylm/NAME (lib, lib64 or lib/ARCHITECTURE); throws FileError naming the places looked in.
std::filesystem::path library_file(const std::string& name, const std::filesystem::path& program = executable_folder());
/// configs/NAME.toml; throws WrongUse with the known presets and the nearest one when there is no such preset.
std::filesystem::path preset_file(const std::string& name, const std::filesystem::path& program = executable_folder());
/// Names of all presets, sorted.
std::vector<std::string> preset_names(const std::filesystem::path& program = executable_folder());

}  // namespace tinylm
