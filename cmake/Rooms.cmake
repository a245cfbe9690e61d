# tinylm_room(NAME LINK lower-rooms... [TORCH]): the static library tinylm_NAME from every .cpp file under NAME/.

# Headers that take seconds to read each time are compiled once: the libraries' own, with libtorch's for the rooms that
# use it, and with GoogleTest's for their tests. A file pays for what it takes from there even unused: 3 seconds for
# libtorch, as many for CLI11, whose checks are objects of every file; so CLI11 is only in that of cli/.
function(tinylm_header name)
  add_library(${name} STATIC ${PROJECT_SOURCE_DIR}/cmake/header.cpp)
  target_link_libraries(${name} PUBLIC tinylm_base tinylm_libraries)
  target_precompile_headers(${name} PRIVATE <nlohmann/json.hpp> <spdlog/spdlog.h> ${ARGN})
endfunction()

add_library(tinylm_libraries INTERFACE)
target_link_libraries(tinylm_libraries INTERFACE spdlog::spdlog nlohmann_json::nlohmann_json CLI11::CLI11
  tomlplusplus::tomlplusplus PkgConfig::utf8proc PkgConfig::xxhash ${CMAKE_DL_LIBS})

tinylm_header(tinylm_header)
tinylm_header(tinylm_torch_header ${PROJECT_SOURCE_DIR}/core/torch.h)
target_link_libraries(tinylm_torch_header PUBLIC torch)
tinylm_header(tinylm_cli_header ${PROJECT_SOURCE_DIR}/core/torch.h <CLI/CLI.hpp>)
target_link_libraries(tinylm_cli_header PUBLIC torch)

# The product engine: the files over oneDNN, which see no libtorch header.
add_library(tinylm_matmul STATIC ${PROJECT_SOURCE_DIR}/model/ops/matmul.cpp
  ${PROJECT_SOURCE_DIR}/model/ops/matmul_primitives.cpp)
target_include_directories(tinylm_matmul SYSTEM PRIVATE ${ONEDNN_INCLUDE_DIR})
target_link_libraries(tinylm_matmul PUBLIC tinylm_base PRIVATE ${ONEDNN_LIBRARY})

# Names oneDNN before libtorch when `target` is linked. The libtorch of the Python packages exports functions of a oneDNN of
# its own, under the system's names: a system oneDNN that is loaded after it is bound to some of them, never initialises
# itself, and refuses products.
function(tinylm_onednn_first target)
  target_link_options(${target} PRIVATE "LINKER:--push-state,--no-as-needed,${ONEDNN_LIBRARY},--pop-state")
endfunction()

# Compiles files in groups, which halves the time: most of it goes into what each file takes from the precompiled headers.
# So what one file keeps to itself, in an anonymous namespace, must not be called like what another of the room does.
function(tinylm_grouped target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)  # each file is one group's
endfunction()

function(tinylm_room name)
  cmake_parse_arguments(ROOM "TORCH" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "(sentencepiece_plugin|ops/matmul|ops/matmul_primitives|cli/main)\\.cpp$")
  add_library(tinylm_${name} STATIC ${sources})
  target_link_libraries(tinylm_${name} PUBLIC ${ROOM_LINK})
  if(NOT name MATCHES "^(core|model)$")  # their loops are compiled for several instruction sets, each file by itself
    tinylm_grouped(tinylm_${name})
  endif()
  if(name STREQUAL "cli")
    target_precompile_headers(tinylm_cli REUSE_FROM tinylm_cli_header)
  elseif(ROOM_TORCH)
    target_precompile_headers(tinylm_${name} REUSE_FROM tinylm_torch_header)
  else()
    target_precompile_headers(tinylm_${name} REUSE_FROM tinylm_header)
  endif()
  if(ROOM_TORCH)
    target_link_libraries(tinylm_${name} PUBLIC torch)
  endif()
  if(name STREQUAL "serve")  # Boost.Beast takes half a minute to compile: alone, once
    set_source_files_properties(${PROJECT_SOURCE_DIR}/serve/http_server.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
      SKIP_PRECOMPILE_HEADERS ON)
    if(TINYLM_SANITIZE)  # does not know Asio's fences, and says so; its locks say enough
      set_source_files_properties(${PROJECT_SOURCE_DIR}/serve/http_server.cpp PROPERTIES COMPILE_OPTIONS -Wno-tsan)
    endif()
  endif()
  if(name STREQUAL "model")
    target_link_libraries(tinylm_model PUBLIC tinylm_matmul)
  endif()
