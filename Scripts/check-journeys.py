#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Runs the commands of the journeys: the blocks marked `sh` of each page, one after the other, as one script.

check-journeys.py [BINARIES [JOURNEY...]]: the folder of the built programs, .build/debug unless given. A script runs in a
folder of its own in which the sources are seen under their names. What a block marked `text` has is in the output of the
block before it, line by line; … stands for anything. What a journey started and left running is ended.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOURNEYS = sorted((ROOT / "Docs/journeys").glob("*.md"))
LIMIT = 180
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MARK = "--- end of block"


def blocks(text):
    """The commands of a page, each with the lines that it is to print."""
    found = []
    for match in BLOCK.finditer(text):
        if match[1] == "sh":
            found.append((text[: match.start(2)].count("\n") + 1, match[2], []))
        elif found:
            found[-1][2].extend(match[2].splitlines())
    return found


def pattern(line):
    """What a line of a page stands for."""
    return ".*".join(re.escape(part.strip()) for part in line.split("…"))


def run(journey, binaries):
    """What is wrong with a journey; empty if all is as it says."""
    steps = blocks(journey.read_text())
    if not steps:
        return "it has no commands"
    # Job control, since a page ends what it has started by its number.
    script = "set -eumo pipefail\n" + "".join(f"{commands}echo '{MARK}'\n" for _, commands, _ in steps)
    with tempfile.TemporaryDirectory() as folder:
        for entry in ROOT.iterdir():
            if not entry.name.startswith(".git"):
                os.symlink(entry, pathlib.Path(folder, entry.name))
        environment = os.environ | {"PATH": f"{binaries}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen(["bash", "-c", script], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output = process.communicate()[0] + f"\nnot done within {LIMIT} s"
        finally:
            end(process.pid)
    parts = output.split(MARK + "\n")
    if process.returncode != 0 or len(parts) != len(steps) + 1:
        at = steps[min(len(parts), len(steps)) - 1][0]
        return f"line {at}: exit code {process.returncode}\n{parts[-1][-2000:]}"
    for (number, _, expected), part in zip(steps, parts):
        for line in expected:
            if not re.search(pattern(line), part):
                return f"line {number}: it does not print '{line}', but\n{part[-2000:]}"
    return ""


def end(session):
    """Kills what is left of a session of processes."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text().rpartition(")")[2].split()[3]) == session:
                os.kill(int(folder.name), signal.SIGKILL)
        except (OSError, ValueError, IndexError):
            continue


def main():
    binaries = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug").resolve()
    wanted = sys.argv[2:]
    failed = False
    for journey in JOURNEYS:
        if wanted and journey.stem not in wanted:
            continue
        problem = run(journey, binaries)
        print(f"{journey.relative_to(ROOT)}: {problem or 'its commands run'}", file=sys.stderr if problem else sys.stdout)
        failed = failed or bool(problem)
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
