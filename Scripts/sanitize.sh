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
export TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/Scripts/tsan-suppressions.txt"
# XCTest's own runner reports a leak; Swift Testing runs without it.
swift test --disable-xctest --sanitize="$kind" --scratch-path ".build-$kind" \
    --filter 'WebRTCStatsTests|CallQualityTests|MediaEngineTests|SessionProtocolTests|RouterProtocolTests|SightlineTests|SessionServerTests'
