// The NPY format, version 1.0, as numpy's format description (NEP 1) gives it: a magic string, the length of a header,
// the header as a Python dictionary padded so that the data begins at a multiple of 64 bytes, the data in C order.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/torch.h"
#include "inspect/view.h"

namespace tinylm {

/// The file's bytes for a float32 tensor of any shape, in this machine's byte order (which the header names).
std::string npy_bytes(const torch::Tensor& values);

/// The arrays that can be written, of the layers and heads that the view shows: attention (L,H,T,T); q, k, v as they
/// meet in attention, (L,H,T,D), with grouped heads k and v of the Hkv heads that those shown use; heads, their outputs
/// before they are joined, (L,H,T,D); residual, after the embedding and after each of the model's blocks, (L+1,T,C).
std::vector<std::string> npy_arrays();
bool is_npy_array(const std::string& name);
/// What is to be said of a name that is none.
std::string no_npy_array(const std::string& name);

/// NAME.npy (float32, C order) of each name in `what` and tokens.json (see tokens_json) in `folder`; arrays that are
/// there already are removed if they are of another text. Throws WrongUse for a name that is none of npy_arrays(),
/// FileError.
void write_npy(const View& view, const std::vector<std::string>& what, const std::filesystem::path& folder);

}  // namespace tinylm
