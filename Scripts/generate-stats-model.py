#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Turns Scripts/stats-model.txt into Sources/Core/WebRTCStats/Generated.

    Scripts/generate-stats-model.py            writes the files
    Scripts/generate-stats-model.py --check    exits 1 if they differ from the table
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "Scripts" / "stats-model.txt"
OUTPUT = ROOT / "Sources" / "Core" / "WebRTCStats" / "Generated"

SPEC = "https://www.w3.org/TR/webrtc-stats/"
HEADER = """\
// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

"""
# Present in every entry and read apart from its members, so they come first and never change place.
RESERVED = ["type", "id", "timestamp"]
SWIFT_TYPES = {
    "uint": "UInt64", "int": "Int64", "double": "Double", "timestamp": "Double",
    "string": "String", "bool": "Bool", "map": "[String: Double]",
}
DOC_WIDTH = 106


class Member:
    def __init__(self, dictionary, line):
        self.name, self.kind, self.unit, self.meaning = [part.strip() for part in line.split("|")]
        self.dictionary = dictionary

    @property
    def swift_type(self):
        return SWIFT_TYPES.get(self.kind, self.kind)

    @property
    def swift_name(self):
        return f"`{self.name}`" if self.name == "protocol" else self.name

    @property
    def anchor(self):
        return f"{SPEC}#dom-{self.dictionary.lower()}-{self.name.lower()}"


class Entry:
    def __init__(self, struct, wire_type, prop, members):
        self.struct, self.wire_type, self.property, self.members = struct, wire_type, prop, members
        self.doc = ""


def read_table():
    dictionaries, entries, known = {}, [], []
    current = None
    for line in TABLE.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, rest = line.partition(" ")
        if head == "dictionary":
            name, _, parent = [part.strip() for part in rest.partition(":")]
            current = name
            dictionaries[name] = list(dictionaries[parent]) if parent else []
        elif head == "entry":
            left, _, right = rest.partition(":")
            struct, wire_type, prop = left.split()
            members = {m.name: m for d in right.split() for m in dictionaries[d]}
            entries.append(Entry(struct, wire_type, prop, list(members.values())))
        elif head == "doc":
            entries[-1].doc = rest
        elif head == "known":
            known += rest.split()
        else:
            dictionaries[current].append(Member(current, line))
    return entries, known


def numbering(entries, known):
    names = {m.name for e in entries for m in e.members} | set(known)
    ordered = RESERVED + sorted(names - set(RESERVED))
    assert len(ordered) < 255, "member numbers are UInt8"
    return ordered, {name: number for number, name in enumerate(ordered, 1)}


def doc_comment(member):
    unit = f" ({member.unit})" if member.unit else ""
    first = f"{member.meaning[:-1]}{unit}."
    lines = [f"    /// {first}"] if len(first) <= DOC_WIDTH - 8 else wrap(first)
    return "\n".join(lines + ["    ///", f"    /// [W3C]({member.anchor})"])


def wrap(text):
    lines, line = [], "    ///"
    for word in text.split():
        if len(line) + len(word) + 1 > DOC_WIDTH:
            lines.append(line)
            line = "    ///"
        line += " " + word
    return lines + [line]


def struct_file(entry):
    properties = "\n\n".join(
        f"{doc_comment(m)}\n    public var {m.swift_name}: {m.swift_type}?" for m in entry.members)
    return f"""{HEADER}/// {entry.doc}
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct {entry.struct}: StatsEntry {{
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

{properties}

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {{
        self.id = id
        self.timestamp = timestamp
    }}
}}
"""


def members_file(entry, numbers):
    cases, visits = [], []
    for m in entry.members:
        store = "storeTimestamp" if m.kind == "timestamp" else "store"
        cases.append(f"        case {numbers[m.name]}: value.{store}(in: &{m.swift_name})")
        visits.append(f'        visitor.visit("{m.name}", {m.swift_name})')
    return f"""{HEADER}extension {entry.struct}: MemberStorage {{
    mutating func store(_ value: consuming StatsValue, as number: UInt8) -> MemberOutcome {{
        switch number {{
{chr(10).join(cases)}
        default: .foreign(value)
        }}
    }}

    func visitMembers(_ visitor: inout some MemberVisitor) {{
{chr(10).join(visits)}
    }}
}}
"""


def names_file(ordered):
    names = "\n".join(f'        "{name}",' for name in ordered)
    return f"""{HEADER}/// The names that entries are known to use; a name's number is its position, counted from one.
enum MemberNames {{
    static let all: [String] = [
{names}
    ]
}}
"""


def render():
    entries, known = read_table()
    ordered, numbers = numbering(entries, known)
    files = {"MemberNames.swift": names_file(ordered)}
    for entry in entries:
        if entry.doc:
            files[f"{entry.struct}.swift"] = struct_file(entry)
            files[f"{entry.struct}+Members.swift"] = members_file(entry, numbers)
    return files


def main():
    files = render()
    if "--check" in sys.argv:
        found = {path.name: path.read_text() for path in OUTPUT.glob("*.swift")}
        stale = sorted(name for name in files.keys() | found.keys() if files.get(name) != found.get(name))
        for name in stale:
            print(f"{OUTPUT / name}: differs from Scripts/stats-model.txt; run Scripts/generate-stats-model.py")
        sys.exit(1 if stale else 0)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for path in OUTPUT.glob("*.swift"):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (OUTPUT / name).write_text(text)


main()
