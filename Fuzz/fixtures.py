#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Makes inputs for fuzzing of the tests' fixtures: Fuzz/fixtures.py FOLDER makes FOLDER/TARGET/…"""
import gzip
import hashlib
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "Tests" / "Fixtures"
LONGEST = 16384


def put(target, content):
    data = content if isinstance(content, bytes) else content.encode()
    if not 0 < len(data) <= LONGEST:
        return
    folder = pathlib.Path(sys.argv[1]) / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha1(data).hexdigest()[:16]).write_bytes(data)


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def reports():
    """The recorded reports, entry by entry in both forms, and small ones one after the other."""
    for path in sorted((FIXTURES / "getstats").glob("*.json")):
        recorded = json.loads(path.read_text())
        found = [one["stats"] for one in recorded] if "stats" in recorded[0] else [recorded]
        for report in found[:2]:
            for entry in report:
                put("stats", compact([entry]))
                put("stats", compact({entry["id"]: entry}))
        kinds = ("inbound-rtp", "outbound-rtp", "candidate-pair", "remote-inbound-rtp")
        put("stats", "\n".join(compact([e for e in r if e["type"] in kinds]) for r in found[:3]))


def messages():
    """The protocol's messages, and the clients' ones as steps of the core."""
    steps = ["\1\1\1", "j0\0\0\1", "j1\0\0\0"]
    for path in sorted((FIXTURES / "protocol").glob("*.json")):
        text = compact(json.loads(path.read_text()))
        kind = path.name.split("-")[0]
        if kind in ("client", "server"):
            put(kind, text)
        if kind in ("notice", "command"):
            put("router", "@" + text + "\n")
        named = text.replace('"st1"', '"$s0"').replace('"sb1"', '"$u0"').replace('"body.seal"', '"$r0"')
        if kind == "client":
            steps += ["M0" + named, "a0"]
            put("core", "\n".join(steps[:3] + ["M0" + named, "a0", "t0500", "x0"]))
        if kind == "notice":
            steps.append("n0" + named)
    for mode in "\0\1\2":
        put("core", mode + "\n".join(steps))
        put("store", mode + "\n".join(steps))


def recordings():
    """Every form, and of those of lines the first two as well."""
    for path in sorted((FIXTURES / "recordings").iterdir()):
        if path.name.endswith(".totals.json"):
            continue
        content = path.read_bytes()
        plain = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        start = b"\n".join(plain.split(b"\n")[:2]) + b"\n"
        for target in ("recording", "replay"):
            for data in (content, plain, start, gzip.compress(start, mtime=0)):
                put(target, data)


def bodies():
    for path in sorted((FIXTURES / "api").glob("*.json")):
        put("body", path.read_text())


reports()
messages()
recordings()
bodies()
