#!/usr/bin/env bash
# Measures Pipeline against its yardsticks: builds both sides for release, generates the inputs from a seed, runs the two sides of
# every pair alternately, and prints a table of ratios. Also writes the ratios to .build/bench/report.json, and draws
# .build/bench/report.svg.
#
# usage: Benchmarks/run.sh [--quick] [--only NAME]…
set -euo pipefail
cd "$(dirname "$0")/.."
command -v python3 >/dev/null || { echo "make bench needs python3" >&2; exit 3; }
Benchmarks/build.sh
# Both as scripts/install.sh builds the program that users run, from the same compiled modules.
env -u DESTDIR -u UNITDIR PREFIX="$PWD/.build/bench/installed" scripts/install.sh >&2
flags=(-c release --product bench --scratch-path .build/install)
[ "$(uname)" = Linux ] && flags+=(--static-swift-stdlib)
swift build "${flags[@]}" >&2
python=python3
# The yardsticks in Python are orjson for the encoder and mcap for recordings. If they cannot be installed, these pairs are left
# out.
if [ -x .venv/bin/python ] || python3 -m venv .venv >/dev/null 2>&1; then
    python=.venv/bin/python
    "$python" -c 'import orjson, mcap.writer, zstandard, matplotlib' 2>/dev/null ||
        "$python" -m pip install --quiet --disable-pip-version-check orjson mcap zstandard matplotlib || true
fi
exec "$python" Benchmarks/run.py "$@"
