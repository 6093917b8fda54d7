#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# Fuzzes everything that takes input from outside, with libFuzzer and the address sanitizer; see Docs/fuzzing.md.
#
#     Scripts/fuzz.sh [DURATION]             each target for so many seconds (60)
#     Scripts/fuzz.sh repeat TARGET FILE     one input again
#     Scripts/fuzz.sh minimize               keeps of each corpus only what it needs
#     Scripts/fuzz.sh build
#
# From the environment: TARGET (names; all), SEED (a new one each time), JOBS (targets at a time; 1),
# FUZZ_BUILT=1 (does not build), FUZZ_BUILD (folder that holds a release build; .build-fuzz).
set -euo pipefail
cd "$(dirname "$0")/.."

work=$PWD/.build-fuzz
build=${FUZZ_BUILD:-$work}
program=$build/release/sightline-fuzz

# Without this the backtracer of a crash can hang with the fuzzer's pipe in its hands.
export SWIFT_BACKTRACE=enable=no
# Memory that was freed is watched for a while; the default of 256 MB only makes everything slower.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16:allocator_may_return_null=1

build() {
    local runtimes
    runtimes=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/clang
    SIGHTLINE_FUZZ=fuzzer,address \
        SIGHTLINE_FUZZ_RUNTIME=$(find "$runtimes" -name "libclang_rt.fuzzer_no_main-$(uname -m).a" | head -1) \
        swift build -c release --scratch-path "$build" --product sightline-fuzz
    if [[ -x Fuzz/cpp/build.sh ]]; then Fuzz/cpp/build.sh "$work/cpp"; fi
}

targets() {
    if [[ -n "${TARGET:-}" ]]; then echo "${TARGET//,/ }"; return; fi
    "$program"
    find "$work/cpp" -maxdepth 1 -type f -executable -printf '%f\n' 2>/dev/null | sort
}

# The program of a target. Those in Swift are all in one, which the environment tells the name.
program_of() { if [[ -x "$work/cpp/$1" ]]; then echo "$work/cpp/$1"; else echo "$program"; fi; }

# What makes most of a target's inputs, or what it does with them, has to be short.
longest() { case $1 in chunk | core | store) echo 4096 ;; layers | conditions | token | query) echo 1024 ;; *) echo 16384 ;; esac; }

options() { echo -timeout=20 -rss_limit_mb=3072 -max_len="$(longest "$1")" -dict=Fuzz/words.dict -verbosity=1; }

repeat() {
    SIGHTLINE_FUZZ_TARGET=$1 exec "$(program_of "$1")" -timeout=20 -rss_limit_mb=3072 "$2"
}

# One target: leaves its line of the table in results/, and says how to repeat what it finds.
fuzz() {
    local name=$1 seed=$2 status=0 log=$work/logs/$1.log corpus=$work/corpus/$1 folders=()
    mkdir -p "$corpus" "$work/finds"
    for folder in "Fuzz/seeds/$name" "$work/fixtures/$name"; do [[ -d $folder ]] && folders+=("$folder"); done
    # shellcheck disable=SC2046
    SIGHTLINE_FUZZ_TARGET=$name "$(program_of "$name")" $(options "$name") -seed="$seed" \
        -max_total_time="$duration" -print_final_stats=1 -artifact_prefix="$work/finds/$name-" \
        "$corpus" "${folders[@]}" >"$log" 2>&1 || status=$?
    local count rate first last finds=0
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log" | tail -1)
    first=$(sed -n 's/.*INITED *cov: \([0-9]*\).*/\1/p' "$log" | head -1)
    last=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    if ((status != 0)); then
        finds=1
        echo "== $name found something (SEED=$seed):"
        grep -aE 'Finding:|Fatal error|ERROR: |SUMMARY|: error:|trap' "$log" | cut -c1-1000 | head -5 || true
        local file
        file=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)
        [[ -n $file ]] && echo "   repeat: Scripts/fuzz.sh repeat $name ${file#"$PWD/"}"
        echo "   the run: make fuzz TARGET=$name SEED=$seed DURATION=$duration; its log: ${log#"$PWD/"}"
    fi
    printf '%-12s %12s %8s %8s %8s %6s\n' "$name" "${count:-0}" "${rate:-0}" "${last:-0}" \
        "+$((${last:-0} - ${first:-0}))" "$finds" >"$work/results/$name"
}

run() {
    local name base=${SEED:-$((RANDOM << 15 | RANDOM | 1))}
    rm -rf "$work/results" "$work/fixtures"
    mkdir -p "$work/results" "$work/logs"
    python3 Fuzz/fixtures.py "$work/fixtures"
    echo "fuzzing for $duration s each with SEED=$base"
    for name in $(targets); do
        while (($(jobs -rp | wc -l) >= ${JOBS:-1})); do wait -n || true; done
        fuzz "$name" "$base" &
    done
    wait
    printf '%-12s %12s %8s %8s %8s %6s\n' target executions exec/s edges new finds
    cat "$work"/results/*
    awk '{ n += $2; f += $6 } END { printf "%-12s %12d %33d\n", "all", n, f; exit f > 0 }' "$work"/results/*
}

minimize() {
    local name corpus
    for name in $(targets); do
        corpus=$work/corpus/$name
        [[ -d $corpus ]] || continue
        rm -rf "$corpus.less" && mkdir "$corpus.less"
        # shellcheck disable=SC2046
        SIGHTLINE_FUZZ_TARGET=$name "$(program_of "$name")" $(options "$name") -merge=1 "$corpus.less" "$corpus" \
            >"$work/logs/$name.merge.log" 2>&1
        echo "$name: $(find "$corpus" -type f | wc -l) inputs, now $(find "$corpus.less" -type f | wc -l)"
        rm -rf "$corpus" && mv "$corpus.less" "$corpus"
    done
}

duration=60
case ${1:-} in
    build) build ;;
    repeat) repeat "$2" "$3" ;;
    minimize) minimize ;;
    *)
        duration=${1:-60}
        [[ -n ${FUZZ_BUILT:-} ]] || build
        run
        ;;
esac
