#!/usr/bin/env bash
# Sets up, builds everything and runs the tests: scripts/test.sh [--full]. --full adds the tests labelled "long".
# The last line counts single tests over all test programs: "N passed, M failed", and those skipped, if any.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

results=$build/test-results

# Runs the test programs one after another, each writing its results as XML; returns CTest's verdict.
run_tests() {
  rm -rf "$results"
  mkdir -p "$results"
  GTEST_OUTPUT="xml:$results/" ctest --test-dir "$build" --output-on-failure --no-tests=error \
    --output-junit "$results/ctest.junit" "$@"
}

# program_results NAME: "tests failures disabled errors" of one GoogleTest program, nothing when it left no results.
program_results() {
  sed -nE 's/^<testsuites tests="([0-9]+)" failures="([0-9]+)" disabled="([0-9]+)" errors="([0-9]+)".*/\1 \2 \3 \4/p' \
    "$results/$1.xml" 2>/dev/null || true
}

# Adds up the results. A program that crashed, was stopped for time or failed outside of a test counts as one failed test.
count_tests() {
  local name status tests failures disabled errors not_run passed=0 failed=0 skipped=0
  while read -r name status; do
    read -r tests failures disabled errors <<<"$(program_results "$name")" || true
    if [[ -z $tests ]]; then
      case $status in
        run) passed=$((passed + 1)) ;;
        notrun) skipped=$((skipped + 1)) ;;
        *) failed=$((failed + 1)) ;;
      esac
      continue
    fi
    not_run=$((disabled + $(grep -c ' result="skipped"' "$results/$name.xml" || true)))
    failures=$((failures + errors))
    skipped=$((skipped + not_run))
    passed=$((passed + tests - failures - not_run))
    if [[ $status != run ]] && ((failures == 0)); then failures=1; fi
    failed=$((failed + failures))
  done < <(sed -nE 's/.*<testcase name="([^"]+)".* status="([^"]+)".*/\1 \2/p' "$results/ctest.junit")
  if ((skipped)); then
    say "$skipped tests were skipped, because:"
    sed -nE 's/.*<skipped message="([^"]*)".*/   \1/p' "$results"/*.xml | sed 's/&#x0A;/: /g'
    echo "$passed passed, $failed failed, $skipped skipped"
  else
    echo "$passed passed, $failed failed"
  fi
}

main() {
  local choice=(-LE '^long$') verdict=0
  case "$*" in
    "") ;;
    --full) choice=() ;;
    *) fail "scripts/test.sh takes --full or nothing, and was given: $*" ;;
  esac
  "$root/scripts/setup.sh" --tests
  configure
  build_targets all
  run_tests "${choice[@]}" || verdict=1
  [[ -s $results/ctest.junit ]] || fail "CTest ran nothing (see above)."
  count_tests
  return "$verdict"
}

main "$@"
