#!/usr/bin/env python3
"""Makes the calls that say whether Sightline measures what it should, and prints what was measured.

Longer than the tests and with tighter limits: the truth is the network conditioner's own drop counter. Run it by
`make acceptance`, on a machine that has nothing else to do.
"""

import json
import subprocess
import sys

TOOL = ".build/debug/sightline"
failures = 0


def check(name, holds, figure):
    global failures
    failures += not holds
    print(f"  {'ok  ' if holds else 'FAIL'}  {name}: {figure}")


def demo(title, *options):
    print(title)
    done = subprocess.run([TOOL, "demo", "--format", "json", *options], capture_output=True, text=True)
    check("exit code", done.returncode == 0, done.returncode)
    if done.returncode:
        print(done.stderr)
        return [], {}
    events = [json.loads(line) for line in done.stdout.splitlines()]
    summary = {p["participant"]: p for p in events[-1]["participants"]}
    return events, summary


def ticks(events, role, kind):
    return [e for e in events if e.get("role") == role and e["type"] == kind]


def plain(resolution, layers):
    events, summary = demo(f"A call of 20 s at {resolution}", "--duration", "20", "--resolution", resolution)
    if not events:
        return
    for role in ("publisher", "subscriber"):
        for kind in ("videoNetworkStatsUpdated", "audioNetworkStatsUpdated", "mediaLinkStatsUpdated"):
            count = len(ticks(events, role, kind))
            check(f"{role} {kind}, once a second", 18 <= count <= 23, count)
    time = summary["bob"].get("timeToPublishedSize")
    check("published size within 3 s", time is not None and time < 3, time)
    last = ticks(events, "publisher", "videoNetworkStatsUpdated")[-1]["stats"][0]["videoLayers"]
    states = [(l.get("rid"), l.get("width"), l["enabled"], l["sending"]) for l in last]
    check(f"{layers} layers, all enabled and sending", len(last) == layers and all(s[2] and s[3] for s in states), states)
    bob = ticks(events, "subscriber", "videoNetworkStatsUpdated")[-1]["stats"]
    check("no sender statistics unless they are allowed", bob.get("senderStats") is None, bob.get("senderStats"))
    lost = summary["bob"]["video"]["lossPercent"]
    check("nothing lost on a clean network", lost == 0, lost)


def sender_stats():
    events, _ = demo("A call that lets subscribers see the sender's figures", "--duration", "6", "--sender-stats",
                     "--resolution", "320x180")
    if not events:
        return
    bob = ticks(events, "subscriber", "videoNetworkStatsUpdated")[-1]["stats"].get("senderStats")
    check("sender statistics at the subscriber", bool(bob), bob)


def loss(direction):
    up = direction == "up"
    events, summary = demo(f"A call of 40 s with 5 % loss {direction}", "--duration", "40", "--condition", f"{direction}:loss=5")
    if not events:
        return
    alice, bob = summary["alice"], summary["bob"]
    side = alice if up else bob
    truth = side["network"][direction]["lossPercent"]
    measured = side["video"]["lossPercent"]
    limit = 1.5 if up else 1.0
    check(f"video network loss within {limit} points of the counter", abs(measured - truth) <= limit,
          f"{measured:.2f} % measured, {truth:.2f} % dropped")
    other = bob if up else alice
    clean = other["video"]["lossPercent"]
    check("the other leg shows less than 0.3 %", clean < 0.3, f"{clean:.2f} %")


def processes():
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    return [line for line in listing.splitlines() if "sightline router" in line or "sightline demo" in line]


if __name__ == "__main__":
    plain("640x360", 2)
    plain("1280x720", 3)
    sender_stats()
    loss("down")
    loss("up")
    print("Afterwards")
    check("no process is left", not processes(), processes())
    print("All as it should be." if not failures else f"{failures} checks failed.")
    sys.exit(1 if failures else 0)
