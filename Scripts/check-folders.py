#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Fails if a folder of the SDK (Sources/Client/Sightline) refers to a type that a folder declares which it may not know.

Says what is wrong, where, and which folders know each other both ways. Reads names, not meanings: a type counts as
known where its name stands, outside comments and strings. With --list, prints who knows whom.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "Sources" / "Client" / "Sightline"

# Each folder, and those above it in this list whose types it may know.
MAY_KNOW = {
    "Support": [],
    "Signaling": ["Support"],
    "Streams": [],
    "Telemetry": ["Support"],
    "Monitoring": ["Support"],
    "Quality": ["Streams", "Support"],
    "Media": ["Monitoring", "Quality", "Streams", "Support", "Telemetry"],
    "Publishing": ["Media", "Monitoring", "Streams", "Support"],
    "Subscribing": ["Media", "Monitoring", "Streams", "Support"],
    "Session": [
        "Media", "Monitoring", "Publishing", "Quality", "Signaling", "Streams", "Subscribing", "Support", "Telemetry",
    ],
    "Models": ["Publishing", "Session", "Streams", "Subscribing", "Support"],
    "NetworkTest": ["Media", "Publishing", "Session", "Signaling", "Subscribing", "Support"],
}

DECLARATION = re.compile(
    r"^(?:(?:public|package|internal|final|indirect) )*(?:struct|class|enum|actor|protocol|typealias) (\w+)", re.M)
NAME = re.compile(r"(?<![.\w])[A-Z]\w*")
NOISE = re.compile(r'//[^\n]*|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"')


def sources():
    # The files of tutorials are an app's.
    for path in sorted(path for path in ROOT.rglob("*.swift") if ".docc/" not in str(path)):
        yield path, path.relative_to(ROOT).parts[0], NOISE.sub("", path.read_text())


def main():
    files = list(sources())
    declared = {name: folder for _, folder, text in files for name in DECLARATION.findall(text)}
    known = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, folder, text in files:
        for name in set(NAME.findall(text)):
            other = declared.get(name)
            if other and other != folder:
                known[folder][other].add((name, str(path.relative_to(ROOT))))
    wrong = []
    for folder in sorted({folder for _, folder, _ in files}):
        if folder not in MAY_KNOW:
            wrong.append(f"{folder}: say in Scripts/check-folders.py which folders it may know")
        for other, uses in sorted(known[folder].items()):
            if other not in MAY_KNOW.get(folder, []):
                wrong += [f"{path}: {folder} may not know {name} of {other}" for name, path in sorted(uses)]
    below = set()
    for folder, others in MAY_KNOW.items():
        wrong += [f"{folder} may know {other}, which comes later: arrows point down" for other in others
                  if other not in below]
        below.add(folder)
    circles = sorted({tuple(sorted((a, b))) for a in known for b in known[a] if a in known.get(b, {})})
    if "--list" in sys.argv:
        for folder in MAY_KNOW:
            print(f"{folder}: {', '.join(sorted(known[folder])) or '-'}")
        print(f"circles: {', '.join(f'{a}<->{b}' for a, b in circles) or 'none'}")
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
