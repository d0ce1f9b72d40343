#!/usr/bin/env bash
# Builds pipectl for release and installs it below a prefix, with its manual page and completion for bash, zsh and fish. What is
# installed runs where there is no Swift toolchain: on Linux Swift's own libraries are part of the program, on macOS they are part of
# the system.
#
#   PREFIX     where it is installed (/usr/local)
#   DESTDIR    what stands before all paths while packages are made; in nothing that is installed
#   UNITDIR    where a unit of systemd is installed, and the example beside it in /etc/pipeline; neither is without it
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix

# A place of its own: the build that the other scripts use is linked otherwise, and would be made anew each time.
# Without the search path to its own folder that SwiftPM adds: nothing stands beside it.
flags=(-c release --product pipectl --scratch-path .build/install --disable-local-rpath)
# All symbols are looked up at the start, and then none can be replaced.
[ "$(uname)" = Linux ] && flags+=(--static-swift-stdlib -Xlinker -z -Xlinker now)
swift build "${flags[@]}"
pipectl="$(swift build "${flags[@]}" --show-bin-path)/pipectl"

install -d "$root/bin"
install -m 755 "$pipectl" "$root/bin/pipectl"
if command -v strip >/dev/null 2>&1; then
    if [ "$(uname)" = Linux ]; then strip -R .comment "$root/bin/pipectl"; else strip -x "$root/bin/pipectl"; fi
fi

written() { # written FOLDER NAME WORD…: installs what pipectl writes when it is called with these words.
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
        # What somebody may have changed stays.
        [ -e "$target" ] || install -m 644 "$file" "$target"
    done
fi
echo "installed $root/bin/pipectl"