endfunction()

# tests/browser/ looks at the pages of inspect/ and serve/ in a real browser, which it drives over HTTP.
add_library(tinylm_browser INTERFACE)
target_link_libraries(tinylm_browser INTERFACE tinylm_serve PkgConfig::httplib)

# tinylm_tests(ROOMS...): tests/ROOM/*_test.cpp -> build/ROOM_tests; files *_long_test.cpp -> build/ROOM_long_tests, label "long".
# Other .cpp files beside them help both.
function(tinylm_tests)
  find_package(GTest REQUIRED)
  tinylm_header(tinylm_test_header ${PROJECT_SOURCE_DIR}/core/torch.h <gtest/gtest.h>)
  target_link_libraries(tinylm_test_header PUBLIC torch GTest::gtest)
  target_compile_options(tinylm_test_header PRIVATE -O1)  # tests are compiled more often than they are waited for
  foreach(room IN LISTS ARGN)
    file(GLOB helpers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${room}/*.cpp)
    set(long_files ${helpers})
    list(FILTER long_files INCLUDE REGEX "_long_test\\.cpp$")
    set(short_files ${helpers})
    list(FILTER short_files INCLUDE REGEX "_test\\.cpp$")
    list(FILTER short_files EXCLUDE REGEX "_long_test\\.cpp$")
    list(FILTER helpers EXCLUDE REGEX "_test\\.cpp$")
    if(short_files)
      tinylm_test_program(${room} ${room}_tests short ${short_files} ${helpers})
    endif()
    if(long_files)
      tinylm_test_program(${room} ${room}_long_tests long ${long_files} ${helpers})
    endif()
  endforeach()
endfunction()

function(tinylm_test_program room target label)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE tinylm_${room} GTest::gtest_main)
  target_compile_options(${target} PRIVATE -O1)
  tinylm_grouped(${target})
  tinylm_onednn_first(${target})
  if(room STREQUAL "cli")
    add_dependencies(${target} tinylm)
  endif()
  if(room STREQUAL "serve")
    target_link_libraries(${target} PRIVATE PkgConfig::httplib)  # the client
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${target} PRIVATE
    TINYLM_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TINYLM_PROGRAM="$<TARGET_FILE_DIR:${target}>/tinylm")
  if(NOT room MATCHES "^(core|tokenizer|cli)$")
    target_precompile_headers(${target} REUSE_FROM tinylm_test_header)
  endif()
  if(room MATCHES "^(tokenizer|data|run|sample|train|inspect|serve|cli)$")
    add_dependencies(${target} tinylm_sentencepiece)
  endif()
  add_test(NAME ${target} COMMAND ${target})
  set_tests_properties(${target} PROPERTIES LABELS ${label} TIMEOUT 1800)
endfunction()

# tinylm_tests_with_avx2(ROOMS...): their tests once more as a processor without AVX-512 runs them: oneDNN has other kernels
# there, and no products in bfloat16, whose tests are left out.
function(tinylm_tests_with_avx2)
  foreach(room IN LISTS ARGN)
    set(name ${room}_tests_with_avx2)
    add_test(NAME ${name} COMMAND ${room}_tests --gtest_filter=-*Bfloat16*)
    set(results ${PROJECT_BINARY_DIR}/test-results/${name}.xml)  # where scripts/test.sh counts
    set_tests_properties(${name} PROPERTIES LABELS short TIMEOUT 1800
      ENVIRONMENT "ONEDNN_MAX_CPU_ISA=AVX2;TINYLM_MAX_ISA=avx2;GTEST_OUTPUT=xml:${results}")
  endforeach()
endfunction()
