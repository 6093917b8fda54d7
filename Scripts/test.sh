#!/usr/bin/env bash
# Runs the tests that are built. A filter runs those that match it, in one go.
#
# Without one there are five runs, each a process of its own. libwebrtc's field trials hold for a whole process, and
# router and clients want different ones; leak tests count what their process holds; and two cores carry one call
# well, and several badly. Real sockets have heartbeats, which starve beside hundreds of tests that compute.
#
# Calls, and waiting beside hundreds of tests that compute, depend on what else the machine does in that second. One or two
# tests of a run that fail are tried once more, each by itself, and named at the end; what fails twice, and what crashes,
# has failed.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n "${1:-}" ]]; then exec swift test --skip-build --filter "$1"; fi

failures=() unsteady=()

# run NAME OPTIONS...: one of the runs.
run() {
    local report=".build/tests-$1.xml" name=$1 test tests
    shift
    rm -f ".build/tests-$name"*.xml
    if swift test --skip-build "$@" --xunit-output "$report"; then return; fi
    mapfile -t tests < <(python3 Scripts/failed-tests.py "$report")
    if [[ ${#tests[@]} -lt 1 || ${#tests[@]} -gt 2 ]]; then
        failures+=("$name" "${tests[@]}")
        return
    fi
    for test in "${tests[@]}"; do
        echo "once more, by itself: $test"
        if swift test --skip-build --filter "$test"; then unsteady+=("$test"); else failures+=("$test"); fi
    done
}

run units --skip '^(SessionServerTests|NIOSignalingTests|LibWebRTCTests|MediaRouterTests|EndToEndTests)\.'
run sockets --filter '^(SessionServerTests|NIOSignalingTests)\.'
for module in LibWebRTCTests MediaRouterTests EndToEndTests; do run "$module" --filter "^$module\."; done
# The guides are held against what is built, too, and the examples run.
python3 Scripts/check-guides.py || failures+=("the check of the guides")
if ! Scripts/examples.sh; then
    echo "once more: the examples"
    if Scripts/examples.sh; then unsteady+=("the examples"); else failures+=("the examples"); fi
fi

for test in "${unsteady[@]}"; do echo "UNSTEADY: failed among the others, passed by itself: $test"; done
for test in "${failures[@]}"; do echo "FAILED: $test"; done
[[ ${#failures[@]} -eq 0 ]]
