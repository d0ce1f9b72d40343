#!/usr/bin/env bash
# Builds the documentation of all libraries as a static web site in .build/docs/site. A warning, such as a broken link or an
# undocumented parameter, is an error. With --check, nothing is compiled and no site is built: the script uses the modules of
# the last build and only reports problems.
set -euo pipefail
cd "$(dirname "$0")/.."

# The libraries that the package offers.
libraries=()
while IFS= read -r library; do libraries+=("$library"); done < <(sed -nE 's/^ *\.library\(name: "([A-Za-z]+)".*/\1/p' Package.swift)

# tool NAME: prints the path of a tool of the toolchain. On macOS, xcrun finds it.
tool() {
    if command -v xcrun >/dev/null; then xcrun --find "$1"; else echo "$(dirname "$(readlink -f "$(command -v swift)")")/$1"; fi
}
extract=$(tool swift-symbolgraph-extract) docc=$(tool docc)

# Use the flags of `make test`, so that neither command rebuilds the other's output.
if [ "${1:-}" != --check ]; then
    for library in "${libraries[@]}"; do swift build --quiet --target "$library" -Xswiftc -warnings-as-errors; done
fi

build=$(swift build --show-bin-path)
flags=(-I "$build/Modules" -minimum-access-level public -skip-inherited-docs -emit-extension-block-symbols)
flags+=(-target "$(swift -print-target-info | sed -nE 's/^ *"triple": "(.*)",/\1/p' | head -n 1)")
if command -v xcrun >/dev/null; then flags+=(-sdk "$(xcrun --show-sdk-path)"); fi
# The module maps of the C libraries: generated ones, and ones in the sources.
for map in "$build"/*.build/module.modulemap Sources/*/module.modulemap; do flags+=(-Xcc "-fmodule-map-file=$PWD/${map#"$PWD"/}"); done

docs=.build/docs
rm -rf "$docs"
mkdir -p "$docs"

# convert LIBRARY: builds an archive from a library's declarations and its front page.
convert() {
    mkdir "$docs/$1"
    "$extract" -module-name "$1" -output-dir "$docs/$1" "${flags[@]}"
    "$docc" convert "Sources/$1/$1.docc" --additional-symbol-graph-dir "$docs/$1" --output-dir "$docs/$1.doccarchive" \
        --fallback-display-name "$1" --fallback-bundle-identifier "pipeline.$1" --warnings-as-errors
}

# Convert all libraries in parallel. The output of a conversion that fails is printed as a whole.
running=()
for library in "${libraries[@]}"; do
    convert "$library" >"$docs/$library.log" 2>&1 &
    running+=($!)
done
failed=()
for number in "${!libraries[@]}"; do
    if ! wait "${running[number]}"; then
        cat "$docs/${libraries[number]}.log" >&2
        failed+=("${libraries[number]}")
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "The documentation of ${failed[*]} has warnings." >&2
    exit 1
fi
if [ "${1:-}" != --check ]; then
    "$docc" merge "$docs"/*.doccarchive --output-path "$docs/site" --synthesized-landing-page-name Pipeline \
        --synthesized-landing-page-kind Package
    echo "The documentation is in $docs/site. To read it: python3 -m http.server --directory $docs/site"
fi
