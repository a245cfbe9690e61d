// Shows a file in the user's browser.
#pragma once

#include <filesystem>

namespace tinylm {

/// Hands `file` to the desktop's program for it (xdg-open). Where there is none, says how to open it.
void open_page(const std::filesystem::path& file);

}  // namespace tinylm
