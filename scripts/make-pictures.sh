#!/usr/bin/env bash
# Redraws the pictures of the documentation from the files in Samples. The output is always the same, byte for byte.
# usage: scripts/make-pictures.sh [FOLDER]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "${1:-$root/Documentation/Pictures}" && cd "${1:-$root/Documentation/Pictures}" && pwd)
cd "$root"
if [ -z "${PIPECTL:-}" ]; then
    swift build --product pipectl --quiet -Xswiftc -warnings-as-errors
    PIPECTL=$(swift build --show-bin-path)/pipectl
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run: runs a pipeline from standard input. Its paths are relative to the repository.
run() { sed "s#: Samples/#: $root/Samples/#g" >"$work/pipeline.yaml" && "$PIPECTL" run -q "$work/pipeline.yaml"; }

# The gestures that `make demo` recognizes, for one of its three pens.
run <<END
version: 1
sources:
  - file: { path: Samples/session.jsonl, streams: [pen/1] }
stages:
  - match: { library: Samples/shapes.json, subject: true }
sinks:
  - svg: { path: "$folder/recognized.svg", output: sheet, columns: 4, size: 190, if_exists: overwrite }
END

# A gesture library, and a sheet of hands.
"$PIPECTL" draw -q Samples/shapes.json --columns=6 --size=128 --out="$folder/library.svg"
"$PIPECTL" draw -q Samples/hands.jsonl --columns=4 --limit=8 --size=190 --out="$folder/hands.svg"

# A signature in ink.
run <<END
version: 1
sources:
  - file: { path: Samples/signature.jsonl, kind: points }
stages:
  - segment: { multi_stroke_timeout_ms: 300 }
  - bezier
  - stroke_width: { min_width: 1, max_width: 5 }
sinks:
  - svg: { path: "$work/signature-{n}.svg", output: frames, size: 640, labels: false }
END
cp "$work/signature-0001.svg" "$folder/signature.svg"

# The plots of eval and tune, for strokes that are drawn badly enough to be confused.
run <<END
version: 1
sources:
  - synthetic:
      { seed: 5, count: 400, points: 24, noise: 0.07, shapes: [circle, triangle, rectangle, check, caret, zigzag, star, spiral] }
sinks:
  - file: { path: "$work/careless.jsonl" }
END
"$PIPECTL" eval -q Configs/strokes.yaml "$work/careless.jsonl" --templates=1,2,3,4,5,6 --repetitions=100 \
    --svg="$folder/learning-curve.svg" >"$work/eval.txt"
"$PIPECTL" tune -q Configs/strokes.yaml --on "$work/careless.jsonl" --vary match.limit_factor=0.8:1.5:0.05 --templates=3 \
    --repetitions=40 --svg="$folder/trade-off.svg" >"$work/tune.txt"
