#!/usr/bin/env bash
# Redraws everything in Samples with pipelines of synthetic strokes. The output is always the same, byte for byte.
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

# draw FILE OPTIONS: writes the frames of a synthetic source as JSON Lines.
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

# A library with three samples of each of ten shapes.
draw "$work/shapes.jsonl" "{ seed: 1, count: 30, points: 24, noise: 0.008, shapes: $shapes }"
"$PIPECTL" gestures import -q "$work/shapes.json" "$work/shapes.jsonl"
mv "$work/shapes.json" "$folder/shapes.json"
# The example of the service has a copy of the library in its folder.
if [ "$folder" = "$root/Samples" ]; then cp "$folder/shapes.json" "$root/packaging/"; fi

# A session of three pens. The strokes are labeled with the intended shape; one shape is not in the library.
draw "$folder/session.jsonl" \
    "{ seed: 7, count: 24, points: 32, noise: 0.01, streams: 3, rate_hz: 1.25, \
shapes: [circle, check, star, triangle, wave, zigzag, spiral, rectangle] }"

# A similar session as single points of two pens, as sent by a device.
draw "$folder/points.jsonl" \
    "{ seed: 8, kind: points, count: 8, points: 24, noise: 0.01, streams: 2, shapes: [caret, circle, pigtail, line] }"

# Strokes of two pens as recorded by a live run: one stroke per pen every 100 ms, with the time of receipt. A stroke arrives 5 to
# 9 ms after its end, and the strokes of the second pen arrive 3 ms later than those of the first. All strokes of the fourth second
# arrive at the end of that second.
draw "$work/live.jsonl" \
    "{ seed: 9, count: 100, points: 8, size: 100, streams: 2, rate_hz: 10, shapes: [circle, check, star, triangle, caret] }"
awk '{
    match($0, /"t_us":[0-9]+/)
    time = substr($0, RSTART + 7, RLENGTH - 7) + 0
    received = time + 5000 + (NR % 2 ? 0 : 3000) + (NR * 7919) % 1009
    if (time >= 3000000 && time < 4000000) received = 4000000 + NR
    print substr($0, 1, RSTART + RLENGTH - 1) ",\"recv_us\":" (received + 1000000) substr($0, RSTART + RLENGTH)
}' "$work/live.jsonl" >"$folder/live.jsonl"

# Letters with strokes in any order and direction: a library with six samples of each letter, and a pen that writes some of
# them.
letters="[A, B, C, D, E, F, H, I, K, L, O, S, T, X, Z]"
draw "$work/letters.jsonl" "{ seed: 3, count: 90, points: 24, noise: 0.008, shapes: $letters }"
"$PIPECTL" gestures import -q "$work/letters.json" "$work/letters.jsonl"
mv "$work/letters.json" "$folder/letters.json"
draw "$folder/letters.jsonl" \
    "{ seed: 9, kind: points, count: 12, points: 24, noise: 0.01, shapes: [T, H, E, F, O, X, I, S, A, B, L, E] }"

# Two hands that cross and show gestures, filmed at 15 frames per second. From time to time, a hand is missing for up to five
# frames.
draw "$folder/two-hands.jsonl" "{ kind: hands, seed: 4, count: 7, rate_hz: 1.25, sample_hz: 15, dropouts: 0.03 }"

# Two signatures of one pen, as single points at 60 per second.
draw "$folder/signature.jsonl" "{ draws: signatures, seed: 5, kind: points, count: 2, size: 500, sample_hz: 60 }"

