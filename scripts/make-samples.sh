#!/usr/bin/env bash
# Draws everything in Samples anew, with pipelines of synthetic strokes: the same bytes every time.
# usage: scripts/make-samples.sh [FOLDER]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/Samples}
if [ -z "${PIPECTL:-}" ]; then
    (cd "$root" && swift build --product pipectl --quiet)
    PIPECTL=$(cd "$root" && swift build --show-bin-path)/pipectl
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# draw FILE OPTIONS: the frames of a synthetic source, as JSON Lines.
draw() {
    cat >"$work/draw.yaml" <<END
version: 1
sources:
  - synthetic: $2
sinks:
  - file: { path: "$1", if_exists: overwrite }
END
    "$PIPECTL" run -q "$work/draw.yaml"
}

shapes="[line, circle, triangle, rectangle, check, caret, zigzag, star, spiral, pigtail]"
mkdir -p "$folder"

# A library: three samples of each of ten shapes.
draw "$work/shapes.jsonl" "{ seed: 1, count: 30, points: 24, noise: 0.008, shapes: $shapes }"
"$PIPECTL" gestures import -q "$work/shapes.json" "$work/shapes.jsonl"
mv "$work/shapes.json" "$folder/shapes.json"

# A session: three pens, strokes with the names of what they are meant to be, one of a shape that the library has not.
draw "$folder/session.jsonl" \
    "{ seed: 7, count: 24, points: 32, noise: 0.01, streams: 3, rate_hz: 1.25, \
shapes: [circle, check, star, triangle, wave, zigzag, spiral, rectangle] }"

# The same as single points of two pens, as they come from a device.
draw "$folder/points.jsonl" \
    "{ seed: 8, kind: points, count: 8, points: 24, noise: 0.01, streams: 2, shapes: [caret, circle, pigtail, line] }"

# Strokes of two pens as a live run recorded them: two a pen and 100 ms, with the time of receipt. They come 5 to 9 ms after
# they ended, the second pen's 3 ms behind the first's; those of the fourth second come all at once, at its end.
draw "$work/live.jsonl" \
    "{ seed: 9, count: 100, points: 8, size: 100, streams: 2, rate_hz: 10, shapes: [circle, check, star, triangle, caret] }"
awk '{
    match($0, /"t_us":[0-9]+/)
    time = substr($0, RSTART + 7, RLENGTH - 7) + 0
    received = time + 5000 + (NR % 2 ? 0 : 3000) + (NR * 7919) % 1009
    if (time >= 3000000 && time < 4000000) received = 4000000 + NR
    print substr($0, 1, RSTART + RLENGTH - 1) ",\"recv_us\":" (received + 1000000) substr($0, RSTART + RLENGTH)
}' "$work/live.jsonl" >"$folder/live.jsonl"

# Letters in strokes of any order and direction: a library of six samples of each, and a pen that writes some.
letters="[A, B, C, D, E, F, H, I, K, L, O, S, T, X, Z]"
draw "$work/letters.jsonl" "{ seed: 3, count: 90, points: 24, noise: 0.008, shapes: $letters }"
"$PIPECTL" gestures import -q "$work/letters.json" "$work/letters.jsonl"
mv "$work/letters.json" "$folder/letters.json"
draw "$folder/letters.jsonl" \
    "{ seed: 9, kind: points, count: 12, points: 24, noise: 0.01, shapes: [T, H, E, F, O, X, I, S, A, B, L, E] }"

# Two hands that cross and show gestures, filmed 15 times a second, each missing now and then for up to five frames.
draw "$folder/two-hands.jsonl" "{ kind: hands, seed: 4, count: 7, rate_hz: 1.25, sample_hz: 15, dropouts: 0.03 }"

# Two signatures of one pen, as single points at 60 a second.
draw "$folder/signature.jsonl" "{ draws: signatures, seed: 5, kind: points, count: 2, size: 500, sample_hz: 60 }"
