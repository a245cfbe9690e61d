#!/usr/bin/env bash
# The story of docs/inspecting.md: trains the preset "induction" on a text that only repeats, shows how the head forms, and
# draws it: docs/induction-head.svg.
# scripts/induction.sh [FOLDER]: the run; default runs/induction
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run=${1:-$root/runs/induction}
prompt=kR3vXq9LkR3vXq9L
PATH=$build:$PATH

mkdir -p "$(dirname "$run")"
"$root/scripts/repeated_text.sh" >"$(dirname "$run")/repeats.txt"
tinylm train "$(dirname "$run")/repeats.txt" --preset induction --track-heads --out "$run"
tinylm inspect "$run" --probe induction
tinylm inspect "$run" --prompt "$prompt" --term --html "$run/attention.html" --svg "$root/docs/induction-head.svg"
say "Induction scores by step, layer by layer:"
sed -n 's/{"step":\([0-9]*\).*"induction_random":\(.*\)}/\1: \2/p' "$run/heads.jsonl"
