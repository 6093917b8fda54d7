#!/usr/bin/env bash
# Installs the Debian packages that a build needs, and those named, as far as they are missing, and says which.
set -euo pipefail

if [[ "$(uname)" != Linux ]]; then
    echo "This builds the media engine on Linux only; the modules below it build anywhere with swift build --target." >&2
    exit 1
fi
if ! command -v swift >/dev/null; then
    echo "There is no swift command. Install Swift 6.2 or newer: https://www.swift.org/install/linux" >&2
    exit 1
fi

# libwebrtc with its codecs; SQLite for the store; PostgreSQL's client library; zlib for packed recordings; the dashboard's charts; the checks of
# generated code and the fuzzing corpus are written in Python.
packages=(libtgowt-dev libsqlite3-dev libpq-dev zlib1g-dev libjs-chart.js python3 "$@")
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
# A python3 from elsewhere will do as well.
if command -v python3 >/dev/null; then missing=("${missing[@]/python3/}"); fi
read -ra missing <<<"${missing[*]-}"
[[ ${#missing[@]} -eq 0 ]] && exit 0

echo "Installing missing packages: ${missing[*]}"
run=()
if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || {
        echo "Please run as root: apt-get install ${missing[*]}" >&2
        exit 1
    }
    run=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${run[@]}" apt-get update -qq
"${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
