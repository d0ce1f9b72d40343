#!/usr/bin/env bash
# Builds pipectl for release and installs it below a prefix, with its manual page and completions for bash, zsh, and fish. The
# installed files work without the Swift toolchain: on Linux, Swift's own libraries are part of the program; on macOS, they
# are part of the system.
#
#   PREFIX     the folder to install to (/usr/local)
#   DESTDIR    a prefix for all paths, used to build packages; installed files do not contain it
#   UNITDIR    the folder for the systemd unit. If it is set, the example is also installed, in /etc/pipeline.
#              If it is unset, neither the unit nor the example is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix

# Use a separate build folder: other scripts link differently, so with a shared folder each would rebuild the program.
# Omit the library search path that SwiftPM adds for the program's own folder, because that folder contains no libraries.
flags=(-c release --product pipectl --scratch-path .build/install --disable-local-rpath)
# Resolve all symbols of linked libraries at startup, so that none of them can be replaced later.
[ "$(uname)" = Linux ] && flags+=(--static-swift-stdlib -Xlinker -z -Xlinker now)
swift build "${flags[@]}"
pipectl="$(swift build "${flags[@]}" --show-bin-path)/pipectl"

install -d "$root/bin"
install -m 755 "$pipectl" "$root/bin/pipectl"
if command -v strip >/dev/null 2>&1; then
    if [ "$(uname)" = Linux ]; then strip -R .comment "$root/bin/pipectl"; else strip -x "$root/bin/pipectl"; fi
fi

written() { # written FOLDER NAME ARGUMENT…: installs the output of pipectl with these arguments.
    local folder=$root/$1 name=$2
    shift 2
    install -d "$folder"
    "$root/bin/pipectl" "$@" >"$folder/$name"
    chmod 644 "$folder/$name"
}
written share/man/man1 pipectl.1 help --man
written share/bash-completion/completions pipectl completion bash
written share/zsh/site-functions _pipectl completion zsh
written share/fish/vendor_completions.d pipectl.fish completion fish

if [ -n "${UNITDIR:-}" ]; then
    install -d "${DESTDIR:-}$UNITDIR" "${DESTDIR:-}/etc/pipeline"
    sed "s|@bindir@|$prefix/bin|" "packaging/pipeline@.service" >"${DESTDIR:-}$UNITDIR/pipeline@.service"
    chmod 644 "${DESTDIR:-}$UNITDIR/pipeline@.service"
    for file in packaging/example.yaml packaging/shapes.json; do
        target=${DESTDIR:-}/etc/pipeline/$(basename "$file")
        # Files that the user may have changed are kept.
        [ -e "$target" ] || install -m 644 "$file" "$target"
    done
fi
echo "installed $root/bin/pipectl"
