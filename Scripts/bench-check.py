#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Counts the instructions that reading and judging a recorded report takes, and compares them with a stored baseline.

Instructions and not time: callgrind counts the same on a machine that is busy. The input is fixed, a call's reports of
Tests/Fixtures/getstats in each form of recording, and so is the seed of Swift's hashing. What a run takes beside its
reports (starting, the summary) cancels out: a recording of all reports is compared with one of the first. Fails where a
form takes over 3 % more than the baseline, which holds for one compiler and one processor architecture.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BASELINE = os.path.join(ROOT, "Benchmarks", "instructions.json")
TOLERANCE = 0.03


def ticks():
    """The seconds of a call whose client sends and receives, each as its entries by id."""
    sent, received = (
        json.load(open(os.path.join(ROOT, "Tests", "Fixtures", "getstats", f"chromium_{name}.json")))
        for name in ("pub", "sub")
    )
    for one, other in zip(sent, received):
        entries = {entry["id"]: entry for entry in one["stats"]}
        entries.update((f"{entry['id']}s", dict(entry, id=f"{entry['id']}s")) for entry in other["stats"])
        # As browsers write them, the type first.
        yield {
            key: {name: entry[name] for name in ("type", "id", "timestamp")} | entry for key, entry in entries.items()
        }


def newest(tick):
    return max(entry["timestamp"] for entry in tick.values())


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def replay_entries(call):
    return "".join(
        compact({"timestamp": newest(tick), "peerConnections": [["pc", list(tick.values())]]}) + "\n" for tick in call
    )


def rtcstats(call):
    lines, last = [], {}
    for tick in call:
        delta = {
            key: {
                name: value
                for name, value in entry.items()
                if name == "timestamp" or last.get(key, {}).get(name) != value
            }
            for key, entry in tick.items()
        }
        lines.append(compact(["getstats", "pc", delta | {"timestamp": newest(tick)}, newest(tick)]) + "\n")
        last = tick
    return "".join(lines)


def webrtc_internals(call):
    series = {}
    for tick in call:
        for key, entry in tick.items():
            for name, value in entry.items():
                if name in ("id", "type") or isinstance(value, (dict, list)):
                    continue
                one = series.setdefault(
                    f"{key}-{name}", {"startTime": entry["timestamp"], "statsType": entry["type"], "values": []}
                )
                one["endTime"] = entry["timestamp"]
                one["values"].append(value)
    stats = {name: one | {"values": compact(one["values"])} for name, one in series.items()}
    return compact({"PeerConnections": {"1-1": {"stats": stats}}})


FORMS = {"replay entries": replay_entries, "rtcstats": rtcstats, "webrtc-internals": webrtc_internals}


def instructions(binary, text):
    """What the program takes for a recording."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", binary, "analyze", "--format", "json"]
            + [file.name],
            env=dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, check=False,
        )
    counted = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not counted:
        sys.exit(f"bench-check: {binary} could not be counted:\n{run.stderr[-500:]}")
    return int(counted[1])


def conditions():
    version = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    return {"compiler": re.search(r"Swift version (\S+)", version)[1], "architecture": platform.machine()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", help="sightline-analyze, built for release")
    parser.add_argument("--update", action="store_true", help="stores what is counted as the baseline")
    arguments = parser.parse_args()
    call = list(ticks())
    counted = {}
    for form, text in FORMS.items():
        all_reports, first = (instructions(arguments.binary, text(part)) for part in (call, call[:1]))
        counted[form] = round((all_reports - first) / (len(call) - 1))
    now = {**conditions(), "objects": len(call[0]), "instructions per report": counted}
    if arguments.update:
        with open(BASELINE, "w") as file:
            file.write(json.dumps(now, indent=2) + "\n")
    with open(BASELINE) as file:
        baseline = json.load(file)
    if any(baseline[key] != now[key] for key in ("compiler", "architecture", "objects")):
        sys.exit("bench-check: the baseline is of another compiler, architecture or input; --update stores a new one")
    failed = False
    for form, count in counted.items():
        before = baseline["instructions per report"][form]
        change = count / before - 1
        missed = change > TOLERANCE
        failed = failed or missed
        print(f"{form:<18}{count:>12,}  {change:+.1%}" + ("  MISSED" if missed else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
