// Whether the text that a dataset was made from is still what it was.
#pragma once

#include <filesystem>
#include <vector>

#include "data/dataset_manifest.h"

namespace tinylm {

/// The files that the dataset was made from and whose content is another now. A file that is gone is passed over, and
/// so is one that only its time of change tells apart, where the checksum of all files is still that of the dataset.
std::vector<std::filesystem::path> changed_texts(const DatasetManifest& manifest);

}  // namespace tinylm
