#!/usr/bin/env bash
# Fails if a module imports what the house does not let it (DESIGN of the README: arrows point down), if a type bears its
# module's name, and if what is no product's API is public.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
said=()
# allow MODULE 'regular expression of what it may import beside Swift and Foundation'
allow() {
    local found
    said+=("$1")
    found=$(grep -rnE '^ *(@[a-zA-Z_]+ )?((public|internal|private|package) )?import ' $(compgen -G "Sources/*/$1" || echo "Lab/$1") --include='*.swift' --exclude-dir='*.docc' \
        | grep -vE "import (struct |class |enum |func )?($2)([. ]|\$)" || true)
    if [[ -n "$found" ]]; then
        echo "$1 may not import this (see Scripts/check-imports.sh):" >&2
        echo "$found" >&2
        status=1
    fi
}
platform='Foundation|FoundationEssentials|Glibc|Darwin|Dispatch|Synchronization'
# Pure: no clock, no task, no lock, no input or output, so no Foundation either. The C library is for its mathematics.
allow WebRTCStats 'Glibc|Darwin'
allow CallModel '-'
allow CallQuality 'CallModel|WebRTCStats|Glibc|Darwin|Musl'
allow MediaPolicy 'CallModel|Glibc|Darwin'
# Reads schedules, which are JSON.
allow NetworkEmulation 'Foundation'
allow SessionWire "MediaPolicy|WebRTCStats|CallModel|CallQuality|$platform"
# What packs and unpacks is zlib's.
allow Packing 'CZlib'
allow CallRecording "WebRTCStats|CallModel|CallQuality|Packing|$platform"
allow CallReport "WebRTCStats|CallModel|CallQuality|CallRecording|$platform"
# Without an engine and a server: what reads dumps is a program of its own.
allow AnalysisCommands "WebRTCStats|CallModel|CallQuality|CallRecording|CallReport|ArgumentParser|$platform"
allow MediaEngine "WebRTCStats|CallModel|NetworkEmulation|$platform"
allow NativeStats "WebRTCStats|CLibWebRTC|$platform"
allow LinkEmulation "NetworkEmulation|CLinkModel|$platform"
allow LibWebRTC "WebRTCStats|CallModel|MediaEngine|CLibWebRTC|CLinkModel|LinkEmulation|NativeStats|$platform"
allow Sightline "FoundationNetworking|MediaPolicy|AVFAudio|Observation|WebRTCStats|CallModel|CallQuality|SessionWire|MediaEngine|$platform"
allow AppleWebRTC "Sightline|MediaEngine|CallModel|CallQuality|WebRTCStats|WebRTC|SwiftUI|AVFoundation|FoundationNetworking|$platform"
allow NIOSignaling "Sightline|SessionWire|Packing|NIO[A-Za-z0-9]*|$platform"
allow RouterWire "MediaPolicy|CallModel|NetworkEmulation|WebRTCStats|$platform"
allow MediaRouter "MediaPolicy|CallModel|NetworkEmulation|WebRTCStats|RouterWire|CLibWebRTC|CLinkModel|LinkEmulation|NativeStats|$platform"
# Of no database: every store promises the same.
allow CallHistory 'CallModel|SessionWire|Glibc|Darwin'
allow HistoryWriter "CallModel|CallHistory|$platform"
# Pure too. Seals, chance and the hashes of names are given to it.
allow SessionCore "MediaPolicy|WebRTCStats|CallModel|CallQuality|CallHistory|NetworkEmulation|SessionWire|RouterWire"
allow CallStore "CallModel|CallHistory|SessionWire|GRDB|GRDBSQLite|$platform"
allow PostgresClient "CallModel|CLibPQ|$platform"
allow ClusterStore "CallModel|CallHistory|SessionWire|PostgresClient|CZlib|$platform"
allow SessionServer "MediaPolicy|NetworkEmulation|WebRTCStats|CallModel|CallQuality|SessionCore|CallHistory|HistoryWriter|CallStore|ClusterStore|PostgresClient|CallRecording|CallReport|CZlib|Packing|Crypto|AsyncHTTPClient|SessionWire|RouterWire|Hummingbird[A-Za-z]*|HTTPTypes|NIO[A-Za-z0-9]*|JWTKit|Logging|ServiceLifecycle|UnixSignals|$platform"
# Of the lab. What makes lines knows nothing of what runs over them.
allow LineEmulation "MediaEngine|LinkEmulation|CLinkModel|CLineSystem|$platform"

pure=$(grep -rnE '\b(Task|Date|ContinuousClock|SuspendingClock|NSLock|Mutex|DispatchQueue)\b *[({.]' \
    Sources/Core Sources/Server/CallHistory --include='*.swift' --exclude-dir='*.docc' \
    | grep -vE '^[^:]+:[0-9]+: *//' || true)
if [[ -n "$pure" ]]; then
    echo "Pure modules take time as an argument and keep no tasks or locks:" >&2
    echo "$pure" >&2
    status=1
fi
# Which store it is, the server knows where it opens it; everything else speaks to a CallHistory.
opened=Sources/Server/SessionServer/Store/StoreService+Opening.swift
named=$(grep -rnwE 'SQLiteCallStore' Sources/Server/SessionServer Sources/SightlineCLI --include='*.swift' --exclude-dir='*.docc' \
    | grep -v "^$opened:" || true)
if [[ -n "$named" ]]; then
    echo "Only $opened may name a kind of store:" >&2
    echo "$named" >&2
    status=1
fi
# Libraries of Package.swift, and what one of them gives on as its own.
products='WebRTCStats|CallModel|CallQuality|CallRecording|MediaEngine|NetworkEmulation|Sightline|LibWebRTC|NIOSignaling|AppleWebRTC'
for folder in Sources/*/*/; do
    module=$(basename "$folder")
    [[ $folder == Sources/SightlineCLI/* || $module == CZlib || $module == CLibPQ || $module == CLibWebRTC || $module == CLinkModel ]] && continue
    if [[ " ${said[*]} " != *" $module "* ]]; then
        echo "$module: say in Scripts/check-imports.sh what it may import" >&2
        status=1
    fi
    # Swift could not tell the module from the type where a name has to be qualified.
    named=$(grep -rnE "^ *((public|package|private|fileprivate|final|indirect) )*(struct|class|enum|actor|protocol|typealias) $module\\b" \
        "$folder" --include='*.swift' || true)
    if [[ -n "$named" ]]; then
        echo "No type bears its module's name:" >&2
        echo "$named" >&2
        status=1
    fi
    [[ $module =~ ^($products)$ ]] && continue
    public=$(grep -rnE '^ *(@[A-Za-z]+ +)*public ' "$folder" --include='*.swift' | grep -vE 'public import ' || true)
    if [[ -n "$public" ]]; then
        echo "$module is no product: its API is \`package\`:" >&2
        echo "$public" >&2
        status=1
    fi
done
for module in "${said[@]}"; do
    compgen -G "Sources/*/$module" >/dev/null || [[ -d Lab/$module ]] || { echo "$module is not there (Scripts/check-imports.sh)" >&2; status=1; }
done
python3 Scripts/check-folders.py || status=1
exit $status
