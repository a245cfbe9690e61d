# libtorch: the system's, or the one that Torch_DIR or CMAKE_PREFIX_PATH names (as -D or in the environment). Defines the
# target torch.

# The Python package prints .../torch/share/cmake as its prefix, in which find_package does not look: with a libtorch
# in the system too, it would take that one without a word. So the places under each prefix are tried here first.
function(tinylm_libtorch_of_prefixes result)
  string(REPLACE ":" ";" from_environment "$ENV{CMAKE_PREFIX_PATH}")
  foreach(prefix IN LISTS CMAKE_PREFIX_PATH from_environment)
    foreach(place share/cmake/Torch Torch)
      if(EXISTS ${prefix}/${place}/TorchConfig.cmake)
        get_filename_component(folder ${prefix}/${place} REALPATH)
        set(${result} ${folder} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
endfunction()

if(DEFINED ENV{Torch_DIR})
  get_filename_component(chosen $ENV{Torch_DIR} REALPATH)
else()
  tinylm_libtorch_of_prefixes(chosen)
endif()
# Once found, Torch_DIR and the paths of its libraries stay in the cache: a mixture of two libtorchs would crash.
if(chosen AND Torch_DIR AND NOT chosen PATH_EQUAL Torch_DIR)
  message(FATAL_ERROR "Two libtorchs are named: ${chosen} and, in this build folder or by -DTorch_DIR, ${Torch_DIR}. "
    "Name one, and configure anew: cmake --fresh -G '${CMAKE_GENERATOR}' -S ${CMAKE_SOURCE_DIR} -B ${CMAKE_BINARY_DIR}")
elseif(chosen AND NOT Torch_DIR)
  set(Torch_DIR ${chosen} CACHE PATH "Folder of TorchConfig.cmake")
endif()

# Torch's configuration looks for its other half, Caffe2, and for its libraries by itself, and prefers the system's: its
# root has to come first in the search. A CUDA build's also asks for nvcc and for the CUDA libraries to link. This program
# compiles no CUDA code, and libtorch_cuda finds its libraries when it is loaded: with torch::cudart defined, the
# configuration leaves both alone.
set(prefixes_before ${CMAKE_PREFIX_PATH})
if(Torch_DIR MATCHES "^(.+)/share/cmake/Torch/?$")
  list(PREPEND CMAKE_PREFIX_PATH ${CMAKE_MATCH_1})
  if(EXISTS ${CMAKE_MATCH_1}/lib/libtorch_cuda.so)
    add_library(torch::cudart INTERFACE IMPORTED)
    target_link_options(torch::cudart INTERFACE -Wl,--allow-shlib-undefined)
  endif()
endif()
find_package(Torch 1.13 REQUIRED)
set(CMAKE_PREFIX_PATH ${prefixes_before})

if(TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
  message(FATAL_ERROR "The libtorch in ${Torch_DIR} was built with GCC's old string type, which the other libraries do not "
    "use. Take a build with the C++11 ABI: a Python package from 2.7 on, or the system's.")
endif()
# Python packages bring headers of a formatting library of their own, which would come before those that the system's logging
# library was built with: the system's are put in front.
find_path(fmt_folder fmt/format.h REQUIRED NO_PACKAGE_ROOT_PATH NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH)
mark_as_advanced(fmt_folder)
foreach(target torch torch_library)
  get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
  list(GET includes 0 first)
  if(EXISTS ${first}/fmt/format.h AND NOT first PATH_EQUAL fmt_folder)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include-first)
    file(CREATE_LINK ${fmt_folder}/fmt ${CMAKE_BINARY_DIR}/include-first/fmt SYMBOLIC)
    set_property(TARGET ${target} PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/include-first ${includes})
  endif()
endforeach()

get_target_property(libtorch_file torch LOCATION)
message(STATUS "libtorch: ${Torch_VERSION}, ${libtorch_file}")
