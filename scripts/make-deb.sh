#!/usr/bin/env bash
# Builds a Debian package of pipectl in build/, for the Debian version of this machine, and checks it with lintian.
#
#   DEBFULLNAME, DEBEMAIL   the maintainer of the package; by default, the author of the last commit
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in dpkg-deb dpkg-shlibdeps lintian; do
    command -v "$tool" >/dev/null || {
        echo "$tool is missing: apt install dpkg-dev lintian" >&2
        exit 1
    }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/debian/pipectl
version=$(sed -nE 's/.*version: "([^"]+)".*/\1/p' Sources/pipectl/Pipectl.swift)-1
name=${DEBFULLNAME:-$(git log -1 --format=%an)} email=${DEBEMAIL:-$(git log -1 --format=%ae)}
# The same sources always give the same package.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C.UTF-8 TZ=UTC
umask 022

env -u PREFIX DESTDIR="$root" PREFIX=/usr UNITDIR=/lib/systemd/system scripts/install.sh >/dev/null

# The folder in which Debian's shells look for completions.
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_pipectl" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
gzip -9n "$root/usr/share/man/man1/pipectl.1"

doc=$root/usr/share/doc/pipectl
install -d "$doc"
sed "s/@years@/$(git log --reverse --format=%ad --date=format:%Y | head -n 1)-$(git log -1 --format=%ad --date=format:%Y)/" \
    packaging/copyright >"$doc/copyright"
gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
{
    printf 'pipectl (%s) unstable; urgency=medium\n\n' "$version"
    printf '  * For the changes that users can see, read changelog.gz.\n\n'
    printf ' -- %s <%s>  %s\n' "$name" "$email" "$(date -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$doc/changelog.Debian.gz"

# A locally built package closes no bug in Debian's bug tracker.
install -d "$root/usr/share/lintian/overrides"
echo 'pipectl: initial-upload-closes-no-bugs' >"$root/usr/share/lintian/overrides/pipectl"

# The dependencies, determined from the libraries that the program links to, and from those that it loads when it needs them.
# deferred.so links to the latter, and refers to the same functions as the program, from which the required versions follow.
install -d "$root/DEBIAN"
sed -n 's/^functions [a-z]* //p' Sources/CDeferred/Functions.S | tr ',' '\n' | sed 's/^/.quad /' >"$work/deferred.s"
clang -shared -Wl,-z,defs "$work/deferred.s" -o "$work/deferred.so" -lcairo -lrdkafka -lwebsockets -lzmq
printf 'Source: pipectl\nMaintainer: %s <%s>\n\nPackage: pipectl\nArchitecture: any\n' "$name" "$email" >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O debian/pipectl/usr/bin/pipectl deferred.so | sed -n 's/^shlibs:Depends=//p')

cat >"$root/DEBIAN/control" <<CONTROL
Package: pipectl
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $name <$email>
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)
Depends: $depends, init-system-helpers (>= 1.54)
Section: science
Priority: optional
Description: streaming pipelines of points, composed in YAML
 Pipelines read strokes of a pen and landmarks of hands, bodies and faces
 from files or over ZeroMQ, and recognize gestures, smooth, draw or record
 them.
 .
 This package contains the command pipectl, and a systemd unit that runs
 /etc/pipeline/NAME.yaml as the service pipeline@NAME.
CONTROL
(cd "$root" && find etc -type f | sort | sed 's|^|/|') >"$root/DEBIAN/conffiles"
install -m 755 packaging/postinst packaging/prerm "$root/DEBIAN"
(cd "$root" && find usr lib -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 touch -h -d "@$SOURCE_DATE_EPOCH"

mkdir -p build
package=build/pipectl_${version}_$(dpkg --print-architecture).deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
lintian --allow-root --fail-on error,warning "$package"
echo "made $package"
