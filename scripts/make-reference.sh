#!/usr/bin/env bash
# Writes Documentation/Reference.md anew, from what every component says about itself.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${PIPECTL:-}" ]; then
    swift build --product pipectl --quiet
    PIPECTL=$(swift build --show-bin-path)/pipectl
fi

{
    cat <<'END'
# Reference

Every source, stage and sink with its options. Written by `scripts/make-reference.sh` out of what the components say
about themselves; `pipectl stages NAME` shows the same in a terminal. What every component can say beside its options
stands [elsewhere](Configuration.md#keys-of-every-component).

END
    "$PIPECTL" stages --format=markdown
} >Documentation/Reference.md
