#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# Runs the examples, which are built, each against a server started for it.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=.build/debug
sightline=$programs/sightline

scratch=$(mktemp -d)
children=()
finish() {
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap finish EXIT

SIGHTLINE_SECRET=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
export SIGHTLINE_SECRET
"$sightline" serve --port 0 --loopback-only >"$scratch/server.log" 2>&1 &
children+=($!)
url=
for _ in $(seq 300); do
    url=$(grep -oE 'https?://[0-9.]+:[0-9]+' "$scratch/server.log" | head -1 || true)
    [[ -n "$url" ]] && "$sightline" token --url "$url" >/dev/null 2>&1 && break
    sleep 0.2
done
[[ -n "$url" ]] || { cat "$scratch/server.log" >&2; exit 1; }

# A session, and a token of it; further tokens name the session.
session() { "$sightline" token --url "$url" 2>&1 >/dev/null | grep -oE '[^ ]+$' | tail -1; }
token() { "$sightline" token --url "$url" --session "$1" 2>/dev/null; }

# run PATTERN PROGRAM ARGUMENTS...: ends with 0, and prints what the pattern looks for.
run() {
    local pattern=$1 output="$scratch/$2.log"
    shift
    echo "running $1"
    timeout -s KILL 180 "$programs/$1" "${@:2}" >"$output" 2>&1 || { cat "$output" >&2; echo "$1 failed" >&2; exit 1; }
    grep -qE "$pattern" "$output" || { cat "$output" >&2; echo "$1 printed nothing like '$pattern'" >&2; exit 1; }
    tail -2 "$output" | sed 's/^/    /'
}

run 'delegate: The call is fine' OwnPeerConnection 10
# What each client observes: its own stream and, of the other's, what the sender says of itself.
call=$(session)
"$programs/SenderStatistics" "$url" "$(token "$call")" 600 >"$scratch/publisher.log" 2>&1 &
children+=($!)
run '^sender of .*: may send [1-9][0-9]* bit/s, estimates [1-9][0-9]* bit/s' SenderStatistics "$url" "$(token "$call")" 12
grep -qE 'video: [1-9][0-9]* bit/s in' "$scratch/SenderStatistics.log"
run 'to blame: none' Blame "$url" "$(token "$call")" 15
run '^media arrives of ' Subscribing "$url" "$(token "$call")" 10
grep -q '^the end of .*: sessionDisconnected$' "$scratch/Subscribing.log"
run '^recover: highInboundPacketLoss, audio, inbound' CallQualityEvents "$url" "$(token "$call")"
run '^received [1-9][0-9]* video packets' FromVonage "$url" "$(token "$call")" 10
kill "${children[-1]}"
run '^local: level [1-5]$' FromTwilio "$url" "$(token "$(session)")" 12
run '^recover zeroAudioLevel outbound' FromSinch "$url" "$(token "$(session)")" 8
grep -q '^raised at the end: 0$' "$scratch/FromSinch.log"
# Idle is not enough: that is so before anything is sent.
run '^me [▁▂▄▆█·]+$' SignalBars "$url" "$(token "$(session)")" 12
run '^publisher publisher, stream .*, [1-9][0-9]* reports$' RecordAndAnalyse "$url" "$(token "$(session)")" "$scratch/call.jsonl" 8
run '^(Audio and video are|Audio is) possible' NetworkTestExample "$url" "$(token "$(session)")" "$(token "$(session)")" 5
echo "done: all examples ran"
