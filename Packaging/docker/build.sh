#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# build.sh OUT: makes OUT/sightline.deb of these sources, in an image with Swift.
set -euo pipefail
cd "$(dirname "$0")/../.."
apt-get update -qq
apt-get install -y -qq --no-install-recommends git python3
Scripts/install-dependencies.sh
swift build -c release --product sightline
Scripts/package-deb.sh "$1"
mv "$1"/sightline_*.deb "$1/sightline.deb"
