#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# sanitize.sh [address|thread] [FILTER]: runs tests under AddressSanitizer (with undefined behaviour, for the C++),
# ThreadSanitizer, or one after the other.
#
# libwebrtc itself is a built archive and not instrumented. AddressSanitizer sees our side of it, so the tests with real
# media run under it; ThreadSanitizer would not see the archive's locks, and what is not there would hide the findings.
set -euo pipefail
cd "$(dirname "$0")/.."

export SWIFT_BACKTRACE=enable=no
# libwebrtc keeps what it made once for as long as the process lives.
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/Scripts/thread-sanitizer.txt"

# Those that need a process of their own, as in test.sh; all others share one.
apart='^(SightlineTests|SessionServerTests|NIOSignalingTests|LibWebRTCTests|MediaRouterTests|EndToEndTests)\.'
sockets='^(SessionServerTests|NIOSignalingTests)\.'
# Of the router everything but its tests with an engine, which share a suite.
router='^MediaRouterTests\.(?!RealMedia)'

run() {
    local kind=$1 flags=() parts
    if [[ "$kind" == thread ]]; then
        parts=("sockets:$sockets" "router:$router")
        # ThreadSanitizer does not see the futex in Swift's Mutex (it is inlined into code of the standard library that is
        # not instrumented) and takes every hand-over through it for a race; the flag puts a lock in its place that it does see.
        flags=(-Xswiftc -DTHREAD_SANITIZER)
    else
        parts=("sockets:$sockets" 'router:^MediaRouterTests\.' 'engine:^LibWebRTCTests\.')
        # The archive has no type information for `vptr` and `function`.
        flags=(-Xcxx -fsanitize=undefined -Xcxx -fno-sanitize=vptr,function -Xcxx -fno-sanitize-recover=undefined)
    fi
    # XCTest's own runner reports a leak; Swift Testing runs without it.
    local test=(swift test --disable-xctest --sanitize="$kind" --scratch-path ".build-$kind" "${flags[@]}"
        --xunit-output '{report}')
    if [[ -n "${2:-}" ]]; then
        Scripts/test-leg.py "$kind" 60 "${test[@]}" --filter "$2"
        return
    fi
    # As in test.sh: virtual time passes when every task of the process waits, and engines are counted by process.
    local status=0
    Scripts/test-leg.py "$kind-sdk" 60 "${test[@]}" --filter '^SightlineTests\.' || status=1
    Scripts/test-leg.py "$kind-units" 60 "${test[@]}" --skip-build --skip "$apart" || status=1
    for part in "${parts[@]}"; do
        Scripts/test-leg.py "$kind-${part%%:*}" 60 "${test[@]}" --skip-build --filter "${part#*:}" || status=1
    done
    return $status
}

status=0
for kind in ${1:-address thread}; do run "$kind" "${2:-}" || status=1; done
exit $status
