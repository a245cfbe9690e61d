#!/usr/bin/env bash
# Compares training speed in interleaved rounds: tinylm, tinylm on a BLAS that takes the processor for an unknown one, and
# the bare libtorch loop on a BLAS told which kernels to use. Prints each case's median tokens/s and the ratios.
#   bench/compare.sh TEXT [ROUNDS] [STEPS]
# BLAS_CORE names the OpenBLAS kernels of the bare loop (default SkylakeX; Haswell for processors with AVX2 alone).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
text=${1:?usage: bench/compare.sh TEXT [ROUNDS] [STEPS]}
rounds=${2:-5}
steps=${3:-400}
core=${BLAS_CORE:-SkylakeX}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median() { sort -g | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# tokens/s of a training of the preset shakespeare-tiny, evaluations left out: all tokens over the time of all steps, which
# is the harmonic mean of what metrics.jsonl says of each step.
tinylm_speed() {
  rm -rf "$work/run"
  env "$@" "$root/build/tinylm" train "$text" --preset shakespeare-tiny --tokenizer char --steps "$steps" --eval-every 0 \
    --out "$work/run" --token-cache "$work/tokens" --quiet >/dev/null
  sed -nE 's/.*"tokens_per_s":([0-9.e+]+).*/\1/p' "$work/run/metrics.jsonl" | tail -n +11 | awk '{s += 1 / $1} END {print NR / s}'
}

bare_speed() { OPENBLAS_CORETYPE=$core "$root/build/bare_loop" "$text" "$steps" | sed -nE 's/.*tokens_per_s ([0-9.]+).*/\1/p'; }

for ((round = 1; round <= rounds; ++round)); do
  tinylm_speed TINYLM=known >>"$work/tinylm"
  bare_speed >>"$work/bare"
  tinylm_speed OPENBLAS_CORETYPE=Prescott >>"$work/unknown"
  printf 'round %d: tinylm %.0f, unknown processor %.0f, bare loop %.0f tokens/s\n' "$round" \
    "$(tail -n 1 "$work/tinylm")" "$(tail -n 1 "$work/unknown")" "$(tail -n 1 "$work/bare")" >&2
done
paste "$work/tinylm" "$work/bare" | awk '{print $1 / $2}' | median | xargs printf "tinylm / bare loop ($core kernels): %.2f\n"
paste "$work/unknown" "$work/tinylm" | awk '{print $1 / $2}' | median | xargs printf 'unknown processor / known one: %.2f\n'
printf 'medians: tinylm %.0f, unknown processor %.0f, bare loop %.0f tokens/s\n' \
  "$(median <"$work/tinylm")" "$(median <"$work/unknown")" "$(median <"$work/bare")"
