#!/usr/bin/env bash
# Installs the release build of pipectl, and completion for bash, zsh and fish, below a prefix.
set -euo pipefail
prefix=${1:?usage: scripts/install.sh PREFIX}
cd "$(dirname "$0")/.."

pipectl="$(swift build -c release --show-bin-path)/pipectl"
install -d "$prefix/bin"
install -m 755 "$pipectl" "$prefix/bin/pipectl"

complete() { # complete SHELL FOLDER NAME
    install -d "$prefix/$2"
    "$pipectl" completion "$1" >"$prefix/$2/$3"
}
complete bash share/bash-completion/completions pipectl
complete zsh share/zsh/site-functions _pipectl
complete fish share/fish/vendor_completions.d pipectl.fish
echo "installed $prefix/bin/pipectl"
