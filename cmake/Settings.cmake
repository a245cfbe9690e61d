# Language level, warnings, and a build tree laid out like the installed one (program, lib/tinylm, share/tinylm).
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# Warnings are errors with the compilers that we test, Debian's 12 and 14; a newer one may find what is none.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# A libtorch outside the system's folders is found by the installed program too.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/tinylm)

# What every target of ours shares: the root of the tree as include folder, strict warnings, OpenMP.
# The processor is asked for its instruction sets at run time, so nothing here names one.
find_package(OpenMP REQUIRED COMPONENTS CXX)
add_library(tinylm_base INTERFACE)
target_include_directories(tinylm_base INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_options(tinylm_base INTERFACE -Wall -Wextra -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # These judge library code after inlining, differ from version to version, and are wrong about "text" + std::string (GCC
  # 12, its bug 105651) and about a std::vector<bool> that grows from nothing (GCC 14, in libtorch's autograd functions).
  target_compile_options(tinylm_base INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
target_compile_options(tinylm_base INTERFACE -fno-math-errno)  # nobody reads errno after sqrt(); lets such loops vectorise
target_compile_definitions(tinylm_base INTERFACE TINYLM_VERSION="${PROJECT_VERSION}")
target_link_libraries(tinylm_base INTERFACE OpenMP::OpenMP_CXX)

# A build that watches its threads while it runs (scripts/sanitize.sh). In it sentencepiece works only where libtorch is not
# loaded (tokenizer/sentencepiece_loader.cpp).
set(TINYLM_SANITIZE "" CACHE STRING "Sanitizer of the compiler: thread or nothing")
if(TINYLM_SANITIZE)
  if(NOT TINYLM_SANITIZE STREQUAL "thread")
    message(FATAL_ERROR "TINYLM_SANITIZE must be thread or nothing, found \"${TINYLM_SANITIZE}\"")
  endif()
  target_compile_options(tinylm_base INTERFACE -fsanitize=thread -O1 -g1 -fno-omit-frame-pointer)
  target_link_options(tinylm_base INTERFACE -fsanitize=thread)
endif()
