#!/usr/bin/env bash
# Everything a change must pass: the libraries are there, the code is formatted, it and its documentation build without
# a warning, its tests pass. The last lines say how many tests ran and how many were skipped, and why.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/bootstrap
# macOS has it; elsewhere the test of its completion is skipped without it, and says so.
command -v zsh >/dev/null || scripts/bootstrap zsh || echo "No zsh could be installed: its completion is not tested." >&2
# It opens the page of a run; its tests are skipped without it, and say so.
if [ "$(uname)" = Linux ] && ! command -v chromium >/dev/null; then
    scripts/bootstrap chromium || echo "No Chromium could be installed: the page of a run is not tested." >&2
fi
scripts/format.sh --check
# Without Python or a network the tests that compare with a Python program are skipped, and say so.
scripts/peers >/dev/null 2>&1 || echo "No Python environment could be made: tests that compare with Python programs will skip." >&2
swift build --build-tests -Xswiftc -warnings-as-errors
scripts/make-docs.sh --check

logs=$(mktemp -d)
watcher=
trap 'kill "$watcher" 2>/dev/null || true; rm -rf "$logs"' EXIT

# A test that hangs must not keep whoever waits for the result: when nothing has been said for five minutes, it is shown where
# the threads are and the tests are ended, after which `swift test` prints what it still holds back.
end_when_silent() {
    local heard=-1 length child
    while sleep 300 >/dev/null 2>&1; do
        length=$(cat "$logs"/*.log | wc -c)
        if [ "$length" = "$heard" ]; then
            echo "No test has said anything for five minutes: they are ended." >&2
            for child in $(cat "$logs"/*.pid | xargs -n 1 pgrep -P); do
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

# tests NAME ARGUMENT...: runs some of the tests.
tests() {
    local name=$1
    shift
    # One test at a time: those that compute for seconds would keep the two threads of the pool from those that wait.
    swift test --ignore-lock --skip-build --no-parallel --disable-xctest -Xswiftc -warnings-as-errors "$@" \
        >"$logs/$name.log" 2>&1 &
    echo $! >"$logs/$name.pid"
    wait $!
}

# Two processes side by side, each with the tests of about half the time.
tools='^(pipectlTests|PipelineServerTests|MCAPTests)\.'
touch "$logs/command.log" "$logs/stages.log"
tail -q -f "$logs/command.log" "$logs/stages.log" &
shown=$!
status=0
tests command --filter "$tools" &
command=$!
tests stages --skip "$tools" || status=$?
wait "$command" || status=$?
sleep 1
kill "$shown" 2>/dev/null || true

log() { cat "$logs/stages.log" "$logs/command.log"; }
skipped=$(log | grep -cE 'Test .* skipped' || true)
echo
# What failed stands last, where whoever looks at the end of a long log sees it.
log | grep -E -A 4 'recorded an issue|Caught error' | grep -E 'recorded an issue|Caught error|↳' | cut -c 1-600 | head -n 60 || true
log | grep -E 'Test run with [0-9]+ test' || true
echo "skipped: $skipped${PIPELINE_DATA:+ (PIPELINE_DATA is set)}"
[ "$skipped" = 0 ] || log | grep -oE 'Test .* skipped.*' | sort | uniq | cut -c 1-200
if [ -z "${PIPELINE_DATA:-}" ]; then
    echo "Tests on recorded data were skipped: set PIPELINE_DATA to the folder that holds it."
fi
exit $status
