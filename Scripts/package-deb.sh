#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# package-deb.sh [OUT]: packs the release build as a Debian package, with systemd unit, user, secret, configuration and manual pages,
# and holds it against lintian. The package is OUT/sightline_VERSION_ARCHITECTURE.deb; OUT is .build/deb unless given. BINARY names another
# build than the release.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-.build/deb}")
binary=${BINARY:-.build/release/sightline}
[[ -x $binary ]] || {
    echo "There is no $binary: make the release build first, swift build -c release --product sightline" >&2
    exit 1
}
Scripts/install-dependencies.sh build-essential debhelper lintian patchelf

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/sightline
mkdir -p "$tree/runtime" "$out"
cp -r Packaging/debian "$tree/debian"
cp Packaging/debian/server.json README.md Docs/running-the-server.md "$tree"
sed '/^# As /d' Packaging/systemd/sightline.service >"$tree/debian/sightline.service"
cp "$binary" "$tree/sightline"
# What comes with Swift's toolchain, and not with Debian.
toolchain=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["paths"]["runtimeLibraryPaths"][0])')
ldd "$binary" | awk -v at="$toolchain/" 'index($3, at) == 1 { print $3 }' | xargs cp -Lt "$tree/runtime"

date="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
python3 Scripts/manual-pages.py "$binary" "$tree/man" "$(date --utc -d "$date" +%F)"
version=$("$binary" --version | cut -d " " -f 1)
cat >"$tree/debian/changelog" <<END
sightline ($version) unstable; urgency=medium

  * What changed is in CHANGELOG.md.

 -- The Sightline authors <sightline@users.noreply.github.com>  $(date --utc -d "$date" -R)
END
(cd "$tree" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) >"$scratch/log" 2>&1 || {
    tail -40 "$scratch/log" >&2
    exit 1
}
package=$(echo "$scratch"/sightline_*.deb)
lintian --fail-on error,warning --tag-display-limit 0 --allow-root --suppress-tags initial-upload-closes-no-bugs "$package"
mv "$package" "$out"
echo "$out/${package##*/}"
