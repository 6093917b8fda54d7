#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Fails where an optional is compared with `.none`, of an enumeration that has a case of that name.

There `.none` is `nil`, and never the case: `diagnosis?.cause == .none` is false of a call in which nothing is wrong. Say
`== nil`, or name the case by its type: `== Diagnosis.Cause.none`. Optional is what has a `?` in it, what ends with
`first`, `last`, `min()` and the like, and a property of that type which Sources declare as optional, and nowhere as
not optional. With paths, it reads only files below them.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = ["Sources", "Tests", "Lab", "Benchmarks", "Examples", "Fuzz", "Plugins"]

TEXTS = re.compile(r'//[^\n]*|/\*[\s\S]*?\*/|#?"""[\s\S]*?"""#?|#?"(?:\\.|[^"\\\n])*"#?')
ENUM = re.compile(r"\benum (\w+)")
CASE = re.compile(r"(?m)^ *case (?:\w+(?: = [^,\n]+)?, )*none\b")
PROPERTY = re.compile(r"\b(?:var|let) (\w+): ([\w.]+)(\??)")
LOCAL = re.compile(r"\b(?:var|let) (\w+)\b(?!:)")
OPERAND = r"[\w.$?!]+(?:\([^()\n]*\)[\w.?!]*|\[[^][\n]*\][\w.?!]*)*"
COMPARED = re.compile(rf"(?P<left>{OPERAND}) (?:==|!=) \.none\b|(?<![\w)\]])\.none (?:==|!=) (?P<right>{OPERAND})")
ENDS = re.compile(r"\b(?:first|last|randomElement\(\)|min\(\)|max\(\)|popLast\(\)|popFirst\(\))$")


def code(path):
    """The text without comments and texts, each line in its place."""
    return TEXTS.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), path.read_text(encoding="utf-8", errors="replace"))


def files(places):
    for place in places:
        start = ROOT / place
        yield from [start] if start.is_file() else sorted(start.rglob("*.swift"))


def enumerations(texts):
    """Enumerations with a case `none`."""
    for text in texts:
        starts = list(ENUM.finditer(text))
        for start, end in zip(starts, [*(start.start() for start in starts[1:]), len(text)]):
            if CASE.search(text, start.end(), end):
                yield start[1]


def optional_properties(texts, enums):
    optional, plain = set(), set()
    for text in texts:
        for name, kind, mark in PROPERTY.findall(text):
            if kind.split(".")[-1] in enums:
                (optional if mark else plain).add(name)
    return optional - plain


def findings(text, optional):
    # What is declared in the file without its type, or unwrapped, may be anything.
    optional = optional - set(LOCAL.findall(text))
    for number, line in enumerate(text.split("\n"), 1):
        for match in COMPARED.finditer(line):
            operand = match["left"] or match["right"]
            name = operand.split(".")[-1]
            if "?" in operand or ENDS.search(operand) or name in optional:
                yield number, match[0]


def check(samples):
    """The rule itself, on lines of which it is known."""
    for line, is_found in samples:
        if bool(list(findings(line, {"reason"}))) != is_found:
            sys.exit(f"check-none.py: wrong about: {line}")


def main(arguments):
    check([
        ("if sample.diagnosis?.cause == .none {", True), ("all.last != .none", True), (".none == x?.cause", True),
        ("layer.reason == .none", True), ("a[1]?.b == .none", True), ("f(x)?.cause == .none", True),
        ("diagnosis.cause == .none", False), ("if let reason, reason != .none {", False),
        ("x?.cause == Diagnosis.Cause.none", False), ("values.first { $0 != .none }", False),
    ])
    sources = [code(path) for path in files(["Sources"])]
    optional = optional_properties(sources, set(enumerations(sources)))
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}: `{text}`: say nil, or name the case by its type"
        for path in files(arguments or PLACES) for number, text in findings(code(path), optional)
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
