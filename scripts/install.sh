#!/usr/bin/env bash
# Builds pipectl for release and installs it, and completion for bash, zsh and fish, below a prefix. What is installed runs where there
# is no Swift toolchain: on Linux Swift's own libraries are part of the program, on macOS they are part of the system.
set -euo pipefail
prefix=${1:?usage: scripts/install.sh PREFIX}
cd "$(dirname "$0")/.."

# A place of its own: the build that the other scripts use is linked otherwise, and would be made anew each time.
# Without the search path to its own folder that SwiftPM adds: nothing stands beside it.
flags=(-c release --product pipectl --scratch-path .build/install --disable-local-rpath)
[ "$(uname)" = Linux ] && flags+=(--static-swift-stdlib)
swift build "${flags[@]}"
pipectl="$(swift build "${flags[@]}" --show-bin-path)/pipectl"

install -d "$prefix/bin"
install -m 755 "$pipectl" "$prefix/bin/pipectl"
if command -v strip >/dev/null 2>&1; then
    if [ "$(uname)" = Linux ]; then strip "$prefix/bin/pipectl"; else strip -x "$prefix/bin/pipectl"; fi
fi

complete() { # complete SHELL FOLDER NAME
    install -d "$prefix/$2"
    "$prefix/bin/pipectl" completion "$1" >"$prefix/$2/$3"
}
complete bash share/bash-completion/completions pipectl
complete zsh share/zsh/site-functions _pipectl
complete fish share/fish/vendor_completions.d pipectl.fish
echo "installed $prefix/bin/pipectl"
