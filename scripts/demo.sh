#!/usr/bin/env bash
# From nothing to a trained model: sets up, builds the program, trains on the bundled text for about a minute, samples, and
# writes attention maps. Run again, it skips what is done: a training that was stopped goes on where it was.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run=runs/demo
prompt="The heron said"

# A run that is complete is left as it is by --resume.
train() {
  local how=(--out "$run")
  if [[ -d $run ]]; then how=(--resume "$run"); fi
  tinylm train "${how[@]}" || fail "the training stopped (see above). This script goes on from its last checkpoint when run again."
}

sample() {
  say "Three continuations of \"$prompt\""
  tinylm sample "$run" --prompt "$prompt" --samples 3 --max-tokens 200 --seed 1
  say "The likeliest one, token by token"
  tinylm sample "$run" --prompt "$prompt" --greedy --max-tokens 200
}

inspect() {
  say "What one head looks at"
  tinylm inspect "$run" --prompt "$prompt" --npy "$run/attention" --json "$run/attention/attention.json" \
    --html "$run/attention/page.html" --term
}

say_where() {
  cat <<END

The run is in      $root/$run (config.toml, metrics.jsonl, train.log, checkpoints/)
Its report is      $root/$run/report.html (open it in a browser)
Attention maps in  $root/$run/attention (page.html for a browser, attention.npy, tokens.json, attention.json)
The program is     $build/tinylm

What to type next, in $root:
  build/tinylm sample $run --prompt "Once, a fox"
  build/tinylm inspect $run --prompt "Once, a fox"
  build/tinylm train my.txt --out runs/mine
  build/tinylm attend      (attention by hand; docs/attention.md goes on from there)
  build/tinylm --help
END
}

main() {
  (($# == 0)) || fail "scripts/demo.sh takes no arguments, and was given: $*"
  cd "$root"
  "$root/scripts/setup.sh"
  configure
  build_targets tinylm
  PATH=$build:$PATH
  train
  sample
  inspect
  say_where
}

main "$@"
