#!/usr/bin/env bash
# install_test.sh BUILD: installs from the build folder, moves what was installed, and runs it there. The program has to find its
# presets, the bundled text and the sentencepiece plugin relative to itself.
set -euo pipefail

build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

cmake --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/moved"
cd "$folder"
program=$folder/moved/bin/tinylm

[[ -z $(find moved -type l) ]] || fail "links were installed, which lead back into the source tree: $(find moved -type l)"
if grep -qF "$build/" "$program"; then fail "the installed program names the build folder $build"; fi
"$program" --version
"$program" plan --preset demo
"$program" train --tokenizer sentencepiece --vocab-size 400 --layers 1 --width 32 --steps 2 --out run
"$program" sample run --prompt "The heron" --max-tokens 5
