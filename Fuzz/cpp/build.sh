#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# Builds the C++ fuzz targets, with libFuzzer and the address and undefined behaviour sanitizers.
#
#     Fuzz/cpp/build.sh OUTDIR [NAME...]      default: all
#
# Our own sources are instrumented. libtgowt is not: it comes as a built archive, so that what goes wrong inside of it
# shows as a crash, a failed check of its own, or where memory of ours is touched. Needs Swift's clang, which has the
# runtimes of the sanitizers.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=${1:?usage: Fuzz/cpp/build.sh OUTDIR [NAME...]}
shift
names=("$@")
[[ ${#names[@]} -gt 0 ]] || names=(router_sdp router_candidate router_leg datagram_gate)
objects=$out/objects
mkdir -p "$objects"/{router,peer,media}
compiler=${CLANG:-$(dirname "$(readlink -f "$(command -v swiftc)")")/clang++}
source=Sources/Client/CLibWebRTC/src

# As in Package.swift; libtgowt was built with these.
flags=(-std=c++20 -g -O1 -fno-omit-frame-pointer -w
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=undefined
    -DWEBRTC_POSIX -DWEBRTC_LINUX -DWEBRTC_USE_H264 -DRTC_ENABLE_VP9 -DWEBRTC_HAVE_SCTP -DRTC_DISABLE_TRACE_EVENTS
    -DDCHECK_ALWAYS_ON
    -Ithird_party/tg_owt -Ithird_party/tg_owt/third_party/libyuv/include -I$source -ISources/Client/CLibWebRTC/include -ISources/Client/CLinkModel/include)
libraries=(-ltg_owt -labsl_strings -labsl_bad_optional_access -labsl_bad_variant_access -labsl_throw_delegate
    -lssl -lcrypto -lsrtp2 -lopus -lvpx -lavcodec -lavutil -lpthread -ldl)

pure=(router/sdp router/sdp_view router/sdp_text router/sdp_media router/candidates)
engine=(router/leg router/extension_ids router/announcement router/stream router/audio router/video_codec router/video_forwarder router/congestion router/leg_wiring
    router/guarded_call router/feedback_gate router/sender_report_rewriter router/transit_baseline router/path_timing router/sequence_gate router/key_frame_limiter router/task_queues peer/engine peer/base peer/peer media/playout_device media/audio_codecs
    media/slow_encoder media/saturation)

sources_of() {
    case $1 in
        router_sdp) echo "${pure[@]}" ;;
        datagram_gate) echo peer/datagram_gate ;;
        router_candidate) echo router/candidates router/sdp_text ;;
        router_leg) echo "${pure[@]}" "${engine[@]}" ;;
        *) echo "no target $1" >&2; exit 64 ;;
    esac
}

# An object is made again when its source or any header is newer.
compile() {
    local file=$1 object=$2
    if [[ -f $object ]] && [[ -z $(find "$file" $source Sources/Client/CLibWebRTC/include -name '*.h' -newer "$object" -print \
        -o -path "$file" -newer "$object" -print) ]]; then
        return
    fi
    "$compiler" "${flags[@]}" -c "$file" -o "$object"
}

# Waits until all have ended; the first that failed ends the script.
finish() { local job; for job in "$@"; do wait "$job"; done; }

for name in "${names[@]}"; do
    parts=()
    read -ra used <<<"$(sources_of "$name")"
    compile "Fuzz/cpp/$name.cc" "$objects/fuzz-$name.o" &
    jobs=($!)
    for part in "${used[@]}"; do
        compile "$source/$part.cc" "$objects/$part.o" &
        jobs+=($!)
        parts+=("$objects/$part.o")
        if ((${#jobs[@]} >= $(nproc))); then finish "${jobs[@]}"; jobs=(); fi
    done
    finish "${jobs[@]}"
    "$compiler" -fuse-ld=lld -fsanitize=fuzzer,address,undefined "$objects/fuzz-$name.o" "${parts[@]}" "${libraries[@]}" \
        -o "$out/$name"
    echo "$out/$name"
done
