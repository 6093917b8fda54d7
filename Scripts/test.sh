#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# test.sh [FILTER]: runs the tests that are built. A filter runs those that match it, in one go.
#
# Without one there are several legs, each a process of its own. libwebrtc's field trials hold for a whole process, and
# router and clients want different ones; leak tests count what their process holds; two cores carry one call well, and
# several badly; and virtual time passes when every task of the process waits, so nothing else computes beside it.
#
# Nothing is tried twice: a test that fails has failed.
set -uo pipefail
cd "$(dirname "$0")/.."

legs=()

# leg NAME MINUTES COMMAND...: one of the runs, with the minutes after which it counts as hung.
leg() {
    legs+=("$1")
    Scripts/test-leg.py "$@" || true
}

# tests NAME MINUTES OPTIONS...: a leg of tests that are built.
tests() { leg "$1" "$2" swift test --skip-build --xunit-output '{report}' "${@:3}"; }

if [[ -n "${1:-}" ]]; then
    tests filtered 30 --filter "$1"
else
    tests units 15 --skip '^(SightlineTests|SessionServerTests|NIOSignalingTests|LibWebRTCTests|MediaRouterTests|EndToEndTests)\.'
    tests sdk 5 --filter '^SightlineTests\.'
    tests sockets 5 --filter '^(SessionServerTests|NIOSignalingTests)\.'
    tests engine 10 --filter '^LibWebRTCTests\.'
    tests router 10 --filter '^MediaRouterTests\.'
    tests calls 25 --filter '^EndToEndTests\.'
    # What only compiles on Apple's systems, against stand-ins.
    leg apple 10 swift test --package-path Tests/AppleStandIns --xunit-output '{report}'
    # The guides are held against what is built, too, and the examples run.
    leg guides 5 python3 Scripts/check-guides.py
    leg journeys 10 python3 Scripts/check-journeys.py
    leg packaging 2 python3 Scripts/check-packaging.py .build/debug/sightline
    leg examples 10 Scripts/examples.sh
fi
Scripts/test-leg.py --sum "${legs[@]}"
