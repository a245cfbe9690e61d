// The parts of libtorch that tinylm uses: tensors, autograd, modules. <torch/torch.h> brings every ready-made layer,
// data loader and optimizer along, which costs each file seconds to compile. Include it only from rooms that use
// libtorch.
#pragma once

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>
#include <torch/utils.h>
