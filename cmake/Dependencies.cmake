# Every library we build on. docs/dependencies.md says why each was chosen.
find_package(PkgConfig REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)

# libtorch: CMAKE_PREFIX_PATH or Torch_DIR choose another than the system's. The Python package prints
# .../torch/share/cmake as prefix, which find_package passes over when the system has a libtorch too: search its root first.
foreach(prefix IN LISTS CMAKE_PREFIX_PATH)
  if(prefix MATCHES "/share/cmake/?$" AND EXISTS "${prefix}/Torch/TorchConfig.cmake")
    set(Torch_DIR "${prefix}/Torch" CACHE PATH "Where TorchConfig.cmake is")
  elseif(EXISTS "${prefix}/share/cmake/Torch/TorchConfig.cmake")
    set(Torch_DIR "${prefix}/share/cmake/Torch" CACHE PATH "Where TorchConfig.cmake is")
  endif()
endforeach()
find_package(Torch REQUIRED)
message(STATUS "libtorch: ${Torch_VERSION} at ${TORCH_INSTALL_PREFIX}")

# oneDNN is used from one file that must not see libtorch's include folder (a libtorch may bring headers of
# another oneDNN). Only its header folder and library are taken here.
find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp PATHS /usr/include /usr/local/include NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH REQUIRED)
find_library(ONEDNN_LIBRARY dnnl NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH REQUIRED)
message(STATUS "oneDNN: ${ONEDNN_LIBRARY}")
