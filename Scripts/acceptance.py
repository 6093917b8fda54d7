#!/usr/bin/env python3
"""Makes the calls that say whether Sightline measures what it should, and prints what was measured.

Longer than the tests and with tighter limits: the truth is the network conditioner's own drop counter. Run it by
`make acceptance`, on a machine that has nothing else to do.
"""

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time

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
    lost = summary["bob"]["video"]["fractionLost"]
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
    truth = 100 * side["network"][direction]["fractionLost"]
    measured = 100 * side["video"]["fractionLost"]
    limit = 1.5 if up else 1.0
    check(f"video network loss within {limit} points of the counter", abs(measured - truth) <= limit,
          f"{measured:.2f} % measured, {truth:.2f} % dropped")
    other = bob if up else alice
    clean = 100 * other["video"]["fractionLost"]
    check("the other leg shows less than 0.3 %", clean < 0.3, f"{clean:.2f} %")


CAPPED, FREED, END = 20, 48, 75


def tool(*arguments, **environment):
    return subprocess.Popen([TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **environment})


def three_parties(title, schedules=None, end=END, exits=(0, 0, 0)):
    """alice publishes, bob and carol watch, each on a network of its own. Gives the events of each."""
    print(title)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    keys = ["--application-id", "acceptance", "--secret", secrets.token_hex(32)]
    server = tool("serve", "--port", port, "--loopback-only", "--log-level", "error", *keys)
    url = ["--url", f"http://127.0.0.1:{port}"]

    def token(role, *session):
        for _ in range(50):
            out, _ = tool("token", *url, *keys, "--role", role, "--format", "json", *session).communicate()
            if out:
                return json.loads(out)
            time.sleep(0.2)
        sys.exit("the server does not start")

    parties = {}
    with tempfile.TemporaryDirectory() as folder:
        first = token("publisher", "--name", "alice")
        session = ["--session", first["session"]]
        common = [*url, "--format", "json", "--loopback-only"]
        parties["alice"] = tool("publish", *common, "--duration", str(end + 8), SIGHTLINE_TOKEN=first["token"])
        time.sleep(3)
        for name in ("bob", "carol"):
            options = ["--name", name, "--duration", str(end)]
            if steps := (schedules or {}).get(name):
                path = os.path.join(folder, f"{name}.jsonl")
                with open(path, "w") as file:
                    file.writelines(json.dumps(step) + "\n" for step in steps)
                options += ["--condition-schedule", path]
            secret = token("subscriber", "--name", name, *session)["token"]
            parties[name] = tool("subscribe", *common, *options, SIGHTLINE_TOKEN=secret)
        outputs = {name: party.communicate() for name, party in parties.items()}
    server.terminate()
    server.communicate()
    for (name, (_, errors)), code in zip(outputs.items(), exits):
        check(f"{name}'s exit code is {code}", parties[name].returncode == code,
              errors.strip() or parties[name].returncode)
    return {name: [json.loads(line) for line in out.splitlines()] for name, (out, _) in outputs.items()}


def at(events, kind):
    """The events of a kind with the seconds since the first one of the client."""
    start = next(e["time"] for e in events if "time" in e)
    return [((e["time"] - start) / 1000, e) for e in events if e["type"] == kind]


def concealed(events, start, end):
    shares = [e["stats"].get("concealment") for t, e in at(events, "audioNetworkStatsUpdated") if start <= t <= end]
    shares = [share for share in shares if share is not None]
    return 100 * sum(shares) / len(shares) if shares else None


def heights(events, start, end):
    return [(t, e["stats"].get("height"), e["stats"].get("decodedFrameRate") or 0)
            for t, e in at(events, "videoNetworkStatsUpdated") if start <= t <= end]


