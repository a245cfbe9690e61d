#!/usr/bin/env bash
# Makes the pictures of docs/viewer.md: scripts/viewer_pictures.sh RUN PROMPT. RUN is a trained model; the browser comes with
# scripts/setup.sh --tests.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# picture FILE LIGHT FRAGMENT: the page in a window of 1280 by 800, LIGHT 1 or, in the dark, 0.
picture() {
  HOME=$folder chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,800 \
    --blink-settings="preferredColorScheme=$2" --screenshot="$folder/picture.png" "file://$folder/page.html$3" \
    >"$folder/log" 2>&1 || fail "chromium could not draw the page: $(cat "$folder/log")"
  mv "$folder/picture.png" "$root/docs/$1"
  say "docs/$1"
}

(($# == 2)) || fail "scripts/viewer_pictures.sh takes a run and a prompt, and was given: $*"
command -v chromium >/dev/null || fail "there is no chromium. Install it with: scripts/setup.sh --tests"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/tinylm" inspect "$1" --prompt "$2" --html "$folder/page.html"
picture viewer-light.png 1 ""
picture viewer-dark.png 0 "#view=heads"
