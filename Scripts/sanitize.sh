#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# sanitize.sh [address|thread] [FILTER]: runs tests under AddressSanitizer, ThreadSanitizer, or one after the other.
#
# Tests that start peer connections are left out: libwebrtc is a prebuilt archive that knows nothing of sanitizers, and
# what its threads do would hide the findings. Everything else is held to it, and what is concurrent above all.
set -euo pipefail
cd "$(dirname "$0")/.."

export SWIFT_BACKTRACE=enable=no
# libwebrtc keeps what it made once for as long as the process lives.
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS="halt_on_error=1"

pure='WebRTCStatsTests|CallQualityTests|CallRecordingTests|MediaEngineTests|SessionProtocolTests|RouterProtocolTests'
concurrent='SightlineTests|SessionServerTests|CallStoreTests|NIOSignalingTests'
# Of the router everything but its tests with an engine, which share a suite.
router='MediaRouterTests\.(?!RouterTests)'
all="^(($pure|$concurrent)\.|$router)"

run() {
    local kind=$1 flags=()
    # ThreadSanitizer does not see the futex in Swift's Mutex (it is inlined into code of the standard library that is not
    # instrumented) and takes every hand-over through it for a race; the flag puts a lock in its place that it does see.
    [[ "$kind" == thread ]] && flags=(-Xswiftc -DTHREAD_SANITIZER)
    # XCTest's own runner reports a leak; Swift Testing runs without it.
    Scripts/test-leg.py "$kind" 60 swift test --disable-xctest --sanitize="$kind" --scratch-path ".build-$kind" \
        "${flags[@]}" --xunit-output '{report}' --filter "${2:-$all}"
}

status=0
for kind in ${1:-address thread}; do run "$kind" "${2:-}" || status=1; done
exit $status
