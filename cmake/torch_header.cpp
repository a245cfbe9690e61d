// Exists so that CMake has a target to precompile core/torch.h for; every room that uses libtorch reuses the result.
