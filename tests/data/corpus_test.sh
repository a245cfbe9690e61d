#!/usr/bin/env bash
# corpus_test.sh FOLDER: the bundled text is large enough to learn from, and no filler: xz must not shrink it below 28 %.
set -euo pipefail

size=$(cat "$1"/*.txt | wc -c)
packed=$(cat "$1"/*.txt | xz -9 | wc -c)
echo "$size bytes, packed $packed"
((size >= 120000)) || { echo "error: the bundled text has $size bytes, expected at least 120000" >&2; exit 1; }
((packed * 100 >= size * 28)) || { echo "error: xz shrinks the bundled text to $((packed * 100 / size)) %, expected at least 28 %" >&2; exit 1; }
