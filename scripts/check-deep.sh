#!/usr/bin/env bash
# What takes too long for every change: the tests under the thread and the address sanitizer, each in a build of its own,
# and the example package.
set -euo pipefail
cd "$(dirname "$0")/.."

for sanitizer in thread address; do
    echo "== $sanitizer sanitizer"
    swift test --sanitize "$sanitizer" --scratch-path ".build/$sanitizer"
done

echo "== the example of a stage in a package of its own"
cd Examples/CustomStage
swift test
swift run tour
swift run custom thin.yaml
