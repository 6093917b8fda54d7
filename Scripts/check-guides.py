#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Holds the guides against what is built: every Swift block compiles, every name in a table of names is in the API, every
option of the command line and every make target that they name is there.

Needs the modules of a build: `swift build`, or a directory that has them as the first argument. A table of names has
a column headed "Sightline"; its names are a type, or a type, a dot and a member, between backticks.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUIDES = [*sorted(ROOT.glob("Sources/*/*/*.docc/*.md")), *sorted(ROOT.glob("Docs/*.md")), *sorted(ROOT.glob("Docs/journeys/*.md")), ROOT / "README.md"]
# The files of the tutorials: steps of one app, each of which compiles by itself.
TUTORIALS = sorted(ROOT.glob("Sources/*/*/*.docc/Tutorials/Code/*.swift"))
IMPORTS = ["CallModel", "CallQuality", "CallRecording", "Foundation", "LibWebRTC", "MediaEngine", "NIOSignaling", "Sightline", "WebRTCStats"]
NAMED = ["CallModel", "CallQuality", "CallRecording", "LibWebRTC", "MediaEngine", "Sightline", "WebRTCStats"]

# Options of other programs that the guides name, and properties of style sheets.
FOREIGN = {"browser", "check", "filter", "headless", "json", "page", "product", "seed", "sightline-bars-color", "sightline-bars-off", "target",
           "update"}

# What the blocks take for granted: what an app has around them.
SURROUNDINGS = """
struct Banner { func show(_ text: String) {}; func hide() {} }
func show(_ fraction: Double) {}
func getStatsAsJSON() async -> [UInt8] { [] }
"""
BEFORE = """
final class {name}: SessionDelegate, PublisherNetworkStatsDelegate, SubscriberNetworkStatsDelegate, CallMonitorDelegate, @unchecked Sendable {{
    func callMonitor(_ monitor: CallMonitor, didObserve event: CallMonitorEvent) {{}}
    func run(
        token: String, session: Session, events: AsyncStream<SessionEvent>, publisher: Publisher, subscriber: Subscriber,
        monitor: CallMonitor, stream: Sightline.MediaStream, report: StatsReport, bytes: [UInt8], intent: MediaIntent, remote: RemoteMetrics,
        url: String, testToken: String, engine: LibWebRTCEngine, banner: Banner, file: URL, publisherFile: URL, subscriberFile: URL, now: Double
    ) async throws {{
        var configuration = SessionConfiguration()
        configuration.sendsTelemetry = true
        do {{
#sourceLocation(file: "{file}", line: {line})
"""
AFTER = """
#sourceLocation()
        }
    }
}
"""


def blocks(text):
    """The Swift blocks of a text, each with the number of its first line."""
    for match in re.finditer(r"^```swift\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield text[: match.start(1)].count("\n") + 1, match.group(1)


def source(file, index, line, block):
    """A file that compiles if the block does."""
    imports = re.findall(r"^import (\w+)\n", block, re.MULTILINE)
    body = re.sub(r"^import \w+$", "", block, flags=re.MULTILINE)
    module = file.parent.stem if file.parent.suffix == ".docc" else ""
    if module == "MediaRouter":
        # Its own module and type share a name, which the SDK's vocabulary would only get in the way of.
        return f"import MediaRouter\nfunc run{index}() async throws {{\n{body}\n}}\n"
    head = "".join(f"import {name}\n" for name in sorted(set(IMPORTS + imports)))
    where = file.relative_to(ROOT)
    return head + BEFORE.format(name=f"Snippet{index}", file=where, line=line) + body + AFTER


def names(text):
    """The names in the columns headed "Sightline", each with the number of its line."""
    column = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("|"):
            column = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if column is None:
            column = cells.index("Sightline") if "Sightline" in cells else -1
        elif 0 <= column < len(cells):
            for name in re.findall(r"`([^`]+)`", cells[column]):
                yield number, name


def options_of(command, above=()):
    """The long options of a command and of all below it, each by the words that call it: `cluster drain`."""
    own = {name["name"] for argument in command.get("arguments", []) for name in argument.get("names", [])
           if name["kind"] == "long"}
    found = {" ".join(above): own}
    for below in command.get("subcommands", []):
        found |= options_of(below, (*above, below["commandName"]))
    return found


def help_of(program):
    """The options of a program's commands."""
    dump = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True)
    return options_of(json.loads(dump.stdout)["command"])


