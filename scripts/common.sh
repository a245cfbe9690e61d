# Shared by the scripts of this folder, which source it: messages, where things are, configuring and building.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build

say() { printf '== %s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The folder of the TorchConfig.cmake that Torch_DIR or CMAKE_PREFIX_PATH names; nothing when they name none.
own_libtorch() {
  local prefix place
  if [[ -n ${Torch_DIR:-} ]]; then
    [[ -f $Torch_DIR/TorchConfig.cmake ]] || fail "Torch_DIR is $Torch_DIR, which holds no TorchConfig.cmake. Unset it for" \
      "Debian's libtorch, or give the folder that holds it (.../torch/share/cmake/Torch in the Python package)."
    realpath "$Torch_DIR"
    return
  fi
  while read -r prefix; do
    for place in "$prefix/share/cmake/Torch" "$prefix/Torch"; do
      if [[ -n $prefix && -f $place/TorchConfig.cmake ]]; then
        realpath "$place"
        return
      fi
    done
  done < <(tr ':;' '\n' <<<"${CMAKE_PREFIX_PATH:-}")
}

# Memory that compiling may use, in KiB: what the machine has free, or less where a cgroup sets a limit.
available_memory_kib() {
  local available limit used
  available=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  if [[ $limit != max ]]; then
    used=$(cat /sys/fs/cgroup/memory.current)
    limit=$(((limit - used) / 1024))
    if ((limit < available)); then available=$limit; fi
  fi
  echo "$available"
}

# Compile jobs: one a core, and no more than one for each 1.5 GB, which a file that includes libtorch may need.
compile_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(($(available_memory_kib) / 1500000))
  if ((by_memory < 1)); then by_memory=1; fi
  echo $((by_memory < cores ? by_memory : cores))
}

# Configures build/ where that has not been done, or was done for a copy of the tree elsewhere. Afterwards the build
# itself notices new files and changed CMake files; only another choice of libtorch needs a configure of its own.
# configure [OPTION...]: options of CMake for the first time.
configure() {
  local cache=$build/CMakeCache.txt chosen options=()
  chosen=$(own_libtorch)
  if [[ ! -f $cache ]]; then
    options=(-G Ninja)
  elif ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    options=(-G Ninja --fresh)
  elif [[ -n $chosen ]] && ! grep -qF "Torch_DIR:PATH=$chosen" "$cache"; then
    options=(-G Ninja --fresh)
  elif [[ -f $build/build.ninja ]]; then
    return
  fi
  say "Configuring $build"
  cmake -S "$root" -B "$build" "${options[@]}" "$@" || fail "CMake could not configure $build: its message above says why." \
    "If the folder is left from something else, delete it and run this again."
}

# build_targets TARGET...
build_targets() {
  local jobs
  jobs=$(compile_jobs)
  say "Building with $jobs of $(nproc) cores (the first time takes minutes)"
  cmake --build "$build" -j "$jobs" --target "$@" || fail "the build failed: the compiler's message is above." \
    "If it says 'Killed', the memory was too small for $jobs compile jobs: cmake --build $build -j 1"
}
