# Every library we build on, each with the oldest version that works: Debian 12's. docs/dependencies.md says why each was
# chosen.
find_package(PkgConfig REQUIRED)
include(Libtorch)
find_package(CLI11 2.1 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)  # Debian's file names a version older than the library's
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash>=0.8)
pkg_check_modules(libedit REQUIRED IMPORTED_TARGET libedit>=3.1)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal>=2.30)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib>=0.11)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium>=1.0.18)
pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng>=1.6)
find_package(Boost 1.74 REQUIRED)  # headers alone: Beast and what it stands on
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp REQUIRED)  # headers alone, where the system has its own

# oneDNN is used from one file that must not see libtorch's include folder (a libtorch may bring headers of
# another oneDNN). Only its header folder and library are taken here.
find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp PATHS /usr/include /usr/local/include NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH REQUIRED)
find_library(ONEDNN_LIBRARY dnnl NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH REQUIRED)
message(STATUS "oneDNN: ${ONEDNN_LIBRARY}")
