#!/usr/bin/env bash
# Builds Sightline and shows a real call. Options go to `sightline demo`; empty ones are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

# Standard output is the demo's alone, so that it can be piped.
swift build --product sightline >&2
options=()
while [[ $# -gt 1 ]]; do
    [[ -n "$2" ]] && options+=("$1" "$2")
    shift 2
done
# The dashboard is at the same address each time, if nobody else is there.
if ! (exec 3<>/dev/tcp/127.0.0.1/8080) 2>/dev/null; then options+=(--port 8080); fi
exec .build/debug/sightline demo "${options[@]}"
