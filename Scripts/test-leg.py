#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""test-leg.py NAME MINUTES COMMAND...: runs one leg of the tests, and writes down what came of it.

A leg passes if its command ends with 0, and if it has tests, at least one ran and none failed. One that takes longer than its minutes
has failed: what had begun and not ended is listed, with the stacks of all its threads. The figures go to
.build/tests/NAME.json; `test-leg.py --sum NAME...` adds them up, without names all that are there, and prints what failed
and why, and last the sums in one line. `test-leg.py --expect NAME...` counts legs as failed until they have ended. Without
names legs are in the order in which they were expected or, if they were not, began.

With `{report}` among its words the command runs Swift Testing, which writes its report there; without, it has no tests,
and can only fail. In CI (CI=true) a test that is skipped has failed, unless it only runs on request.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as XML

FOLDER = pathlib.Path(".build/tests")
# Tests that want something to work on, or a whole browser more, say so in this way.
ON_REQUEST = "on request"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
LAST_LINES, MOST_LINES = 20, 200


def children(root):
    """The processes below one, as /proc has them, the deepest first."""
    below = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        below.setdefault(parent, []).append(int(folder.name))
    found, queue = [], [root]
    while queue:
        queue += below.get(queue[0], [])
        found.append(queue.pop(0))
    return found[::-1]


def stacks(pid):
    """Prints who waits for what in a process."""
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return
    print(f"--- process {pid}: {words[:200]}", flush=True)
    try:
        subprocess.run(
            ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "set pagination off", "-ex", "thread apply all bt 30"],
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    except FileNotFoundError:
        print("gdb is not installed: no stacks")
    except subprocess.TimeoutExpired:
        print("gdb did not end")


def unfinished(log):
    """The tests that have begun and not ended."""
    begun = {}
    for line in log.read_text(errors="replace").splitlines():
        match = re.match(r"^\W+(Test (?!run|case).*?) (started|passed|failed|skipped)\b", line)
        if match and match[2] == "started":
            begun[match[1]] = True
        elif match:
            begun.pop(re.sub(r" with \d+ test cases$", "", match[1]), None)
    return list(begun)


def stay_idle():
    """Linux may give each session as much of the processor as any other, whatever the policy of its processes."""
    for _ in range(30):
        try:
            pathlib.Path("/proc/self/autogroup").write_text("19")
            return
        except BlockingIOError:
            time.sleep(0.1)  # the whole system may do that once in so long
        except OSError:
            return  # it does not group by session


def run(name, minutes, command, log):
    """The command's exit code; `None` if it hung. What it prints goes on, and into the log."""
    with log.open("wb") as file:
        # A session of its own: whatever it starts ends with it.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=stay_idle if os.sched_getscheduler(0) == os.SCHED_IDLE else None)

        def copy():
            for chunk in iter(lambda: process.stdout.read1(1 << 16), b""):
                file.write(chunk)
                file.flush()
                sys.stdout.buffer.write(chunk)
                sys.stdout.flush()

        copying = threading.Thread(target=copy, daemon=True)
        copying.start()
        # Whoever ends the leg ends what it runs.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        try:
            code = process.wait(60 * minutes)
        except subprocess.TimeoutExpired:
            code = None
            print(f"{name} has not ended after {minutes} minutes. Begun and not ended:", flush=True)
            print("".join(f"    {test}\n" for test in unfinished(log)), flush=True)
            for pid in children(process.pid):
                stacks(pid)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        copying.join(10)
    return code


def results(report):
    """How many tests passed, which failed, and which were skipped and why, out of the report of a run."""
    # `swift test --xunit-output report.xml` writes the results of Swift Testing beside the ones of XCTest, or instead of
    # them where XCTest is disabled.
    file = report.with_name(f"{report.stem}-swift-testing{report.suffix}")
    if not file.exists():
        file = report
    passed, failed, skipped = 0, [], []
    if not file.exists():
        return passed, failed, skipped
    try:
        cases = list(XML.parse(file).iter("testcase"))
    except XML.ParseError:
        # Its process ended before it was whole; the log says of what.
        return passed, failed, skipped
    for case in cases:
        test = f"{case.get('classname')}/{case.get('name')}"
        reason = case.find("skipped")
        if case.find("failure") is not None:
            failed.append(test)
        elif reason is not None:
            skipped.append((test, (reason.text or "no reason is given").strip()))
        else:
            passed += 1
    return passed, failed, skipped