# Left and right hands made of rods and joints, turned and tilted, in pixels: a library of four gestures, and a session with these
# and some well-known gestures. hands SEED TIMES GESTURE...: writes TIMES frames of each gesture in turn, ten per second.
hands() {
    awk -v seed="$1" -v times="$2" -v names="${*:3}" '
    function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    function noise(size) { return (2 * random() - 1) * size }
    function bend(finger) { b = bends[finger] + noise(0.05); return b < 0 ? 0 : b > 1 ? 1 : b }
    function place(x, y, z,  h, v) {
        v = y * cos(tilt) - z * sin(tilt)
        x *= side
        h = x * cos(turn) - v * sin(turn)
        v = x * sin(turn) + v * cos(turn)
        text = text sprintf("%s%.1f,%.1f", text == "" ? "" : ",", left + size * h, top + size * v)
    }
    BEGIN {
        pi = atan2(0, -1)
        # How far the index, middle, ring, and little fingers are bent, and how far the thumb is extended, from 0 to 1. A thumb
        # of 2 touches the index finger.
        pose["ok"] = "0.62 0 0 0 2"; pose["three"] = "0 0 0 1 0"; pose["call"] = "1 1 1 0 1"
        pose["none"] = "0.45 0.5 0.5 0.55 0.5"
        pose["Victory"] = "0 0 1 1 0"; pose["Closed_Fist"] = "1 1 1 1 0"; pose["Open_Palm"] = "0 0 0 0 1"
        split("0.25 0.05 -0.15 -0.32", across, " "); split("0.90 0.95 0.90 0.78", up, " ")
        split("0.45 0.26 0.22 0.50 0.30 0.22 0.46 0.28 0.22 0.36 0.21 0.20", bones, " ")
        split("10 1 -7 -16", spread, " "); split("80 95 60", share, " ")
        split("0.22 0.16 0.42 0.32 0.66 0.45 0.86 0.56", out, " ")
        split("0.22 0.18 0.36 0.45 0.22 0.66 0.04 0.70", tucked, " ")
        count = split(names, gestures, " ")
        for (frame = 0; frame < count * times; frame++) {
            name = gestures[frame % count + 1]
            split(pose[name], bends, " ")
            side = random() < 0.5 ? 1 : -1
            turn = noise(25) * pi / 180; tilt = noise(12) * pi / 180
            size = 120 + noise(40); left = 320 + noise(100); top = 320 + noise(60); wide = 1 + noise(0.1)
            text = ""
            place(0, 0, 0)
            # The fingers are computed first, because the thumb may touch one. They are written after the thumb.
            for (f = 1; f <= 4; f++) {
                angle = 0; along = 0; depth = 0; amount = bend(f)
                fx[f, 0] = wide * across[f]; fy[f, 0] = up[f]; fz[f, 0] = 0
                for (j = 1; j <= 3; j++) {
                    angle += share[j] * amount * pi / 180
                    along += bones[3 * (f - 1) + j] * cos(angle); depth -= bones[3 * (f - 1) + j] * sin(angle)
                    fx[f, j] = fx[f, 0] + along * sin(spread[f] * pi / 180); fy[f, j] = up[f] + along; fz[f, j] = depth
                }
            }
            thumb = bends[5] == 2 ? 0.7 : bends[5] + noise(0.04)
            for (j = 0; j < 4; j++) {
                x = wide * (thumb * out[2 * j + 1] + (1 - thumb) * tucked[2 * j + 1])
                y = thumb * out[2 * j + 2] + (1 - thumb) * tucked[2 * j + 2]
                z = -0.1 * j * (1 - thumb)
                # Bend the thumb toward the tip of the index finger, so that the tips touch.
                if (bends[5] == 2 && j > 1) {
                    pull = (j - 1) / 2
                    x += pull * (fx[1, 3] - x) ; y += pull * (fy[1, 3] - y); z += pull * (fz[1, 3] - z)
                }
                place(x, -y, z)
            }
            for (f = 1; f <= 4; f++) for (j = 0; j <= 3; j++) place(fx[f, j], -fy[f, j], fz[f, j])
            printf "{\"v\":1,\"kind\":\"landmarks\",\"stream\":\"camera\",\"seq\":%d,\"t_us\":%d,\"topology\":\"hand21\",", \
                frame, frame * 100000
            printf "\"space\":\"pixels\",\"fields\":\"xy\",\"pts\":[%s],\"handedness\":\"%s\",\"label\":\"%s\"}\n", text, \
                (side > 0 ? "Right" : "Left"), name
        }
    }'
}
hands 11 5 ok three call none >"$work/hands.jsonl"
"$PIPECTL" gestures import -q "$work/hands.json" "$work/hands.jsonl"
mv "$work/hands.json" "$folder/hands.json"
hands 23 3 ok Victory three Closed_Fist call none >"$folder/hands.jsonl"

# A mouse that wanders and draws shapes on its way, one after the other, without pressing a button: 60 single points per second.
draw "$work/shapes-of-mouse.jsonl" \
    "{ seed: 12, kind: points, count: 6, points: 56, size: 260, noise: 0.004, shapes: [star, triangle, rectangle, zigzag] }"
awk '
    function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    function say(x, y) {
        printf "{\"v\":1,\"kind\":\"points\",\"stream\":\"mouse\",\"seq\":%d,\"t_us\":%d,\"phase\":\"move\",\"stroke\":0,", \
            count, int(count * 1000000 / 60)
        printf "\"fields\":\"xy\",\"pts\":[%.1f,%.1f]}\n", x, y
        count++; lastx = x; lasty = y
    }
    # Moves from the current position to another one, on a curve through the window.
    function wander(x, y, frames,  i, u, v, ax, ay, bx, by, sx, sy) {
        sx = lastx; sy = lasty
        ax = 1200 * random(); ay = 800 * random(); bx = 1200 * random(); by = 800 * random()
        for (i = 1; i <= frames; i++) {
            u = i / frames; u = u * u * (3 - 2 * u); v = 1 - u
            say(v * v * v * sx + 3 * v * v * u * ax + 3 * v * u * u * bx + u * u * u * x, \
                v * v * v * sy + 3 * v * v * u * ay + 3 * v * u * u * by + u * u * u * y)
        }
    }
    BEGIN { seed = 7; lastx = 600; lasty = 400 }
    {
        match($0, /"pts":\[[^,]*,[^,\]]*/)
        split(substr($0, RSTART + 7, RLENGTH - 7), place, ",")
        if ($0 ~ /"phase":"begin"/) {
            left = 300 + 500 * random(); top = 250 + 200 * random()
            wander(1200 * random(), 800 * random(), 50 + int(30 * random()))
            wander(left + place[1], top + place[2], 40)
            for (i = 0; i < 9; i++) say(lastx, lasty)
        } else {
            say(left + place[1], top + place[2])
        }
        if ($0 ~ /"phase":"end"/) for (i = 0; i < 12; i++) say(lastx, lasty)
    }
    END { wander(600, 400, 60) }' "$work/shapes-of-mouse.jsonl" >"$folder/mouse.jsonl"

