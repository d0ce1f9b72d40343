#!/usr/bin/env bash
# Recognises the gestures of a recorded session by a pipeline written in YAML.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --product pipectl --quiet
pipectl="$(swift build -c release --show-bin-path)/pipectl"

echo "\$ cat Configs/demo.yaml"
cat Configs/demo.yaml
echo
echo "\$ pipectl run Configs/demo.yaml"
exec "$pipectl" run Configs/demo.yaml
