#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# Installs coturn, which only the tests with a real TURN server need; they are left out without it.
set -uo pipefail

[[ -x /usr/bin/turnserver ]] && exit 0
skip() {
    echo "coturn is not installed ($1): the tests with a TURN server are left out." >&2
    exit 0
}

command -v apt-get >/dev/null || skip "there is no apt-get"
run=()
if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || skip "please run as root: apt-get install coturn"
    run=(sudo -n)
fi
export DEBIAN_FRONTEND=noninteractive
echo "Installing missing packages for tests: coturn"
"${run[@]}" apt-get update -qq || skip "apt-get update failed"
"${run[@]}" apt-get install -y -qq --no-install-recommends coturn >/dev/null || skip "apt-get install failed"
# The tests start one of their own; a service that listens on the network is nobody's wish.
if command -v systemctl >/dev/null; then
    "${run[@]}" systemctl disable --now coturn >/dev/null 2>&1 || true
fi
