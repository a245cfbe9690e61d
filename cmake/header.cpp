// Exists so that CMake has a target to precompile headers for (see Rooms.cmake); every room reuses the result.
