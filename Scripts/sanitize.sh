#!/usr/bin/env bash
# Runs the unit tests under a sanitizer: address (with undefined behaviour, for the C++) or thread.
#
# libwebrtc itself is a built archive and not instrumented. AddressSanitizer sees our side of it, so the tests with real
# media run under it; ThreadSanitizer would not see the archive's locks, and what is not there would drown the findings.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:?usage: Scripts/sanitize.sh address|thread}
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS=halt_on_error=1
# ThreadSanitizer does not see the futex inside Swift's Mutex; the flag puts a lock in its place that it does see.
flags=()
[[ "$kind" == thread ]] && flags=(-Xswiftc -DTHREAD_SANITIZER)
if [[ "$kind" == address ]]; then
    # The archive has no type information for `vptr` and `function`.
    flags=(-Xcxx -fsanitize=undefined -Xcxx -fno-sanitize=vptr,function -Xcxx -fno-sanitize-recover=undefined
        --filter '^(MediaRouterTests|LibWebRTCTests)\.')
fi
# XCTest's own runner reports a leak; Swift Testing runs without it.
swift test --disable-xctest --sanitize="$kind" --scratch-path ".build-$kind" "${flags[@]}" \
    --filter '^(WebRTCStatsTests|CallQualityTests|CallRecordingTests|MediaEngineTests|SessionProtocolTests|RouterProtocolTests|SightlineTests)\.' \
    --filter 'LayerPolicyTests|LayerMeterTests|RouterSDPTests|RouterCandidateTests|KeyFrameLimiterTests|RouterCoreTests|LineReaderTests'
