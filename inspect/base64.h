// Numbers as base64 (RFC 4648, standard alphabet, padded), little-endian whatever the machine.
#pragma once

#include <string>
#include <string_view>

#include "core/torch.h"

namespace tinylm {

std::string base64(std::string_view bytes);
/// The values of a tensor, float32 or int32, in C order.
std::string base64(const torch::Tensor& values);

}  // namespace tinylm
