#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
#
# Fuzzes the stats parser with libFuzzer and the address sanitizer.
#
#     Scripts/fuzz.sh [SECONDS]      default 60
#
# The corpus grows in .build/fuzz/corpus from run to run. An input that fails is left in .build/fuzz; keep it as a
# fixture together with the fix.
set -eu

cd "$(dirname "$0")/.."
seconds=${1:-60}
work=.build/fuzz
mkdir -p "$work/corpus"

# Seeds: the recorded reports, whole, and each of their entries as a report of its own.
python3 - "$work/corpus" Tests/Fixtures/getstats/*.json <<'PYTHON'
import hashlib, json, pathlib, sys

corpus = pathlib.Path(sys.argv[1])

def add(report):
    text = json.dumps(report, separators=(",", ":"))
    (corpus / ("seed-" + hashlib.sha1(text.encode()).hexdigest()[:16])).write_text(text)

for path in sys.argv[2:]:
    recorded = json.loads(pathlib.Path(path).read_text())
    reports = [s["stats"] for s in recorded[:2]] if "stats" in recorded[0] else [recorded]
    for report in reports:
        for entry in report:
            add([entry])
            add({entry["id"]: entry})
PYTHON

swiftc -parse-as-library -swift-version 6 -enable-upcoming-feature ExistentialAny \
    -enable-upcoming-feature MemberImportVisibility -sanitize=fuzzer,address -O \
    Sources/WebRTCStats/*/*.swift Fuzz/StatsReportFuzzer.swift -o "$work/stats-report-fuzzer"

# Without this, the backtracer of a crash can hang with the fuzzer's pipe in its hands.
export SWIFT_BACKTRACE=enable=no
exec "$work/stats-report-fuzzer" -max_total_time="$seconds" -max_len=16384 -timeout=5 -rss_limit_mb=2048 \
    -artifact_prefix="$work/" -print_final_stats=1 "$work/corpus"
