#!/usr/bin/env bash
# Runs the tests that are built. A filter runs those that match it, in one go.
#
# Without one there are five runs, each a process of its own. libwebrtc's field trials hold for a whole process, and
# router and clients want different ones; leak tests count what their process holds; and two cores carry one call
# well, and several badly. Real sockets have heartbeats, which starve beside hundreds of tests that compute.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n "${1:-}" ]]; then exec swift test --skip-build --filter "$1"; fi

apart='^(SessionServerTests|NIOSignalingTests|LibWebRTCTests|MediaRouterTests|EndToEndTests)\.'
status=0
swift test --skip-build --skip "$apart" || status=1
for modules in 'SessionServerTests|NIOSignalingTests' LibWebRTCTests MediaRouterTests EndToEndTests; do
    swift test --skip-build --filter "^($modules)\." || status=1
done
# The guides are held against what is built, too.
python3 Scripts/check-guides.py || status=1
exit $status
