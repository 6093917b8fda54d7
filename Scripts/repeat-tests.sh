#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# repeat-tests.sh RUNS: all tests that are built, again and again, every second run beside two busy processes of low
# priority. A test that fails in one of many runs has failed; what it printed is kept in .build/repeated/RUN.
set -uo pipefail
cd "$(dirname "$0")/.."

runs=${1:?repeat-tests.sh RUNS}
failed=0
# The session of the busy processes, if there are any.
busy=
trap '[[ -z $busy ]] || kill -- "-$busy"' EXIT

rm -rf .build/repeated
mkdir -p .build/repeated
for run in $(seq "$runs"); do
    beside=nothing
    if ((run % 2 == 0)); then
        beside='two busy processes'
        # Of low priority beside other sessions, too, such as each leg is.
        setsid nice -n 19 bash -c '
            echo 19 2>/dev/null >/proc/self/autogroup
            while :; do :; done &
            while :; do :; done' &
        busy=$!
    fi
    rm -rf .build/tests
    Scripts/test.sh >".build/repeated/$run.log" 2>&1 || failed=$((failed + 1))
    if [[ -n $busy ]]; then
        kill -- "-$busy"
        wait "$busy" 2>/dev/null
        busy=
    fi
    mv .build/tests ".build/repeated/$run"
    grep '^FAILED: ' ".build/repeated/$run.log"
    echo "run $run beside $beside: $(grep '^Minutes: ' ".build/repeated/$run.log" | sed 's/.*; //'): $(tail -n 1 ".build/repeated/$run.log")"
done
echo "$((runs - failed)) of $runs runs without a failure"
((failed == 0))
