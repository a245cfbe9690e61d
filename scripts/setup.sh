#!/usr/bin/env bash
# Installs what building tinylm needs on Debian 12 or later, and only what is missing: without apt, network or special
# rights when everything is there. docs/dependencies.md says what each package is for.
# scripts/setup.sh --tests adds what tests alone need: the browser that looks at the pages, and the formatter.
# For a libtorch of your own, set Torch_DIR=.../torch/share/cmake/Torch or CMAKE_PREFIX_PATH=.../torch first.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(
  g++ cmake ninja-build pkgconf
  libdnnl-dev libsentencepiece-dev libcli11-dev libspdlog-dev nlohmann-json3-dev libtomlplusplus-dev
  libutf8proc-dev libxxhash-dev libprotozero-dev libisal-dev libboost-dev libcpp-httplib-dev libsodium-dev libpng-dev
  libedit-dev libgtest-dev libbenchmark-dev xz-utils curl
)
# A libtorch of one's own brings its own BLAS.
debian_libtorch=(libtorch-dev libopenblas0-openmp)
tests=(chromium chromium-driver fonts-dejavu-core clang-format)

require_debian() {
  local ID=unknown VERSION_ID="" PRETTY_NAME="an unknown system"
  # shellcheck source=/dev/null
  if [[ -r /etc/os-release ]]; then source /etc/os-release; fi
  [[ $ID == debian ]] || fail "this set-up knows Debian, and this is $PRETTY_NAME. Install what corresponds to these Debian" \
    "packages (docs/dependencies.md has the versions): ${packages[*]} ${debian_libtorch[*]}. Then: cmake -S $root -B $build" \
    "-G Ninja && cmake --build $build"
  # Debian's testing and unstable have no VERSION_ID.
  ((${VERSION_ID:-99} >= 12)) || fail "this is $PRETTY_NAME, whose compiler and libtorch are too old: Debian 12 is the oldest that works."
}

missing_packages() {
  local package
  for package in "$@"; do
    if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -qx 'install ok installed'; then echo "$package"; fi
  done
}

# Runs a command as root, through sudo where needed.
as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    sudo -- "$@"
  fi
}

can_be_root() { ((EUID == 0)) || command -v sudo >/dev/null; }

install_packages() {
  say "Installing $*"
  can_be_root || fail "packages are missing, and installing them needs root or sudo. As root: apt-get install --no-install-recommends $*"
  as_root apt-get -q update || fail "apt-get update failed (see above): is there a network, and is /etc/apt right?"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" ||
    fail "apt-get could not install: $* (see above)"
}

# libtorch's threads are OpenMP's. OpenBLAS with a thread pool of its own fights them (a training step takes five times as
# long), and the reference BLAS is twenty times slower; yet Debian prefers the former. So each of the three names
# through which OpenBLAS is reached must lead to a flavour on OpenMP.
select_openmp_blas() {
  local name current wanted
  while read -r name _ current; do
    wanted=$(dirname "$(dirname "$current")")/openblas-openmp/$(basename "$current")
    if [[ $current == */openblas-openmp/* || $current == */blis-openmp/* || ! -e $wanted ]]; then continue; fi
    if can_be_root; then
      say "Selecting $wanted instead of $current: libtorch is several times slower with that one." \
        "(Back: update-alternatives --auto $name)"
      as_root update-alternatives --set "$name" "$wanted" >/dev/null || fail "update-alternatives could not select $wanted"
    else
      warn "$current is selected, with which libtorch is several times slower. As root: update-alternatives --set $name $wanted"
    fi
  done < <(update-alternatives --get-selections | grep -E '^lib(blas\.so\.3|lapack\.so\.3|openblas\.so\.0)-')
}

main() {
  local own wanted=("${packages[@]}") missing
  case "$*" in
    "") ;;
    --tests) wanted+=("${tests[@]}") ;;
    *) fail "scripts/setup.sh takes --tests or nothing, and was given: $*" ;;
  esac
  require_debian
  own=$(own_libtorch)
  if [[ -n $own ]]; then
    say "libtorch: your own, from $own"
  else
    wanted+=("${debian_libtorch[@]}")
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if ((${#missing[@]})); then install_packages "${missing[@]}"; fi
  if [[ -z $own ]]; then select_openmp_blas; fi
}

main "$@"
