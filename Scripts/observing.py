# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What observing costs a client's uplink: bytes of its WebSocket in a real call, by kind of message.

A real server and router, a headless publisher and subscriber, and Chromium, which publishes and subscribes once. Each
client speaks to the server through a proxy of its own, which counts the TCP payload. `--keep` writes the messages, for
a look at what a change of their form would do.
"""

import argparse
import asyncio
import json
import os
import shutil
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile"))

import bench  # noqa: E402
import wire  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--headless=new", "--remote-debugging-pipe", "--use-fake-device-for-media-stream", "--no-first-run",
    "--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required", "--disable-gpu",
    "--allow-loopback-in-peer-connection", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
]


class Count:
    """Bytes and messages of a kind."""

    def __init__(self):
        self.bytes, self.messages = 0, 0

    def add(self, size):
        self.bytes += size
        self.messages += 1


class Proxy:
    """Passes connections on to the server, and counts what WebSockets send to it."""

    def __init__(self, name, port, keep=None):
        self.name, self.port, self.keep = name, port, keep
        self.reset()

    def reset(self):
        self.kinds, self.events, self.largest = {}, Count(), 0

    async def start(self):
        self.server = await asyncio.start_server(self._take, wire.HOST, 0, limit=1 << 22)
        self.own_port = self.server.sockets[0].getsockname()[1]
        return self.own_port

    async def _take(self, reader, writer):
        far_reader, far_writer = await asyncio.open_connection(wire.HOST, self.port, limit=1 << 22)
        up = asyncio.create_task(self._up(reader, far_writer))
        try:
            await self._down(far_reader, writer)
        except OSError:
            pass
        finally:
            up.cancel()
            for one in (writer, far_writer):
                one.close()

    async def _down(self, reader, writer):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def _up(self, reader, writer):
        try:
            await self._pass(reader, writer)
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    async def _pass(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        if b"upgrade: websocket" not in head.lower():
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
            return writer.close()
        while True:
            head = await reader.readexactly(2)
            length = head[1] & 127
            if length > 125:
                more = await reader.readexactly(2 if length == 126 else 8)
                head, length = head + more, int.from_bytes(more, "big")
            mask = await reader.readexactly(4)
            payload = await reader.readexactly(length)
            writer.write(head + mask + payload)
            self._count(head[0] & 15, mask, payload, len(head) + 4 + length)

    def _count(self, opcode, mask, payload, size):
        kind = "frames of control"
        if opcode == wire.TEXT:
            pattern = (mask * (len(payload) // 4 + 1))[:len(payload)]
            text = (int.from_bytes(payload, "big") ^ int.from_bytes(pattern, "big")).to_bytes(len(payload), "big")
            message = json.loads(text)
            kind = message["type"]
            if kind == "telemetry":
                self.events.messages += len(message["events"])
                self.largest = max(self.largest, size)
            if self.keep:
                self.keep.write(text.decode() + "\n")
        self.kinds.setdefault(kind, Count()).add(size)


class Browser:
    """Headless Chromium, steered through pipes."""

    def __init__(self, folder):
        self.folder, self.next = os.path.join(folder, "chromium"), 0

    async def start(self, port, token, choice):
        """Opens the page of a guest."""
        await self.open(f"http://{wire.HOST}:{port}/join#token={token}")
        await self.wait(f"document.querySelector('#{choice}')")
        await self.evaluate(f"document.querySelector('#{choice}').click()")
        await self.wait("[...document.querySelectorAll('video')].filter((one) => one.videoWidth > 0).length > 1")

    async def open(self, url):
        """Begins with a page."""
        command, self.command = os.pipe()
        answer, out = os.pipe()
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        self.process = await asyncio.create_subprocess_exec(
            "/bin/bash", "-c", f'exec "$0" "$@" 3<&{command} 4>&{out}', CHROMIUM, *FLAGS, *sandbox,
            f"--user-data-dir={self.folder}", pass_fds=(command, out), stderr=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL)
        os.close(command)
        os.close(out)
        self.reader = asyncio.StreamReader(limit=1 << 24)
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self.reader), os.fdopen(answer, "rb"))
        target = await self.call("Target.createTarget", url=url)
        attached = await self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]

    async def call(self, method, session=None, **parameters):
        self.next += 1
        message = dict(id=self.next, method=method, params=parameters)
        if session:
            message["sessionId"] = session
        os.write(self.command, json.dumps(message).encode() + b"\0")
        while True:
            answer = json.loads((await asyncio.wait_for(self.reader.readuntil(b"\0"), 60))[:-1])
            if answer.get("id") == self.next:
                return answer["result"]

    async def evaluate(self, expression):
        result = await self.call(
            "Runtime.evaluate", session=self.session, expression=f"Boolean({expression})", userGesture=True)
        return result["result"].get("value")

    async def wait(self, expression):
        async with asyncio.timeout(60):
            while not await self.evaluate(expression):
                await asyncio.sleep(0.2)

    async def stop(self):
        self.process.terminate()
        await self.process.wait()


async def measure(options):
    folder = bench.scratch()
    server = bench.Server(options.binary, folder)
    await server.start()
    clients = []
    try:
        session = await asyncio.to_thread(wire.create_session, server.port, bench.SECRET, "routed")

        async def proxy(name):
            keep = open(os.path.join(options.keep, f"{name}.jsonl"), "w") if options.keep else None
            proxies.append(Proxy(name, server.port, keep))
            return await proxies[-1].start()

        proxies = []
        for kind in ("publish", "subscribe"):
            party = bench.Party(kind)
            clients.append(party)
            role = "publisher" if kind == "publish" else "subscriber"
            await party.start(
                options.binary, await proxy(f"native {role}"), wire.client_token(bench.SECRET, session, role, role),
                *(["--condition", options.condition] if options.condition else []))
            await asyncio.sleep(3)
        if not options.native:
            browser = Browser(folder)
            clients.append(browser)
            port = await proxy("Chromium")
            await browser.start(port, wire.client_token(bench.SECRET, session, "publisher", "guest"), "camera")
        await asyncio.sleep(options.settle)
        first = {proxy.name: proxy.largest for proxy in proxies}
        for one in proxies:
            one.reset()
        began = time.monotonic()
        await asyncio.sleep(options.seconds)
        return proxies, time.monotonic() - began, first
    finally:
        for client in clients:
            await client.stop()
        await server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def report(proxies, seconds, first):
    print("| Client | Reports a second | Telemetry, kbit/s each | All messages, kbit/s each | Bytes of a report | Largest at first |")
    print("| --- | --- | --- | --- | --- | --- |")
    for proxy in proxies:
        # Chromium publishes once, and subscribes once.
        parts = 2 if proxy.name == "Chromium" else 1
        telemetry = proxy.kinds.get("telemetry", Count())
        total = sum(count.bytes for count in proxy.kinds.values())
        rate = [8 * size / seconds / parts / 1000 for size in (telemetry.bytes, total)]
        each = telemetry.bytes / max(1, proxy.events.messages)
        print(
            f"| {proxy.name} | {proxy.events.messages / seconds:.2f} | {rate[0]:.2f} | {rate[1]:.2f} | {each:.0f} | "
            f"{first[proxy.name]} |")
    for proxy in proxies:
        kinds = ", ".join(f"{kind} {count.messages} x {count.bytes / count.messages:.0f}" for kind, count in
                          sorted(proxy.kinds.items()))
        print(f"{proxy.name}: {kinds} bytes in {seconds:.0f} s", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=".build/debug/sightline")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--settle", type=float, default=15, help="seconds before the count begins")
    parser.add_argument("--native", action="store_true", help="without Chromium")
    parser.add_argument("--condition", help="impairs the headless clients' media, such as up:rate=60")
    parser.add_argument("--keep", help="a folder for the messages")
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    report(*asyncio.run(measure(options)))


if __name__ == "__main__":
    main()
