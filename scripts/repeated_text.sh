#!/usr/bin/env bash
# Prints a text for the preset "induction": in each line 2 to 32 random letters and digits, all different, again and again
# until it has 64, at least twice. Nothing in it can be predicted but that what came before comes again. Short ones are as
# frequent as long ones: from them a model learns first.
# scripts/repeated_text.sh [LINES [SEED]] > repeats.txt
set -euo pipefail

exec awk -v lines="${1:-10000}" -v seed="${2:-1}" '
  # The random numbers of Park and Miller (1988), so that every awk prints the same text.
  function draw(limit) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * limit) }
  BEGIN {
    state = seed % 2147483646 + 1
    symbols = split("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", symbol, "")
    while (lines-- > 0) {
      text = ""
      count = int(2 * 16 ^ (draw(1000) / 999))
      for (i = 1; i <= count; i++) {
        other = i + draw(symbols - i + 1)
        kept = symbol[i]; symbol[i] = symbol[other]; symbol[other] = kept
        text = text symbol[i]
      }
      line = text text
      while (length(line) < 64) line = line text
      print line
    }
  }'