def commands(text, known):
    """The options and make targets that a text names and that are not there, each with the number of its line."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for number, line in enumerate(text.split("\n"), 1):
        every = set().union(*known.values())
        # In `sightline demo --duration 8`, a span of code, the option must be one of that command.
        for span in line.split("`"):
            called = re.search(r"\bsightline((?: [a-z][a-z-]+)+)", span)
            words = called[1].split() if called else []
            # The longest words that are a command's: what follows them are its arguments.
            own = next((known[" ".join(words[:end])] for end in range(len(words), 0, -1) if " ".join(words[:end]) in known), None)
            for found in re.finditer(r"(?<![-\w])--([a-z][a-z-]+)", span):
                # What stands before the command is another program's.
                names = every if own is None or found.start() < called.start() else own
                if found[1] not in names and found[1] not in FOREIGN:
                    yield number, f"--{found[1]}"
        for target in re.findall(r"(?:`|^)make ([a-z-]+)", line):
            if target not in targets:
                yield number, f"make {target}"


def symbols(options, target):
    """Every public name of the modules that people use, with its types before it."""
    found = set()
    with tempfile.TemporaryDirectory() as directory:
        for module in NAMED:
            subprocess.run(
                ["swift", "symbolgraph-extract", "-module-name", module, "-target", target, "-minimum-access-level",
                 "public", "-output-dir", directory, *options], check=True, stdout=subprocess.DEVNULL)
        for graph in pathlib.Path(directory).glob("*.symbols.json"):
            for symbol in json.loads(graph.read_text())["symbols"]:
                found.add(".".join(symbol["pathComponents"]))
    return found


def main():
    binaries = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(
        subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
        .stdout.strip())
    options = ["-I", str(binaries / "Modules")]
    # The modules of C that those of Swift are made with.
    for headers in [*(binaries.resolve().parent.parent / "checkouts").glob("*/Sources/*/include"),
                    *ROOT.glob("Sources/*/*/include")]:
        options += ["-I", str(headers)]
    own = [*ROOT.glob("Sources/*/*/module.modulemap"), *ROOT.glob("Sources/*/*/include/module.modulemap")]
    # One that an older build has made is none any more where a module has its own.
    made = [modules for modules in binaries.glob("*.build/module.modulemap")
            if not any(modules.parent.stem in other.parts for other in own)]
    for modules in [*made, *own]:
        options += ["-Xcc", f"-fmodule-map-file={modules}"]
    info = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True).stdout
    failed = False
    known = symbols(options, json.loads(info)["target"]["triple"])
    tool = help_of(binaries / "sightline")
    # The lab's commands have names of the tool's, and options of their own.
    tool.update({f"lab {command}": names for command, names in help_of(binaries / "sightline-lab").items()})
    files, count = [], 0
    with tempfile.TemporaryDirectory() as directory:
        surroundings = pathlib.Path(directory, "Surroundings.swift")
        surroundings.write_text(SURROUNDINGS)
        for guide in GUIDES:
            text = guide.read_text()
            for number, name in names(text):
                count += 1
                if name not in known:
                    print(f"{guide.relative_to(ROOT)}:{number}: `{name}` is not in the API", file=sys.stderr)
                    failed = True
            for number, name in commands(text, tool):
                print(f"{guide.relative_to(ROOT)}:{number}: there is no `{name}`", file=sys.stderr)
                failed = True
            for line, block in blocks(text):
                file = pathlib.Path(directory, f"Snippet{len(files)}.swift")
                file.write_text(source(guide, len(files), line, block))
                files.append(str(file))
        check = subprocess.run(
            ["swiftc", "-typecheck", "-swift-version", "6", "-suppress-warnings", "-module-name", "Guides",
             *options, str(surroundings), *files])
    for step in TUTORIALS:
        typechecked = subprocess.run(
            ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-suppress-warnings", "-module-name", "Tutorial", *options, str(step)])
        failed = failed or typechecked.returncode != 0
    if check.returncode != 0 or failed:
        sys.exit("the guides do not say what is so; see above")
    print(f"{len(files)} Swift blocks and {len(TUTORIALS)} steps of tutorials compile, {count} names are in the API")


if __name__ == "__main__":
    main()
