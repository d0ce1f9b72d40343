#!/usr/bin/env bash
# Formats all Swift files in place. With --check, reports unformatted files and changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

files=()
while IFS= read -r -d '' file; do files+=("$file"); done < <(
    find Package.swift Sources Tests Benchmarks Examples -name .build -prune -o -name '*.swift' -type f -print0 \
        2>/dev/null
)

case "${1:-}" in
--check) swift format lint --strict --parallel "${files[@]}" ;;
"") swift format --in-place --parallel "${files[@]}" ;;
*)
    echo "usage: scripts/format.sh [--check]" >&2
    exit 2
    ;;
esac
