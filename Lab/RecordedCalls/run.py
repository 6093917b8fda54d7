# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Real calls between two Chromiums, one thing done to each, as their own dumps and as rtcstats recordings, and judged.

    sudo python3 -B Lab/RecordedCalls/run.py DIR [--only NAME] [--rtcstats FOLDER] [--judge-only] [--pages FOLDER]

Each browser has a network namespace of its own and an emulated access line (`sightline-lab line run`). What is done to
each call is in calls.py. A folder of DIR for each call has the recordings of both ends, truth.json, and what
`sightline-analyze` says of them: text and page, of both ends and of each alone.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(FOLDER))

import camera  # noqa: E402
from calls import CALLS  # noqa: E402

PORT = 9000
# Until both browsers are there, seconds.
LEAD = 25
ENDS = {"alice": "bob", "bob": "alice"}
# What recordings are called, and pages of both ends of which.
FORMS = ("webrtc-internals", "chromium-rtcstats", "rtcstats-js")
PAGES = {"webrtc-internals": "", "rtcstats-js": "-rtcstats"}
# Each end has one where processors matter.
CORES = {"alice": 0, "bob": 1}


def words(conditions):
    return ";".join(
        f"{direction}:" + ",".join(f"{key}={value}" for key, value in link.items())
        for direction, link in conditions.items())


def schedule(call):
    changes = [{"t": 0, "dir": direction, **link} for direction, link in call.line.items()]
    changes += [{"t": LEAD + time, "dir": direction, **link} for time, direction, link in call.changes]
    return "".join(json.dumps(change) + "\n" for change in changes)


def address(call, name, has_rtcstats):
    width, height = call.size
    query = f"me={name}&peer={ENDS[name]}&width={width}&height={height}"
    if has_rtcstats:
        query += "&rtcstats=1"
    if call.freezes and name == "alice":
        query += f"&freeze={call.begin}&thaw={call.end}"
    return f"http://$SERVER:{PORT}/?{query}"


def python(core=None):
    """Runs a program of this folder, on one core if there is one."""
    pinned = "" if core is None else f"taskset -c {core} "
    return f"exec {pinned}python3 -B {shlex.quote(str(FOLDER))}"


def programs(call, folder, rtcstats):
    """The programs in each namespace, in the order in which they start."""
    width, height = call.size
    view = folder.parent / f"camera-{width}x{height}.y4m"
    if not view.exists():
        camera.write(view, width, height)
    served = f" {shlex.quote(str(rtcstats.resolve()))}" if rtcstats else ""
    yield "server", f"{python()}/server.py {PORT} {LEAD}{served}"
    cores = CORES if call.beside == "compute" else {}
    for name in ENDS:
        yield name, (f'{python(cores.get(name))}/end.py "{address(call, name, rtcstats)}" {call.length}'
                     f" {shlex.quote(str(view))} {shlex.quote(str(folder / name))}")
    if call.beside:
        yield "alice", (f"{python(cores.get('alice'))}/beside.py {call.beside} $SERVER {PORT} {call.begin} {call.end}"
                        f" {shlex.quote(str(folder / 'beside.done'))}")


def record(name, folder, options):
    """Makes a call; exits if it was none."""
    call = CALLS[name]
    files = {end: folder / f"{end}.state" for end in ENDS}
    for file in (*files.values(), folder / "beside.done"):
        file.unlink(missing_ok=True)
    (folder / "schedule.jsonl").write_text(schedule(call))
    command = [options.lab, "line", "run", "--line", f"alice={words(call.line)}", "--line", "bob=fibre",
               "--schedule", f"alice={folder / 'schedule.jsonl'}", "--duration", str(LEAD + call.length + 60)]
    for place, program in programs(call, folder, options.rtcstats):
        command += ["--in", f"{place}={program}"]
    ran = subprocess.run(command, capture_output=True, text=True)
    (folder / "lines.txt").write_text(ran.stdout)
    states = [json.loads(file.read_text()) for file in files.values() if file.exists()]
    if ran.returncode or [state["state"] for state in states] != ["connected", "connected"]:
        sys.exit(f"{name}: there was no call: {states}\n{ran.stdout}{ran.stderr}")
    if call.beside and not (folder / "beside.done").exists():
        sys.exit(f"{name}: there was no {call.beside} beside it")
    for file in (*files.values(), folder / "beside.done"):
        file.unlink(missing_ok=True)
    truth = {"done": call.done, "began": states[0]["began"]}
    if name != "clean":
        truth |= {"from": call.begin, "to": call.end}
    (folder / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


def clock(seconds):
    return f"{int(seconds) // 60}:{seconds % 60:04.1f}"


def heading(folder, said):
    """What was done, in the time of a report that begins with its first figures."""
    truth = json.loads((folder / "truth.json").read_text())
    if "from" not in truth:
        return f"{truth['done']}\n\n"
    summary = json.loads(said.splitlines()[-1])
    offset = truth["began"] - summary["from"] / 1000
    return f"{clock(truth['from'] + offset)} - {clock(truth['to'] + offset)}: {truth['done']}\n\n"


def judge(folder, options):
    for form in FORMS:
        files = {end: folder / f"{end}.{form}.gz" for end in ENDS}
        for chosen in (["alice"], ["bob"], list(ENDS)):
            paths = [files[end] for end in chosen if files[end].exists()]
            if len(paths) < len(chosen):
                continue
            stem = folder / f"{'-'.join(chosen)}.{form}"
            text, values = (
                subprocess.run([options.analyze, "analyze", *paths, "--format", form], capture_output=True, text=True)
                for form in ("text", "json"))
            stem.with_name(f"{stem.name}.txt").write_text(heading(folder, values.stdout) + text.stdout + text.stderr)
            page = stem.with_name(f"{stem.name}.html")
            made = subprocess.run([options.analyze, "report", *paths, "--force", "-o", page], capture_output=True, text=True)
            # 2: made, though parts of a file could not be read.
            if made.returncode not in (0, 2):
                sys.exit(f"{page.name}: {made.stderr}")


def keep_pages(folder, pages):
    """Pages of both ends, named after the call."""
    pages.mkdir(parents=True, exist_ok=True)
    for form, suffix in PAGES.items():
        page = folder / f"{'-'.join(ENDS)}.{form}.html"
        if page.exists():
            (pages / f"{folder.name}{suffix}.html").write_text(page.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", help="the name of one call", choices=CALLS)
    parser.add_argument("--rtcstats", type=pathlib.Path, help="a folder that has rtcstats-js and rtcstats-shared")
    parser.add_argument("--judge-only", action="store_true", help="judges the recordings that are there")
    parser.add_argument("--pages", type=pathlib.Path, help="where the pages of both ends go")
    parser.add_argument("--lab", default=str(ROOT / ".build/debug/sightline-lab"))
    parser.add_argument("--analyze", default=str(ROOT / ".build/debug/sightline-analyze"))
    options = parser.parse_args()
    for name in [options.only] if options.only else CALLS:
        folder = options.folder.resolve() / name
        folder.mkdir(parents=True, exist_ok=True)
        if not options.judge_only:
            print(name, file=sys.stderr, flush=True)
            record(name, folder, options)
        judge(folder, options)
        if options.pages:
            keep_pages(folder, options.pages)


if __name__ == "__main__":
    main()
