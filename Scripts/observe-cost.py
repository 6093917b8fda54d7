#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What observe.js costs a page: processor time and bytes, with it and without it in turn.

A real server, and Chromium with a page of two peer connections that send each other the synthetic camera and microphone.
The call is the same throughout; observe.js is started and stopped in it, so that what differs is observe.js alone.
Processor time is that of the processes' own counters; bytes are the TCP payload between the page and the server.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile"))

import bench  # noqa: E402
import observing  # noqa: E402
import wire  # noqa: E402

# Sends camera and microphone from one to the other and back, and says when media flow both ways.
PAGE = """(async () => {
    const media = await navigator.mediaDevices.getUserMedia({ audio: true, video: { width: 640, height: 360, frameRate: 30 } });
    const [one, other] = globalThis.both = [new RTCPeerConnection(), new RTCPeerConnection()];
    const videos = [];
    for (const [from, to] of [[one, other], [other, one]]) {
        from.addEventListener("icecandidate", ({ candidate }) => { if (candidate) to.addIceCandidate(candidate); });
        for (const track of media.getTracks()) from.addTrack(track, media);
        const video = document.createElement("video");
        Object.assign(video, { autoplay: true, muted: true });
        from.addEventListener("track", ({ streams }) => { video.srcObject = streams[0]; });
        document.documentElement.append(video);
        videos.push(video);
    }
    await one.setLocalDescription();
    await other.setRemoteDescription(one.localDescription);
    await other.setLocalDescription();
    await one.setRemoteDescription(other.localDescription);
    globalThis.isFlowing = () => videos.every(({ videoWidth }) => videoWidth > 0);
})()"""


class Counter:
    """Passes connections on to the server, and counts their bytes."""

    def __init__(self, port):
        self.port, self.up, self.down = port, 0, 0

    async def start(self):
        self.server = await asyncio.start_server(self._take, wire.HOST, 0)
        return self.server.sockets[0].getsockname()[1]

    async def _take(self, reader, writer):
        far_reader, far_writer = await asyncio.open_connection(wire.HOST, self.port)
        await asyncio.gather(
            self._pass(reader, far_writer, "up"), self._pass(far_reader, writer, "down"), return_exceptions=True)

    async def _pass(self, reader, writer, way):
        while data := await reader.read(1 << 16):
            setattr(self, way, getattr(self, way) + len(data))
            writer.write(data)
            await writer.drain()
        writer.close()


class Page(observing.Browser):
    """The page with the two peer connections."""

    async def run(self, expression):
        result = await self.call(
            "Runtime.evaluate", session=self.session, expression=expression, userGesture=True, awaitPromise=True,
            returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", result["exceptionDetails"]))
        return result["result"].get("value")

    async def figures(self):
        """Processor time so far, ms: of the page's main thread, of its process, and of all the browser's."""
        metrics = await self.call("Performance.getMetrics", session=self.session)
        main = {one["name"]: one["value"] for one in metrics["metrics"]}["TaskDuration"] * 1000
        own, total = 0.0, 0.0
        for process in (await self.call("SystemInfo.getProcessInfo"))["processInfo"]:
            spent = processor_time(process["id"])
            total += spent
            own += spent if process["type"] == "renderer" else 0
        return {"main thread": main, "page's process": own, "all processes": total}


def processor_time(pid):
    """What a process has used so far, ms; 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


async def part(page, counter, seconds):
    """What is used in a part of the call, a second."""
    await asyncio.sleep(3)
    began, before, bytes_before = time.monotonic(), await page.figures(), (counter.up, counter.down)
    await asyncio.sleep(seconds)
    elapsed, after = time.monotonic() - began, await page.figures()
    rates = {name: (after[name] - before[name]) / elapsed for name in after}
    rates["bytes sent"] = (counter.up - bytes_before[0]) / elapsed
    rates["bytes received"] = (counter.down - bytes_before[1]) / elapsed
    return rates


def observer_token(server):
    body = {"scopes": ["observe"], "expiresIn": 7200, "observer": {"call": "cost", "participant": "page"}}
    status, _, answer = wire.request(server.port, "POST", "/v1/api-tokens", body=body, secret=bench.SECRET)
    if status not in (200, 201):
        raise RuntimeError(f"no token: {status}")
    return json.loads(answer)["token"]


async def measure(options):
    folder = bench.scratch()
    server = bench.Server(options.binary, folder)
    await server.start()
    page = Page(folder)
    try:
        token = await asyncio.to_thread(observer_token, server)
        counter = Counter(server.port)
        await page.open(f"http://{wire.HOST}:{await counter.start()}/livez")
        await page.call("Performance.enable", session=page.session, timeDomain="threadTicks")
        await page.wait("location.protocol === 'http:' && document.readyState === 'complete'")
        await page.run(PAGE)
        await page.wait("globalThis.isFlowing?.()")
        await page.run("import('/web/observe/observe.js').then((observe) => { globalThis.observe = observe; })")
        await asyncio.sleep(options.settle)
        version = (await page.call("Browser.getVersion"))["product"]
        without, observed = [], []
        for number in range(options.rounds):
            # Whatever drifts meanwhile, drifts for both.
            for with_it in ((False, True) if number % 2 == 0 else (True, False)):
                if with_it:
                    await page.run(
                        f"observe.start({{ token: '{token}', wraps: false }}); for (const one of both) observe.observe(one)")
                (observed if with_it else without).append(await part(page, counter, options.seconds))
                if with_it:
                    await page.run("observe.stop()")
        return version, without, observed
    finally:
        await page.stop()
        await server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def report(options, version, without, observed):
    print(f"{version}, {os.cpu_count()} processors, {options.rounds} times {options.seconds:.0f} s each\n")
    print("| A second | Without | With observe.js | Difference | Its standard error |")
    print("| --- | --- | --- | --- | --- |")
    for name in observed[0]:
        differences = [one[name] - other[name] for one, other in zip(observed, without)]
        error = statistics.stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else float("nan")
        unit = "bytes" if name.startswith("bytes") else "ms"
        values = [statistics.mean(one[name] for one in part) for part in (without, observed)]
        print(f"| {name}, {unit} | {values[0]:.1f} | {values[1]:.1f} | {statistics.mean(differences):.1f} | {error:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=".build/debug/sightline")
    parser.add_argument("--seconds", type=float, default=20, help="of each part")
    parser.add_argument("--rounds", type=int, default=6, help="parts with it, and as many without")
    parser.add_argument("--settle", type=float, default=20, help="seconds before the first part")
    options = parser.parse_args()
    report(options, *asyncio.run(measure(options)))


if __name__ == "__main__":
    main()
