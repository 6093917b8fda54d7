#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# Installs what only some tests need. See install-test-tool.sh.
set -euo pipefail
cd "$(dirname "$0")"
./install-test-tool.sh pulseaudio pulseaudio "the tests with a real audio server"
./install-test-tool.sh pulseaudio-utils pactl "the tests with a real audio server"
./install-test-tool.sh janus janus "the test with an SFU of others"
./install-test-tool.sh coturn turnserver "the tests with a TURN server"
./install-test-tool.sh prometheus promtool "the tests of the metrics by Prometheus' own tool"
./install-test-tool.sh chromium chromium "the tests with a browser"
./install-test-tool.sh node-typescript tsc "the types of the client for browsers"
# Debian keeps each version's programs apart; what is in /usr/bin comes without a server, too.
initdb=$(cd /usr/bin && find ../lib/postgresql -path '*/bin/initdb' 2>/dev/null | grep . || echo initdb)
./install-test-tool.sh postgresql "${initdb%%$'\n'*}" "the tests with PostgreSQL"
./install-test-tool.sh haproxy ../sbin/haproxy "the test of the files for three servers"
./install-test-tool.sh openssl openssl "the tests of a client's TLS"
./install-test-tool.sh valgrind valgrind "the count of instructions"
./install-test-tool.sh gdb gdb "the stacks of a run that hangs"
./install-dependencies.sh python3-yaml
