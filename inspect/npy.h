// The NPY format, version 1.0, as numpy's format description (NEP 1) gives it: a magic string, the length of a header,
// the header as a Python dictionary padded so that the data begins at a multiple of 64 bytes, the data in C order.
#pragma once

#include <filesystem>
#include <string>

#include "core/torch.h"
#include "inspect/inspection.h"

namespace tinylm {

/// The file's bytes for a float32 tensor of any shape, in this machine's byte order (which the header names).
std::string npy_bytes(const torch::Tensor& values);

/// attention.npy (float32, C order, (L,H,T,T)) and tokens.json (see tokens_json) in `folder`. Throws FileError.
void write_npy(const Inspection& inspection, const std::filesystem::path& folder);

}  // namespace tinylm
