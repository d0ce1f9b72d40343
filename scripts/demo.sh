#!/usr/bin/env bash
# Recognizes the gestures of a recorded session with a pipeline written in YAML.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then dim=$'\e[2m' bold=$'\e[1m' plain=$'\e[0m'; else dim='' bold='' plain=''; fi
say() { printf '%s\n' "$*"; }

[ -x .build/release/pipectl ] || say "${dim}Building pipectl; the first time this takes a few minutes.$plain"
# On a terminal, the build shows its progress in one line.
quiet=--quiet
[ -t 1 ] && quiet=
swift build -c release --product pipectl $quiet
pipectl=$(swift build -c release --show-bin-path)/pipectl

say
say "${bold}A gesture library: a few samples of each gesture, as they were drawn$plain"
say "$dim\$ pipectl gestures show Samples/shapes.json star --sample=1$plain"
"$pipectl" gestures show Samples/shapes.json star --sample=1
say
say "${bold}A pipeline that recognizes what three pens draw$plain"
say "$dim\$ cat Configs/strokes.yaml$plain"
cat Configs/strokes.yaml
say
say "$dim\$ pipectl run Configs/strokes.yaml$plain"
"$pipectl" run Configs/strokes.yaml
say
say "The library has no wave, so None is the right answer for a wave. Next, read ${bold}Documentation/Guide.md$plain. First run:"
say "  export PATH=\"\$PWD/.build/release:\$PATH\""
