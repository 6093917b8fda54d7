#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""compare-judgements.py BEFORE AFTER RECORDING...: what two builds say of the same calls, second by second.

BEFORE and AFTER are commands that take `analyze`, such as .build/release/sightline-analyze. Of each recording every second of
every stream is compared, by cause, side and severity; each stretch of seconds that differs is printed, with what it was and is. Ends with 1 if
there are differences.
"""
import collections
import json
import pathlib
import subprocess
import sys


def said(command, recording):
    """For each stream and role, when what became the diagnosis, Unix ms; and the last moment of the recording."""
    run = subprocess.run([command, "analyze", "--format", "json", recording], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{command} analyze {recording}: {run.stderr.strip()}")
    changes, first, last = collections.defaultdict(list), None, 0
    for line in filter(lambda line: line.startswith("{"), run.stdout.splitlines()):
        event = json.loads(line)
        if "time" in event:
            first, last = event["time"] if first is None else first, max(last, event["time"])
        if event.get("type") == "diagnosisChanged":
            diagnosis = event["diagnosis"]
            # When it was said, which may be later than since when it holds: what a user saw in that second.
            changes[event["pc"], event["role"]].append(
                (event["time"], (diagnosis["cause"], diagnosis.get("side", "-"), diagnosis.get("severity", 0))))
    return changes, first or 0, last


def at(changes, moment):
    """What is said at a moment; nothing before the first."""
    now = ("-", "-", 0)
    for time, diagnosis in changes:
        if time > moment:
            break
        now = diagnosis
    return now


def words(diagnosis):
    cause, side, severity = diagnosis
    return f"{cause}/{side}/{severity}"


def compare(before, after, recording):
    """How many seconds there are, how many are the same, and the stretches that differ."""
    (old, first, last), (new, start, end) = said(before, recording), said(after, recording)
    seconds = same = 0
    stretches = []
    for stream in sorted(set(old) | set(new)):
        stretch = None
        for second in range(int((max(last, end) - min(first, start)) // 1000) + 1):
            moment = min(first, start) + 1000 * second + 999
            pair = at(old[stream], moment), at(new[stream], moment)
            seconds += 1
            same += pair[0] == pair[1]
            if stretch and (pair != stretch[0] or pair[0] == pair[1]):
                stretches.append((stream, *stretch))
                stretch = None
            if pair[0] != pair[1]:
                stretch = (pair, stretch[1] if stretch else second, second)
        if stretch:
            stretches.append((stream, *stretch))
    return seconds, same, stretches


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    before, after, recordings = sys.argv[1], sys.argv[2], sys.argv[3:]
    total = collections.Counter()
    for recording in recordings:
        seconds, same, stretches = compare(before, after, recording)
        total.update(seconds=seconds, same=same)
        print(f"{pathlib.Path(recording).name}: {same} of {seconds} s the same")
        for (pc, role), (old, new), begin, end in stretches:
            print(f"    {pc}, {role}, {begin} to {end} s: {words(old)}, now {words(new)}")
    print(f"{total['same']} of {total['seconds']} s of {len(recordings)} recordings the same")
    sys.exit(0 if total["same"] == total["seconds"] else 1)


if __name__ == "__main__":
    main()
