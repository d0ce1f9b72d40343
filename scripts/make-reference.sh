#!/usr/bin/env bash
# Regenerates Documentation/Reference.md from the descriptions of all components, and Documentation/Errors.md from the
# explanations of all codes.
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

{
    cat <<'END'
# Errors

Every code that an error or a finding can have: what is wrong, why that happens, how it looks and what to do. Written by
`scripts/make-reference.sh`; `pipectl explain CODE` shows the same in a terminal. A code stays the same from version to
version, so that scripts can go by it. Examples of configurations are whole, and `pipectl validate` reports the code for
them; paths in them start at the root of the repository.

END
    "$PIPECTL" explain --format=markdown
} >Documentation/Errors.md
