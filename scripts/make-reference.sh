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

Every source, stage and sink with its options. `scripts/make-reference.sh` generates this page from the components;
`pipectl stages NAME` shows the same in a terminal. The keys of every component, such as `id` and `from`, are described
in [Configuration](Configuration.md#keys-of-every-component).

END
    "$PIPECTL" stages --format=markdown
} >Documentation/Reference.md

{
    cat <<'END'
# Errors

The codes of all errors and findings: the meaning, the cause, an example and the remedy. `scripts/make-reference.sh`
generates this page; `pipectl explain CODE` shows the same in a terminal. A code stays the same from version to version,
so scripts can depend on it. The example configurations are complete, and `pipectl validate` reports the code for them;
their paths start at the root of the repository.

END
    "$PIPECTL" explain --format=markdown
} >Documentation/Errors.md
