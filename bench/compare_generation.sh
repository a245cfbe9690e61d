#!/usr/bin/env bash
# Compares the speed of generation in interleaved rounds, for the shapes of shakespeare-tiny and shakespeare-baby (after a
# little training, so that no text draws END early): one stream, 32 streams, the textbook's torch::nn modules
# with a key/value cache, and how fast the machine reads as many bytes as the walk over the weights does.
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
ratio() { paste "$work/$1" "$work/$2" | awk '{print $1 / $2}' | median; }

# tokens/s of RUN with TEXTS texts of TOKENS tokens.
tinylm_speed() {
  "$root/build/tinylm" sample "$1" --seed 1 --samples "$2" --max-tokens "$3" --json --quiet |
    sed -nE 's/.*"tokens_per_s":([0-9.e+]+).*/\1/p'
}

# compare NAME TOKENS LAYERS HEADS WIDTH CONTEXT [OPTION...]: trains the preset shakespeare-NAME for some steps, then measures.
compare() {
  local name=$1 tokens=$2 layers=$3 heads=$4 width=$5 context=$6 round one many bare read megabytes vocabulary
  "$root/build/tinylm" train "$text" --preset "shakespeare-$name" --tokenizer char --steps 200 --warmup 20 --batch 2 --accumulate 1 \
    --eval-every 0 --val-fraction 0.002 --out "$work/$name" --token-cache "$work/tokens" --quiet >/dev/null
  vocabulary=$("$root/build/tinylm" info "$work/$name" --json | sed -nE 's/.*"vocabulary_size": ?([0-9]+).*/\1/p' | head -n 1)
  megabytes=$(awk "BEGIN {print 4e-6 * (12 * $layers * $width * $width + ${vocabulary:-65} * $width)}")
  for ((round = 1; round <= rounds; ++round)); do
    one=$(tinylm_speed "$work/$name" 1 "$tokens")
    many=$(tinylm_speed "$work/$name" 32 "$((tokens / 4))")
    bare=$(OPENBLAS_CORETYPE=$core "$root/build/bare_generate" "$((tokens / 4))" "$layers" "$heads" "$width" "$context" |
      sed -nE 's/.*tokens_per_s ([0-9.]+).*/\1/p')
    read=$("$root/build/read_bandwidth" "$megabytes" 0.5 | sed -nE 's/.*gigabytes_per_s ([0-9.]+).*/\1/p')
    printf '%s, round %d: one stream %.0f, 32 streams %.0f, torch::nn %.0f tokens/s, reading %s MB %s GB/s\n' \
      "$name" "$round" "$one" "$many" "$bare" "$megabytes" "$read" >&2
    echo "$one" >>"$work/$name-one"
    echo "$many" >>"$work/$name-many"
    echo "$bare" >>"$work/$name-bare"
    awk "BEGIN {print $one * $megabytes * 1e-3}" >>"$work/$name-walked"
    echo "$read" >>"$work/$name-read"
  done
  printf '%s, medians: one stream %.0f, 32 streams %.0f, torch::nn %.0f tokens/s\n' "$name" \
    "$(median <"$work/$name-one")" "$(median <"$work/$name-many")" "$(median <"$work/$name-bare")"
  printf '%s, one stream / torch::nn: %.2f\n' "$name" "$(ratio "$name-one" "$name-bare")"
  printf '%s, 32 streams / one stream: %.2f\n' "$name" "$(ratio "$name-many" "$name-one")"
  printf '%s, weight bytes read a second / measured reading: %.2f\n' "$name" "$(ratio "$name-walked" "$name-read")"
}

compare tiny 8000 4 4 128 64
compare baby 1000 6 6 384 256
