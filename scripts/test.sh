#!/usr/bin/env bash
# Runs all checks that a change must pass: the libraries are installed, the code is formatted, the code and its documentation
# build without warnings, and the tests pass. The last lines show how many tests ran, and how many were skipped and why.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/bootstrap
# macOS has zsh. On other systems without it, the test of its completion is skipped with a message.
command -v zsh >/dev/null || scripts/bootstrap zsh || echo "No zsh could be installed: its completion is not tested." >&2
# Chromium opens the page of a run. Without it, the tests of the page are skipped with a message.
if [ "$(uname)" = Linux ] && ! command -v chromium >/dev/null; then
    scripts/bootstrap chromium || echo "No Chromium could be installed: the page of a run is not tested." >&2
fi
scripts/format.sh --check
# Without Python or a network, the tests that compare with a Python program are skipped with a message.
scripts/peers >/dev/null 2>&1 || echo "No Python environment could be made: tests that compare with Python programs are skipped." >&2
swift build --build-tests -Xswiftc -warnings-as-errors
scripts/make-docs.sh --check

logs=$(mktemp -d)
watcher=
trap 'kill "$watcher" 2>/dev/null || true; rm -rf "$logs"' EXIT

# A hanging test must not block the caller. If there has been no output for five minutes, the stacks of all threads are
# printed and the tests are terminated. `swift test` then prints its remaining output.
end_when_silent() {
    local heard=-1 length child
    while sleep 300 >/dev/null 2>&1; do
        length=$(cat "$logs"/*.log | wc -c)
        if [ "$length" = "$heard" ]; then
            echo "No test has printed anything for five minutes, so the tests are terminated." >&2
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

# tests NAME ARGUMENT...: runs a part of the tests.
tests() {
    local name=$1
    shift
    # Run one test at a time. Otherwise tests that compute for seconds would block the pool's two threads, which tests that wait
    # need to continue.
    swift test --ignore-lock --skip-build --no-parallel --disable-xctest -Xswiftc -warnings-as-errors "$@" \
        >"$logs/$name.log" 2>&1 &
    echo $! >"$logs/$name.pid"
    wait $!
}

# Run six processes in parallel. Many tests wait: for brokers, browsers, other programs, or for time to pass. The processes take
# about equally long; the tests of the stages are divided by the names of their suites.
brokers='^(pipectlTests\.Kafka|MCAPTests\.)'
programs='^pipectlTests\.(Page|Serve|Spark|Top|Worker)'
command='^(MCAPTests|PipelineServerTests|pipectlTests)\.'
engine='^PipelineTests\.'
stages='^StagesTests\.([A-Q]|Re)'
for part in brokers programs command engine stages rest; do : >"$logs/$part.log"; done
tail -q -f "$logs"/*.log &
shown=$!
status=0
parts=()
tests brokers --filter "$brokers" & parts+=($!)
tests programs --filter "$programs" & parts+=($!)
tests command --filter "$command" --skip "$brokers" --skip "$programs" & parts+=($!)
tests engine --filter "$engine" & parts+=($!)
tests stages --filter "$stages" & parts+=($!)
tests rest --skip "$command" --skip "$engine" --skip "$stages" & parts+=($!)
for part in "${parts[@]}"; do wait "$part" || status=$?; done
sleep 1
kill "$shown" 2>/dev/null || true

log() { cat "$logs"/*.log; }
skipped=$(log | grep -cE 'Test .* skipped' || true)
echo
# Failures come last, so that they are visible at the end of a long log.
log | grep -E -A 4 'recorded an issue|Caught error' | grep -E 'recorded an issue|Caught error|↳' | cut -c 1-600 | head -n 60 || true
log | grep -E 'Test run with [0-9]+ test' || true
echo "skipped: $skipped${PIPELINE_DATA:+ (PIPELINE_DATA is set)}"
[ "$skipped" = 0 ] || log | grep -oE 'Test .* skipped.*' | sort | uniq | cut -c 1-200
if [ -z "${PIPELINE_DATA:-}" ]; then
    echo "Tests on recorded data were skipped: set PIPELINE_DATA to the folder with the data."
fi
exit $status
