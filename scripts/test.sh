#!/usr/bin/env bash
# Everything a change must pass: the libraries are there, the code is formatted, it and its documentation build without
# a warning, its tests pass. The last lines say how many tests ran and how many were skipped, and why.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/bootstrap
# macOS has it; elsewhere the test of its completion is skipped without it, and says so.
command -v zsh >/dev/null || scripts/bootstrap zsh || echo "No zsh could be installed: its completion is not tested." >&2
scripts/format.sh --check
# Without Python or a network the tests that compare with a Python program are skipped, and say so.
scripts/peers >/dev/null 2>&1 || echo "No Python environment could be made: tests that compare with Python programs will skip." >&2
swift build --build-tests -Xswiftc -warnings-as-errors
scripts/make-docs.sh --check

log=$(mktemp)

trap 'kill "$watcher" 2>/dev/null || true; rm -f "$log" "$log.pid"' EXIT
watcher=

# A test that hangs must not keep whoever waits for the result: when nothing has been said for five minutes, it is shown where
# the threads are and the tests are ended, after which `swift test` prints what it still holds back.
end_when_silent() {
    local heard=-1 length child
    while sleep 300 >/dev/null 2>&1; do
        length=$(wc -c <"$log")
        if [ "$length" = "$heard" ]; then
            echo "No test has said anything for five minutes: they are ended." >&2
            for child in $(pgrep -P "$(cat "$log.pid")"); do
                if command -v gdb >/dev/null; then
                    gdb -p "$child" -batch -ex 'thread apply all backtrace 15' 2>/dev/null | grep -E '^(Thread|#)' >&2
                fi
                kill "$child" || true
            done
        fi
        heard=$length
    done
}
end_when_silent &
watcher=$!

status=0
{
    # One test at a time: those that compute for seconds would keep the two threads of the pool from those that wait.
    swift test --skip-build --no-parallel --disable-xctest -Xswiftc -warnings-as-errors &
    echo $! >"$log.pid"
    wait $!
} 2>&1 | tee "$log" || status=$?

skipped=$(grep -cE 'Test .* skipped' "$log" || true)
echo
# What failed stands last, where whoever looks at the end of a long log sees it.
grep -E -A 4 'recorded an issue|Caught error' "$log" | grep -E 'recorded an issue|Caught error|↳' | cut -c 1-600 | head -n 60 || true
grep -E 'Test run with [0-9]+ test' "$log" || true
echo "skipped: $skipped${PIPELINE_DATA:+ (PIPELINE_DATA is set)}"
[ "$skipped" = 0 ] || grep -oE 'Test .* skipped.*' "$log" | sort | uniq | cut -c 1-200
if [ -z "${PIPELINE_DATA:-}" ]; then
    echo "Tests on recorded data were skipped: set PIPELINE_DATA to the folder that holds it."
fi
exit $status
