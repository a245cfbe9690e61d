#!/usr/bin/env bash
# Formats the C++ and JavaScript by .clang-format: scripts/format.sh. With --check it changes nothing, and fails when
# something would change. Each release of clang-format formats a little otherwise: ours is that of Debian 12.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

release=14
skipped=77  # the exit status that CTest takes for "skipped"

# Ours where it stands beside another; nothing where there is none.
formatter() {
  local program
  for program in "clang-format-$release" clang-format; do
    if "$program" --version 2>/dev/null | grep -qE "version $release\."; then
      echo "$program"
      return
    fi
  done
}

files() {
  find "$root" \( -path "$root/build*" -o -path "$root/.git" \) -prune -o \
    -type f \( -name '*.cpp' -o -name '*.h' -o -name '*.js' \) -print0
}

main() {
  local program options=(-i)
  case "$*" in
    "") ;;
    --check) options=(--dry-run -Werror) ;;
    *) fail "scripts/format.sh takes --check or nothing, and was given: $*" ;;
  esac
  program=$(formatter)
  if [[ -z $program ]]; then
    warn "there is no clang-format $release, which formats this code. On Debian 12: apt-get install clang-format"
    exit "$skipped"
  fi
  files | xargs -0 "$program" "${options[@]}" || fail "run scripts/format.sh"
}

main "$@"
