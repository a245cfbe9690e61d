#!/usr/bin/env bash
# Compares training with the bare libtorch loop, each a process of its own, in interleaved rounds: tokens/s, and the most
# memory above that of the started program.
#   bench/compare.sh TEXT [ROUNDS] [SHAPE...]     SHAPE: tiny, baby, context_1024; all of them unless told otherwise
# For tiny also tinylm on a BLAS that takes the processor for an unknown one.
# BLAS_CORE names the OpenBLAS kernels of the bare loop (default SkylakeX; Haswell for processors with AVX2 alone).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
text=${1:?usage: bench/compare.sh TEXT [ROUNDS] [SHAPE...]}
rounds=${2:-5}
shapes=("${@:3}")
if ((${#shapes[@]} == 0)); then shapes=(tiny baby context_1024); fi
core=${BLAS_CORE:-SkylakeX}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median() { sort -g | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }
ratio() { paste "$1" "$2" | awk '{print $1 / $2}' | median; }

# Sets steps, sizes (of the bare loop: layers heads width context batch) and flags (of tinylm) of a shape. The bare loop has
# squared ReLU and an output projection of its own, as shakespeare-tiny has.
choose() {
  case $1 in
    tiny) steps=200 sizes=(4 4 128 64 12) flags=(--preset shakespeare-tiny) ;;
    baby)
      steps=10 sizes=(6 6 384 256 8)
      flags=(--preset shakespeare-baby --dropout 0 --batch 8 --accumulate 1 --activation relu2 --no-tied-embeddings)
      ;;
    context_1024) steps=12 sizes=(4 4 128 1024 4) flags=(--preset shakespeare-tiny --context 1024 --batch 4) ;;
    *) echo "compare.sh: unknown shape $1; there are tiny, baby and context_1024" >&2 && exit 2 ;;
  esac
  warm=$((steps < 20 ? steps / 2 : 10)) # steps that are not timed
}

train() {
  rm -rf "$work/run"
  "$@" "$root/build/tinylm" train "$text" "${flags[@]}" --tokenizer char --steps "$steps" --warmup 2 --eval-every 0 \
    --val-fraction 0.003 --out "$work/run" --token-cache "$work/tokens" --quiet >/dev/null
}

# tokens/s: all tokens over the time of all steps, which is the harmonic mean of what metrics.jsonl says of each step.
tinylm_speed() {
  train env "$@"
  sed -nE 's/.*"tokens_per_s":([0-9.e+]+).*/\1/p' "$work/run/metrics.jsonl" | tail -n +$((warm + 1)) | awk '{s += 1 / $1} END {print NR / s}'
}

bare_loop() { OPENBLAS_CORETYPE=$core "$@" "$root/build/bare_loop" "$text" "$steps" "${sizes[@]}"; }
bare_speed() { bare_loop env | sed -nE 's/.*tokens_per_s ([0-9.]+).*/\1/p'; }

# Kilobytes at most, of a command that writes nothing else on stderr.
peak() { { "$@" >/dev/null; } 2>&1 | tail -n 1; }
memory() {
  local started ours theirs
  steps=3 # the first has everything that the others have
  started=$("$root/build/peak_memory" "$root/build/tinylm" --version 2>&1 >/dev/null | tail -n 1)
  ours=$(peak train "$root/build/peak_memory")
  theirs=$(peak bare_loop "$root/build/peak_memory")
  awk -v a="$ours" -v b="$theirs" -v s="$started" -v n="$1" 'BEGIN {
    printf "%s, memory above the started program: tinylm %.0f MB, bare loop %.0f MB, ratio %.2f\n", n, (a - s) / 1000, (b - s) / 1000, (a - s) / (b - s)}'
}

compare() {
  local name=$1 round
  choose "$name"
  for ((round = 1; round <= rounds; ++round)); do
    tinylm_speed TINYLM=known >>"$work/$name"
    bare_speed >>"$work/$name-bare"
    if [[ $name == tiny ]]; then tinylm_speed OPENBLAS_CORETYPE=Prescott >>"$work/$name-unknown"; fi
    printf '%s, round %d: tinylm %.0f, bare loop %.0f tokens/s\n' "$name" "$round" \
      "$(tail -n 1 "$work/$name")" "$(tail -n 1 "$work/$name-bare")" >&2
  done
  printf '%s, medians: tinylm %.0f, bare loop (%s kernels) %.0f tokens/s; tinylm / bare loop %.2f\n' "$name" \
    "$(median <"$work/$name")" "$core" "$(median <"$work/$name-bare")" "$(ratio "$work/$name" "$work/$name-bare")"
  if [[ $name == tiny ]]; then
    printf '%s, unknown processor / known one: %.2f\n' "$name" "$(ratio "$work/$name-unknown" "$work/$name")"
  fi
  memory "$name"
}

for shape in "${shapes[@]}"; do compare "$shape"; done
