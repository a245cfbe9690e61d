#!/usr/bin/env bash
# Builds the tests with ThreadSanitizer, in build-thread/, and runs the short ones: scripts/sanitize.sh [ROOM...]. Default:
# every room whose tests run in their own process. The last line counts reports; they lie in build-thread/reports/. Fails
# when there is one, or when a test fails.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rooms=(core tokenizer data model run sample train inspect measure serve)

# What is left out: what needs sentencepiece beside libtorch, which such a build cannot load; what measures memory or time, of
# which the sanitizer changes both; and what takes minutes under it and does nothing in several threads that its neighbours do
# not: it goes through many shapes, or trains for longer.
declare -A left_out=(
  [core]='FreedMemory.*'
  [data]='PieceEncoder.GivesThePiecesOfSentencepieceTheSame'
  [measure]='Suite.TimesEveryCase'
  [model]='*.EqualsItsTwinForwardAndBackward:*ForManyShapes:ProjectedLoss.AgreesInSeveralParts:CachedAttention.EqualsTheFormulas
    :Decoder.GivesTheLogitsOfTheDefinitionForEveryChoiceAndLength:LanguageModel.StartsNear*
    :LanguageModel.GradientsMatchFiniteDifferences'
  [train]='StepTimer.*:LeakTest.*'
)

# Runs the tests of a room; its output and the reports of each process go to files of their own. Two threads share what
# can be shared also where there is one processor, and give way while they wait.
run_room() {
  local room=$1 filter start=$SECONDS verdict=passed count
  local log=$reports/$room.log
  filter=$(tr -d ' \n' <<<"${left_out[$room]:-}")
  TSAN_OPTIONS=log_path=$reports/$room.report:suppressions=$root/scripts/thread.supp \
    OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive "$build/${room}_tests" --gtest_filter="-$filter" >"$log" 2>&1 ||
    true  # reports too make it exit with an error
  count=$(count_reports "$room")
  total=$((total + count))
  if ! grep -q '^\[  PASSED  \]' "$log" || grep -q '^\[  FAILED  \]' "$log"; then
    verdict=failed
    failed=$((failed + 1))
  fi
  say "$room: $(sed -nE 's/^\[==========\] ([0-9]+ tests?) .* ran\..*/\1/p' "$log") $verdict, $count reports, $((SECONDS - start)) s"
  if [[ $verdict == failed ]]; then grep '^\[  FAILED  \]' "$log" | sort -u || tail -n 20 "$log"; fi
}

# count_reports ROOM
count_reports() { cat "$reports/$1".report* 2>/dev/null | grep -c 'WARNING: ThreadSanitizer' || true; }

main() {
  local room
  for room in "$@"; do
    [[ " ${rooms[*]} " == *" $room "* ]] || fail "scripts/sanitize.sh takes rooms of these: ${rooms[*]}; and was given: $*"
  done
  if (($# > 0)); then rooms=("$@"); fi
  build=$root/build-thread
  reports=$build/reports
  total=0
  failed=0
  "$root/scripts/setup.sh" --tests
  configure -DTINYLM_SANITIZE=thread
  build_targets "${rooms[@]/%/_tests}"
  rm -rf "$reports"
  mkdir -p "$reports"
  for room in "${rooms[@]}"; do run_room "$room"; done
  grep -h '^SUMMARY' "$reports"/*.report* 2>/dev/null | sort | uniq -c || true
  if ((failed)); then say "tests failed in $failed rooms"; fi
  echo "$total reports"
  ((total == 0 && failed == 0))
}

main "$@"
