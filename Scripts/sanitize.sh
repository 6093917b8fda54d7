#!/usr/bin/env bash
# Runs the unit tests under a sanitizer: address or thread.
#
# Tests that start peer connections are left out: libwebrtc itself is not instrumented, and its threads would drown
# the findings. Everything else is held to it.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:?usage: Scripts/sanitize.sh address|thread}
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS=halt_on_error=1
# ThreadSanitizer does not see the futex inside Swift's Mutex; the flag puts a lock in its place that it does see.
flags=()
[[ "$kind" == thread ]] && flags=(-Xswiftc -DTHREAD_SANITIZER)
# XCTest's own runner reports a leak; Swift Testing runs without it.
swift test --disable-xctest --sanitize="$kind" --scratch-path ".build-$kind" "${flags[@]}" \
    --filter '^(WebRTCStatsTests|CallQualityTests|CallRecordingTests|MediaEngineTests|SessionProtocolTests|RouterProtocolTests|SightlineTests)\.' \
    --filter 'LayerPolicyTests|LayerMeterTests|RouterSDPTests|KeyFrameLimiterTests|RouterCoreTests|LineReaderTests'
