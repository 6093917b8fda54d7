#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# What a call costs the server's two processes: CPU time over 20 s, with one subscriber and with four. A release build;
# CPU time hardly depends on what else the machine does.
set -euo pipefail
cd "$(dirname "$0")/.."

sightline=.build/release/sightline
scratch=$(mktemp -d)
children=()
finish() {
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    wait
    rm -rf "$scratch"
}
trap finish EXIT
SIGHTLINE_SECRET=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
export SIGHTLINE_SECRET

"$sightline" serve --port 0 --loopback-only >"$scratch/server.log" 2>&1 &
server=$!
children+=("$server")
url=
for _ in $(seq 100); do
    url=$(grep -oE 'https?://[0-9.]+:[0-9]+' "$scratch/server.log" | head -1 || true)
    [[ -n "$url" ]] && "$sightline" token --url "$url" >/dev/null 2>&1 && break
    sleep 0.2
done
[[ -n "$url" ]] || { cat "$scratch/server.log" >&2; exit 1; }
router=$(pgrep -P "$server" | head -1)
session=$("$sightline" token --url "$url" 2>&1 >/dev/null | grep -oE '[^ ]+$' | tail -1)

# Takes part in the call until this script ends.
take_part() {
    local token
    token=$("$sightline" token --url "$url" --session "$session" 2>/dev/null)
    "$sightline" "$1" --url "$url" --token "$token" --loopback-only >"$scratch/$1.log" 2>&1 &
    children+=($!)
}

# CPU time of a process so far, in ticks.
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

take_part publish
sleep 3
have=0
for subscribers in 1 4; do
    while [[ $have -lt $subscribers ]]; do
        take_part subscribe
        have=$((have + 1))
    done
    # Estimates climb and layers settle.
    sleep 15
    before=("$(ticks "$router")" "$(ticks "$server")")
    sleep 20
    after=("$(ticks "$router")" "$(ticks "$server")")
    awk -v hz="$(getconf CLK_TCK)" -v n="$subscribers" -v router=$((after[0] - before[0])) \
        -v server=$((after[1] - before[1])) -v kb="$(awk '/VmRSS/ { print $2 }' "/proc/$router/status")" \
        'BEGIN { printf "1 publisher, %d subscribers: router %.1f %% of a core and %.0f MB, server %.1f %%\n",
                 n, router / hz / 20 * 100, kb / 1024, server / hz / 20 * 100 }'
done
