#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# install-test-tool.sh PACKAGE PROGRAM WHAT: installs a package that only some tests need. Without it they are skipped,
# which the last lines of `make test` name; in CI (CI=true) nothing may be skipped, and a missing package is an error.
set -uo pipefail
package=$1 program=$2 what=$3

[[ -x "/usr/bin/$program" ]] && exit 0
skip() {
    echo "$package is not installed ($1): $what are skipped." >&2
    [[ "${CI:-}" == true ]] && exit 1
    exit 0
}

command -v apt-get >/dev/null || skip "there is no apt-get"
run=()
if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || skip "please run as root: apt-get install $package"
    run=(sudo -n)
fi
export DEBIAN_FRONTEND=noninteractive
echo "Installing missing packages for tests: $package"
"${run[@]}" apt-get update -qq || skip "apt-get update failed"
"${run[@]}" apt-get install -y -qq --no-install-recommends "$package" >/dev/null || skip "apt-get install failed"
# The tests start one of their own, or none; a service that listens on the network is nobody's wish.
if command -v systemctl >/dev/null; then
    "${run[@]}" systemctl disable --now "$package" >/dev/null 2>&1 || true
fi
