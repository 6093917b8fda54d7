#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# What a call costs the server's processes: CPU time over 20 s, with one subscriber and with four, and with such a session
# at each of two routers. A release build; CPU time hardly depends on what else the machine does.
set -euo pipefail
cd "$(dirname "$0")/.."

sightline=${SIGHTLINE:-.build/release/sightline}
scratch=$(mktemp -d)
children=()
stop() {
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    wait
    children=()
}
finish() {
    stop
    rm -rf "$scratch"
}
trap finish EXIT
SIGHTLINE_SECRET=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
export SIGHTLINE_SECRET

# Starts a server with that many routers, and makes a session for each.
start() {
    : >"$scratch/server.log"
    "$sightline" serve --port 0 --loopback-only --routers "$1" >"$scratch/server.log" 2>&1 &
    server=$!
    children+=("$server")
    url=
    for _ in $(seq 100); do
        url=$(grep -oE 'https?://[0-9.]+:[0-9]+' "$scratch/server.log" | head -1 || true)
        [[ -n "$url" ]] && "$sightline" token --url "$url" >/dev/null 2>&1 && break
        sleep 0.2
    done
    [[ -n "$url" ]] || { cat "$scratch/server.log" >&2; exit 1; }
    sessions=()
    for _ in $(seq "$1"); do
        sessions+=("$("$sightline" token --url "$url" 2>&1 >/dev/null | grep -oE '[^ ]+$' | tail -1)")
    done
    mapfile -t routers < <(pgrep -P "$server")
}

# Takes part in a session until the server is stopped.
take_part() {
    local token
    token=$("$sightline" token --url "$url" --session "$2" 2>/dev/null)
    "$sightline" "$1" --url "$url" --token "$token" --loopback-only >"$scratch/$1.log" 2>&1 &
    children+=($!)
}

# CPU time of processes so far, in ticks.
ticks() {
    local sum=0
    for process in "$@"; do
        sum=$((sum + $(awk '{ print $14 + $15 }' "/proc/$process/stat")))
    done
    echo "$sum"
}

# Waits until estimates have climbed and layers have settled, and prints what the processes take.
measure() {
    sleep 15
    local before=("$(ticks "${routers[@]}")" "$(ticks "$server")")
    sleep 20
    local after=("$(ticks "${routers[@]}")" "$(ticks "$server")") kb
    kb=$(for router in "${routers[@]}"; do awk '/VmRSS/ { print $2 }' "/proc/$router/status"; done | awk '{ n += $1 } END { print n }')
    awk -v hz="$(getconf CLK_TCK)" -v text="$1" -v legs="$2" -v router=$((after[0] - before[0])) \
        -v server=$((after[1] - before[1])) -v kb="$kb" \
        'BEGIN { printf "%s: router %.1f %% of a core (%.2f a leg) and %.0f MB, server %.1f %%\n",
                 text, router / hz / 20 * 100, router / hz / 20 * 100 / legs, kb / 1024, server / hz / 20 * 100 }'
}

start 1
take_part publish "${sessions[0]}"
sleep 3
take_part subscribe "${sessions[0]}"
measure "1 publisher, 1 subscriber" 2
for _ in 2 3 4; do take_part subscribe "${sessions[0]}"; done
measure "1 publisher, 4 subscribers" 5
stop
start 2
for session in "${sessions[@]}"; do take_part publish "$session"; done
sleep 3
for session in "${sessions[@]}"; do
    for _ in 1 2 3 4; do take_part subscribe "$session"; done
done
measure "2 routers, each 1 publisher, 4 subscribers" 10