def reasons(log, has_tests):
    """What a log says of why: the issues that tests recorded, with what is known of them; without tests its last lines."""
    lines = [ESCAPE.sub("", line) for line in log.read_text(errors="replace").splitlines()]
    if not has_tests:
        return lines[-LAST_LINES:]
    found, is_one = [], False
    for line in lines:
        # What follows an issue and is indented, or begins with an arrow, says more of it.
        is_one = " recorded an issue " in line or "Fatal error" in line or (is_one and line.startswith(("↳", " ")))
        if is_one:
            found.append(line)
    # A process that was ended by a signal recorded nothing.
    return found[:MOST_LINES] or lines[-LAST_LINES:]


def write(name, **figures):
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(figures))


def began(name):
    """When a leg was expected, which is as it was if it already is."""
    try:
        return json.loads((FOLDER / f"{name}.json").read_text())["began"]
    except (OSError, ValueError, KeyError):
        return time.time()


def expect(name, since):
    """Counts a leg as failed until it has ended."""
    write(name, passed=0, failed=[f"{name}: it did not end"], skipped=[], seconds=0, began=since)


def leg(name, minutes, command):
    FOLDER.mkdir(parents=True, exist_ok=True)
    report = FOLDER / f"{name}.xml"
    since = began(name)
    for old in FOLDER.glob(f"{name}[.-]*"):
        old.unlink()
    expect(name, since)
    has_report = any("{report}" in word for word in command)
    # Swift Testing begins all tests at once. On two cores a server's tests then wait seconds for their next line, while the
    # real time that they are about passes.
    os.environ.setdefault("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", str(2 * (os.cpu_count() or 1)))
    start = time.monotonic()
    code = run(name, minutes, [word.replace("{report}", str(report)) for word in command], FOLDER / f"{name}.log")
    passed, failed, skipped = results(report) if has_report else (0, [], [])
    failed = [f"{name}: {test}" for test in failed]
    if os.environ.get("CI") == "true":
        failed += [f"{name}: {test} was skipped: {why}" for test, why in skipped if ON_REQUEST not in why]
        skipped = [(test, why) for test, why in skipped if ON_REQUEST in why]
    if code is None:
        failed.append(f"{name}: it hung")
    elif code != 0 and not failed:
        failed.append(f"{name}: it ended with {code}")
    elif has_report and passed + len(failed) == 0:
        failed.append(f"{name}: no test was run")
    why = reasons(FOLDER / f"{name}.log", has_report) if failed else []
    write(
        name, passed=passed, failed=failed, skipped=skipped, why=why, seconds=round(time.monotonic() - start), began=since)
    sys.exit(1 if failed else 0)


def sum_up(names):
    if not names:
        names = sorted((file.stem for file in FOLDER.glob("*.json")), key=began)
    legs = {}
    for name in names:
        file = FOLDER / f"{name}.json"
        broken = {"passed": 0, "failed": [f"{name}: it did not run"], "skipped": [], "seconds": 0}
        legs[name] = json.loads(file.read_text()) if file.exists() else broken
    print()
    minutes = [f"{name} {figures['seconds'] / 60:.1f}" for name, figures in legs.items()]
    print(f"Minutes: {', '.join(minutes)}; {sum(figures['seconds'] for figures in legs.values()) / 60:.1f} in all")
    failed = [test for figures in legs.values() for test in figures["failed"]]
    skipped = [test for figures in legs.values() for test in figures["skipped"]]
    for test, why in skipped:
        print(f"skipped: {test}: {why}")
    for name, figures in legs.items():
        for line in figures.get("why", []):
            print(f"{name}: {line}")
    for test in failed:
        print(f"FAILED: {test}")
    passed = sum(figures["passed"] for figures in legs.values())
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if sys.argv[1] == "--sum":
        sum_up(sys.argv[2:])
    if sys.argv[1] == "--expect":
        for leg_name in sys.argv[2:]:
            expect(leg_name, began(leg_name))
        sys.exit()
    leg(sys.argv[1], float(sys.argv[2]), sys.argv[3:])
