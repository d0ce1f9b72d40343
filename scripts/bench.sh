#!/usr/bin/env bash
# Runs the benchmarks; see Benchmarks/run.sh.
set -euo pipefail
exec "$(dirname "$0")/../Benchmarks/run.sh" "$@"
