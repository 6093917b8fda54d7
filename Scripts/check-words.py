#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Fails if a comment, a text or a guide uses a word for which the field has another (Docs/glossary.md).

Reads the comments and the texts of Swift and JavaScript, the comments of C and C++, and Markdown; names in code,
`code spans` and code blocks are not read. With paths, it reads only files below them.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "THIRD_PARTY.md", "Plugins", "Sources", "Web", "Lab", "Tests", "Docs", "Examples", "Benchmarks", "Fuzz"]
GENERATED = ["Tests/Fixtures", "Lab/Recordings", "Sources/Core/WebRTCStats/Generated", "Lab/out"]

# What not to write, and what to write instead.
WORDS = {
    r"(un)?told": "notified, informed, sent, given, reported",
    r"anew": "again, restarts, re-creates",
    r"seldom": "rarely, sparse",
    r"patience": "timeout, delay, holding time",
    r"lett?(s|ing)? go": "releases, discards",
    r"pictures?(?! loss)": "(video) frame, video, image, test pattern",
    r"sounds?(?! like| alike)": "audio, tone",
    r"ways? (up|down)|whose way|(both|its|their) ways": "uplink, downlink, path, direction, route",
    r"limit rows?|rows? of limits|limits of (jitter|loss|grades?|the grades?)": "threshold",
    r"(no|some|any|every)body": "no one, someone, a participant, everyone",
    r"(left|leave|leaves|leaving) out": "omitted, skipped",
    r"(go|goes|going|went|gone) on(?! (the|to|a|one|top|its|with the))": "continues",
    r"so many": "n, a given number",
    r"uneven(ly|ness)?": "jitter, irregular",
    r"complain(s|ed|ing)?": "reports an error",
    r"wish(es|ed)?": "preference, request",
    r"errands?": "background task",
    r"bec(a|o)me of": "result of, outcome of, happened to",
    r"(makes?|made|making)[ -]up(?! (for|of))": "synthetic, generated, concealed",
    r"(?-i:By what|Since when)": "the factor, the reason; the time at which, the start of",
    r"piled?|piles (up)?": "queued, accumulated, backlog",
    r"troubles?": "issue, problem",
    r"(un)?book(s|ed|ing)?": "accounts for, records, log",
    r"drown(s|ed)?|crowd(s|ed)": "overflowed, congested, many",
    r"hurr(y|ies|ied)": "fast, immediately",
    r"news": "change, update",
}
PATTERN = re.compile("|".join(rf"\b(?P<w{i}>{word})\b" for i, word in enumerate(WORDS)), re.I)
HINTS = list(WORDS.values())

# Up to ten phrases in which a word above is the field's own.
ALLOWED = re.compile("picture-in-picture|sound card|'nobody'|\"nobody\"", re.I)

PARTS = {
    "swift": re.compile(r'(?P<comment>//[^\n]*|/\*[\s\S]*?\*/)|(?P<text>#?"""[\s\S]*?"""#?|#?"(?:\\.|[^"\\\n])*"#?)'),
    "js": re.compile(r"(?P<comment>(?<!:)//[^\n]*|/\*[\s\S]*?\*/)|(?P<text>`(?:\\.|[^`\\])*`|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"),
    "c": re.compile(r'(?P<comment>//[^\n]*|/\*[\s\S]*?\*/)|"(?:\\.|[^"\\\n])*"'),
}
KIND = {".swift": "swift", ".js": "js", ".mjs": "js", ".h": "c", ".cc": "c", ".cpp": "c", ".mm": "c"}


def blank(text):
    """The text's line breaks, and spaces for the rest: what follows keeps its place."""
    return re.sub(r"[^\n]", " ", text)


def prose_of_markdown(text):
    text = re.sub(r"(?ms)^ *```.*?^ *```", lambda m: blank(m[0]), text)
    text = re.sub(r"(?<=\]\()[^)\s]*", lambda m: blank(m[0]), text)
    return re.sub(r"``?[^`\n]+``?", lambda m: blank(m[0]), text)


def prose_of_code(text, parts):
    result, end = [], 0
    for match in parts.finditer(text):
        result.append(blank(text[end:match.start()]))
        end = match.end()
        part = match[0]
        if match["comment"]:
            result.append(re.sub(r"``?[^`\n]+``?", lambda m: blank(m[0]), part))
        elif "text" in match.groupdict() and match["text"] and " " in part:
            result.append(re.sub(r"\\\([^()\n]*(\([^()\n]*\)[^()\n]*)*\)|\$\{[^}\n]*\}", lambda m: blank(m[0]), part))
        else:
            result.append(blank(part))
    return "".join(result) + blank(text[end:])


def prose(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    return prose_of_markdown(text) if path.suffix == ".md" else prose_of_code(text, PARTS[KIND[path.suffix]])


def files(places, skipped):
    for place in places:
        start = ROOT / place
        for path in [start] if start.is_file() else sorted(start.rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.is_file() and "/." not in f"/{name}" and (path.suffix in KIND or path.suffix == ".md"):
                if not any(name == folder or name.startswith(folder + "/") for folder in skipped):
                    yield name, path


def findings(name, path):
    for number, line in enumerate(prose(path).split("\n"), 1):
        for match in PATTERN.finditer(ALLOWED.sub(lambda m: blank(m[0]), line)):
            hint = HINTS[int(match.lastgroup[1:])]
            yield f"{name}:{number}: \"{match[0]}\": say {hint}"


def main(arguments):
    found = [finding for name, path in files(arguments or PLACES, GENERATED) for finding in findings(name, path)]
    print("\n".join(found), end="\n" if found else "")
    if found:
        print(f"{len(found)} words for which Docs/glossary.md has others", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