def fallback(rate, keeps_low_layer, baseline):
    steps = [{"t": CAPPED, "dir": "down", "rate": rate}, {"t": FREED, "dir": "down", "rate": 0}]
    calls = three_parties(f"Three parties, the downlink of one of them {rate} kbit/s for {FREED - CAPPED} s",
                          {"carol": steps})
    bob, carol = calls["bob"], calls["carol"]
    life = [(round(t, 1), e["type"], e.get("message")) for kind in (
        "subscriberVideoDisableWarning", "subscriberVideoDisableWarningLifted", "subscriberVideoDisabled",
        "subscriberVideoEnabled") for t, e in at(carol, kind)]
    life.sort()
    print(f"        carol: {life}")
    settled = heights(carol, CAPPED + 8, FREED)
    if keeps_low_layer:
        low = [h == 180 and rate > 7 for _, h, rate in settled]
        # A tick a second; without ticks nothing has been shown.
        check("the low layer is kept from the 8th second on", all(low) and len(low) >= 0.8 * (FREED - CAPPED - 8),
              f"{sum(low)} of {len(low)} seconds")
        check("nothing is switched off", not [l for l in life if l[1] == "subscriberVideoDisabled"], life)
    else:
        off = [t for t, kind, why in life if kind == "subscriberVideoDisabled" and why == "qualityChanged"]
        check("video is off within 8 s", bool(off) and off[0] - CAPPED <= 8, [round(t - CAPPED, 1) for t in off])
        warned = [t for t, kind, _ in life if kind == "subscriberVideoDisableWarning"]
        check("after a warning", bool(off) and bool(warned) and warned[0] < off[0], warned)
    back = [t for t, h, fps in heights(carol, FREED, END) if h == 360 and fps > 20]
    check("full quality within 15 s after", bool(back) and back[0] - FREED <= 15, back and round(back[0] - FREED, 1))
    full = [h == 360 and fps > 24 for _, h, fps in heights(bob, 8, END - 2)]
    # Key frames that carol's changes ask for cost bob a frame now and then.
    check("bob keeps full quality", sum(full) >= 0.95 * len(full) and len(full) >= 0.8 * (END - 10),
          f"{sum(full)} of {len(full)} seconds")
    lost = at(bob, "videoNetworkStatsUpdated")[-1][1]["stats"].get("videoPacketsLost")
    check("bob loses nothing", lost == 0, lost)
    layers = [e["stats"][0]["videoLayers"] for t, e in at(calls["alice"], "videoNetworkStatsUpdated") if 12 <= t <= END]
    check("alice goes on sending all layers",
          all(tick and all(l["sending"] for l in tick) for tick in layers) and len(layers) >= 0.8 * (END - 12),
          len(layers))
    for name in ("bob", "carol"):
        ours, clean = concealed(calls[name], CAPPED + 8, END - 2), concealed(baseline[name], CAPPED + 8, END - 2)
        check(f"{name}'s audible concealment within 1 point of the baseline from the 8th second on",
              ours is not None and clean is not None and ours - clean <= 1,
              f"{ours} % beside {clean} %")


def cut(start, seconds):
    """Media and signalling away for a while."""
    return [{"t": start, "dir": way, "outage": seconds} for way in ("up", "down")]


def outages():
    start = 10
    calls = three_parties("Three parties, one of them without any network for 20 s, another for 80 s",
                          {"bob": cut(start, 20), "carol": cut(start, 80)}, end=start + 95, exits=(0, 0, 1))
    names = ("sessionDidBeginReconnecting", "sessionDidReconnect", "subscriberDidDisconnectFromStream",
             "subscriberDidReconnectToStream", "streamDestroyed", "sessionDidFailWithError")
    life = {name: sorted((round(t, 1), kind) for kind in names for t, _ in at(calls[name], kind)) for name in calls}
    frames = [t for t, e in at(calls["bob"], "videoNetworkStatsUpdated")
                if t > start + 20 and (e["stats"].get("decodedFrameRate") or 0) > 20]
    back = frames and round(frames[0] - start - 20, 1)
    check("bob has frames again within 5 s after 20 s", bool(frames) and back <= 5, back)
    for name, kinds in (("bob", names[:4]), ("carol", (names[0], names[2], names[4], names[5]))):
        seen = [kind for _, kind in life[name]]
        check(f"{name}'s events, each once", sorted(seen) == sorted(kinds), life[name])


def processes():
    """Ours that still run, as /proc has them."""
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            # Not by its "exe": a router lets nobody but root see that.
            words = open(f"/proc/{pid}/cmdline").read().split("\0")
            if words[0] and os.path.samefile(words[0], TOOL):
                left.append(" ".join(words))
        except OSError:
            continue
    return left


def fallbacks():
    undisturbed = three_parties("Three parties on a clean network")
    fallback(200, True, undisturbed)
    fallback(120, False, undisturbed)


PARTS = {
    "stats": lambda: (plain("640x360", 2), plain("1280x720", 3), sender_stats()),
    "loss": lambda: (loss("down"), loss("up")),
    "fallback": fallbacks,
    "outage": outages,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
    print("Afterwards")
    check("no process is left", not processes(), processes())
    print("All as it should be." if not failures else f"{failures} checks failed.")
    sys.exit(1 if failures else 0)
