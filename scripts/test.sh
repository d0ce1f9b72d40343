#!/usr/bin/env bash
# Everything a change must pass: the libraries are there, the code is formatted, it builds without a warning, its tests
# pass. The last lines say how many tests ran and how many were skipped, and why.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/bootstrap
scripts/format.sh --check
# Without Python or a network the tests that compare with a Python program are skipped, and say so.
scripts/peers >/dev/null 2>&1 || echo "No Python environment could be made: tests that compare with Python programs will skip." >&2
swift build --build-tests -Xswiftc -warnings-as-errors

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
# One test at a time: those that compute for seconds would keep the two threads of the pool from those that wait.
swift test --skip-build --no-parallel --disable-xctest -Xswiftc -warnings-as-errors 2>&1 | tee "$log" || status=$?

skipped=$(grep -cE 'Test .* skipped' "$log" || true)
echo
grep -E 'Test run with [0-9]+ test' "$log" || true
echo "skipped: $skipped${PIPELINE_DATA:+ (PIPELINE_DATA is set)}"
if [ -z "${PIPELINE_DATA:-}" ]; then
    echo "Tests on recorded data were skipped: set PIPELINE_DATA to the folder that holds it."
fi
exit $status
