#!/usr/bin/env bash
# Compares the speed of generation in interleaved rounds with the textbook's torch::nn modules with a key/value cache, for
# the shapes of shakespeare-tiny and shakespeare-baby (after a little training, so that no text draws END early). What 32
# texts together gain, and how near to the machine's limit one comes, `tinylm bench --only generation` measures.
#   bench/compare_generation.sh TEXT [ROUNDS]
# BLAS_CORE names the OpenBLAS kernels of the bare modules (default SkylakeX; Haswell for processors with AVX2 alone).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
text=${1:?usage: bench/compare_generation.sh TEXT [ROUNDS]}
rounds=${2:-5}
core=${BLAS_CORE:-SkylakeX}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median() { sort -g | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# compare NAME TOKENS LAYERS HEADS WIDTH CONTEXT: trains the preset shakespeare-NAME for some steps, then measures.
compare() {
  local name=$1 tokens=$2 sizes=("${@:3}") round ours bare
  "$root/build/tinylm" train "$text" --preset "shakespeare-$name" --tokenizer char --steps 200 --warmup 20 --batch 2 --accumulate 1 \
    --eval-every 0 --val-fraction 0.002 --out "$work/$name" --token-cache "$work/tokens" --quiet >/dev/null
  for ((round = 1; round <= rounds; ++round)); do
    ours=$("$root/build/tinylm" sample "$work/$name" --seed 1 --max-tokens "$tokens" --json --quiet |
      sed -nE 's/.*"tokens_per_s":([0-9.e+]+).*/\1/p')
    bare=$(OPENBLAS_CORETYPE=$core "$root/build/bare_generate" "$((tokens / 4))" "${sizes[@]}" |
      sed -nE 's/.*tokens_per_s ([0-9.]+).*/\1/p')
    printf '%s, round %d: one stream %.0f, torch::nn %.0f tokens/s\n' "$name" "$round" "$ours" "$bare" >&2
    echo "$ours" >>"$work/$name-ours"
    echo "$bare" >>"$work/$name-bare"
  done
  printf '%s, medians: one stream %.0f, torch::nn %.0f tokens/s; one stream / torch::nn %.2f\n' "$name" \
    "$(median <"$work/$name-ours")" "$(median <"$work/$name-bare")" \
    "$(paste "$work/$name-ours" "$work/$name-bare" | awk '{print $1 / $2}' | median)"
}

compare tiny 8000 4 4 128 64
compare baby 1000 6 6 384 256
