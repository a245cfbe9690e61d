// Exists so that CMake has a target to precompile <torch/torch.h> for; every room that uses libtorch reuses the result.
