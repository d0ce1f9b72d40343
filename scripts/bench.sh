#!/usr/bin/env bash
# Measures against the yardsticks; see Benchmarks/run.sh.
set -euo pipefail
exec "$(dirname "$0")/../Benchmarks/run.sh" "$@"
