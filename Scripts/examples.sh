#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# Builds every package below Examples, each on its own, as somebody who depends on Sightline would.
set -euo pipefail
cd "$(dirname "$0")/.."

for manifest in Examples/*/Package.swift; do
    package=$(dirname "$manifest")
    echo "building $package"
    swift build --package-path "$package"
done
echo "done: Examples/*/.build/debug has the programs"