# Gestures drawn in the air by a fingertip: a library of motions, and a hand in front of a camera that shows them, at 30
# frames per second. Between two gestures, the hand sinks and is not visible for a while.
motions() {
    awk -v mode="$1" '
    function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    # The position of a motion at u from 0 to 1, in pixels from its center.
    function move(name, variant, u,  angle) {
        if (name == "circle") {
            angle = pi / 2 * variant + (variant > 3 ? -1 : 1) * 2 * pi * 1.03 * u
            mx = 90 * cos(angle); my = 90 * sin(angle)
        } else if (name == "wave") {
            mx = 60 * sin(2 * pi * 1.75 * u + (variant ? pi : 0)); my = -6 * sin(pi * u)
        } else {
            mx = (name == "swipe_right" ? 1 : -1) * (340 * u - 170); my = -24 * sin(pi * u)
        }
    }
    function stroke(name, variant, frames,  i, text) {
        for (i = 0; i <= frames; i++) {
            move(name, variant, i / frames)
            text = text sprintf("%s%.1f,%.1f,%d", i ? "," : "", mx, my, i * 33333)
        }
        printf "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"air\",\"seq\":%d,\"t_us\":%d,\"start_us\":%d,\"label\":\"%s\",", \
            count, count * 2000000, count * 2000000, name
        printf "\"fields\":\"xyt\",\"pts\":[%s]}\n", text
        count++
    }
    # A hand whose index finger points at a position.
    function frame(x, y,  i, text, part) {
        for (i = 1; i <= 21; i++) {
            split(hand[i], part, ",")
            text = text sprintf("%s%.4f,%.4f", i > 1 ? "," : "", (x + part[1] + 1.2 * (random() - 0.5)) / 640, \
                (y + part[2] + 1.2 * (random() - 0.5)) / 480)
        }
        printf "{\"v\":1,\"kind\":\"landmarks\",\"stream\":\"camera\",\"seq\":%d,\"t_us\":%d,\"topology\":\"hand21\",", \
            count, int(time++ * 1000000 / 30)
        printf "\"space\":\"normalized\",\"fields\":\"xy\",\"pts\":[%s],\"handedness\":\"Right\",\"score\":0.95}\n", text
        count++; lastx = x; lasty = y
    }
    function show(name, variant, frames,  i, u) {
        move(name, variant, 0)
        for (i = 0; i < 6; i++) frame(320 + mx, 200 + my)
        for (i = 0; i <= frames; i++) { u = i / frames; move(name, variant, 0.5 * u + 0.5 * u * u * (3 - 2 * u)); frame(320 + mx, 200 + my) }
        for (i = 0; i < 4; i++) frame(lastx, lasty)
        mx = lastx; my = lasty
        for (i = 1; i <= 8; i++) frame(mx + 3 * i, my + 18 * i)
        time += 20
    }
    BEGIN {
        pi = atan2(0, -1); seed = 77
        split("20,150 -5,140 -20,122 -14,106 2,98 0,84 0,50 0,25 0,0 22,82 24,62 22,84 20,98 42,86 44,70 40,90 36,102 60,94 60,80 56,96 52,106", hand, " ")
        if (mode == "library") {
            for (i = 0; i < 8; i++) stroke("circle", i, 30)
            stroke("swipe_left", 0, 12); stroke("swipe_right", 0, 12)
            stroke("wave", 0, 30); stroke("wave", 1, 30)
        } else {
            show("swipe_right", 0, 13); show("circle", 3, 34); show("wave", 0, 32); show("swipe_left", 0, 11)
            show("circle", 6, 28); show("wave", 1, 28)
        }
    }'
}
motions library >"$work/motions.jsonl"
"$PIPECTL" gestures import -q --kind=motion "$work/motions.json" "$work/motions.jsonl"
mv "$work/motions.json" "$folder/motions.json"
motions session >"$folder/air.jsonl"
