# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A real server with a well-behaved call on it, and what both of them make of an attack."""

import asyncio
import json
import os
import re
import signal
import tempfile
import time

import wire

SECRETS = dict(
    SIGHTLINE_SECRET="of-the-application-" + "0123456789abcdef" * 2,
    SIGHTLINE_TURN_SECRET="of-the-turn-server-" + "0123456789abcdef" * 2,
    SIGHTLINE_WEBHOOK_SECRET="of-the-webhook-" + "0123456789abcdef" * 2,
)
SECRET = SECRETS["SIGHTLINE_SECRET"]


def process_figures(pid):
    """Resident memory in bytes, how much of it is the process's own, and open descriptors; `None` without a process.

    The rest is pages of its executable, which every code path that runs for the first time brings in.
    """
    try:
        with open(f"/proc/{pid}/status") as file:
            status = file.read()
        resident, own = (int(re.search(name + r":\s+(\d+)", status).group(1)) * 1024 for name in ("VmRSS", "RssAnon"))
        return resident, own, len(os.listdir(f"/proc/{pid}/fd"))
    except (OSError, AttributeError):
        return None


class Load:
    """How busy a process is from here on."""

    def __init__(self, pid):
        self.pid, self.began = pid, time.monotonic()
        self.before = self._worked()

    def _worked(self):
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def share(self):
        """Of a core."""
        return (self._worked() - self.before) / (time.monotonic() - self.began)


def children(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(child) for child in file.read().split()]
        except OSError:
            pass
    return found


class Server:
    """`sightline serve` in a process of its own, with a store and every secret in its environment."""

    def __init__(self, binary, folder, options=("--loopback-only",), host=wire.HOST):
        self.binary, self.folder, self.options, self.host = binary, folder, options, host
        self.process = None

    async def start(self):
        log = os.path.join(self.folder, f"server-{time.monotonic_ns()}.log")
        with open(log, "wb") as file:
            self.process = await asyncio.create_subprocess_exec(
                self.binary, "serve", "--host", self.host, "--port", "0", "--application-id", wire.APPLICATION,
                "--store", os.path.join(self.folder, "calls.sqlite"), "--keep-names", "--log-level", "notice",
                *self.options, stdout=file, stderr=file, env=dict(os.environ, **SECRETS),
            )
        self.log = log
        self.port = await self._port(log)
        async with asyncio.timeout(60):
            while not await self._router_runs():
                await asyncio.sleep(0.1)

    async def _port(self, log):
        async with asyncio.timeout(60):
            while True:
                with open(log, errors="replace") as file:
                    found = re.search(r"sightline: listening on \S+:(\d+)", file.read())
                if found:
                    return int(found.group(1))
                if self.process.returncode is not None:
                    raise RuntimeError(f"the server ended by itself: {open(log).read()[-2000:]}")
                await asyncio.sleep(0.05)

    async def _router_runs(self):
        if "--tls-certificate" in self.options:
            return bool(children(self.process.pid))
        host = wire.HOST if self.host == "0.0.0.0" else self.host
        try:
            _, _, body = await asyncio.to_thread(wire.request, self.port, "GET", "/readyz", host=host)
            return "routerAway" not in json.loads(body)["problems"]
        except OSError:
            return False

    @property
    def pid(self):
        return self.process.pid

    @property
    def router(self):
        """The router's process; 0 if there is none now."""
        try:
            return next(iter(children(self.pid)), 0)
        except OSError:
            return 0

    def figures(self):
        """Memory and descriptors of server and router; `None` unless both are there."""
        server, router = process_figures(self.pid), process_figures(self.router or -1)
        if server is None or router is None:
            return None
        return dict(
            server=server[1], router=router[1], server_resident=server[0], router_resident=router[0],
            descriptors=server[2], router_descriptors=router[2])

    @property
    def ended(self):
        """How the process ended, in words; `None` while it runs."""
        code = self.process.returncode
        if code is None:
            return None
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    async def stop(self):
        if self.process.returncode is None:
            self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), 20)
            except (TimeoutError, asyncio.TimeoutError):
                self.process.kill()
                await self.process.wait()


class Party:
    """A headless client of the well-behaved call."""

    def __init__(self, kind):
        self.kind, self.process = kind, None
        self.reports, self.life = [], []

    async def start(self, binary, port, token, *options):
        self.process = await asyncio.create_subprocess_exec(
            binary, self.kind, "--url", f"http://{wire.HOST}:{port}", "--loopback-only", "--format", "json", *options,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env=dict(os.environ, SIGHTLINE_TOKEN=token), limit=1 << 20,
        )
        self.task = asyncio.get_running_loop().create_task(self._read())

    async def _read(self):
        async for line in self.process.stdout:
            message = json.loads(line)
            stats = message.get("stats")
            if message["type"] in ("videoNetworkStatsUpdated", "audioNetworkStatsUpdated"):
                self.reports.append((time.monotonic(), message["type"][:5], stats))
            elif message["type"].startswith(("session", "stream", "did")) or "econnect" in message["type"]:
                self.life.append((time.monotonic(), message))

    async def stop(self):
        if self.process and self.process.returncode is None:
            self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), 10)
            except (TimeoutError, asyncio.TimeoutError):
                self.process.kill()
        if self.process:
            self.task.cancel()


class Probe:
    """A client that sends telemetry once a second and times the acknowledgements."""

    def __init__(self, number):
        self.number, self.times, self.faults, self.client = number, [], [], None

    async def start(self, port, session):
        token = wire.client_token(SECRET, session, name=f"probe {self.number}")
        self.client = await wire.Client.join(port, token, client="probe")
        self.client.is_kept = False
        await wire.publish(self.client, "cam", sender_stats=False)
        self.task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self):
        await asyncio.sleep(self.number * 0.2)
        while True:
            began = time.monotonic()
            asyncio.get_running_loop().create_task(self._ask(began))
            await asyncio.sleep(1)

    async def _ask(self, began):
        try:
            await self.client.ask("telemetry", events=[wire.event("cam")], timeout=30)
            self.times.append((began, time.monotonic() - began))
        except wire.Refused as error:
            self.faults.append((began, str(error)))

    def stop(self):
        if self.client:
            self.task.cancel()
            self.client.end()


class Call:
    """The well-behaved call: two real clients in a routed session, five probes, and newcomers."""

    # Video packets a second below which media counts as missing; there are about thirty.
    LEAST_PACKETS = 5

    def __init__(self, binary, server, folder):
        self.binary, self.server, self.folder = binary, server, folder
        self.publisher, self.subscriber = Party("publish"), Party("subscribe")
        self.probes = [Probe(number) for number in range(5)]
        self.newcomers = []

    async def start(self):
        port = self.server.port
        self.session = wire.create_session(port, SECRET)
        relayed = wire.create_session(port, SECRET, "relayed")
        await self.publisher.start(
            self.binary, port, wire.client_token(SECRET, self.session, name="alice"), "--resolution", "320x180"
        )
        recording = os.path.join(self.folder, f"bob-{time.monotonic_ns()}.jsonl")
        await self.subscriber.start(
            self.binary, port, wire.client_token(SECRET, self.session, "subscriber", "bob"), "--record", recording
        )
        for probe in self.probes:
            await probe.start(port, relayed)
        async with asyncio.timeout(60):
            while not self._arrives():
                await asyncio.sleep(0.2)
        self.stream = next(m["stream"] for _, m in self.subscriber.life if m["type"] == "streamCreated")
        # The first second's packets are the start's.
        await asyncio.sleep(3)

    def _arrives(self):
        return any(kind == "video" and (s.get("videoPacketsReceived") or 0) > 20 for _, kind, s in self.subscriber.reports)

    async def stop(self):
        for probe in self.probes:
            probe.stop()
        await self.subscriber.stop()
        await self.publisher.stop()

    async def welcome(self, until):
        """Lets somebody join the call's session and subscribe every two seconds, until the event is set."""
        number = 0
        while not until.is_set():
            number += 1
            began = time.monotonic()
            try:
                async with asyncio.timeout(10):
                    token = wire.client_token(SECRET, self.session, "subscriber", f"newcomer {number}")
                    client = await wire.Client.join(self.server.port, token, client="newcomer")
                    try:
                        await wire.subscribe(client, "s", self.stream, wire.offer("recvonly"))
                        await client.ask("leave")
                    finally:
                        client.end()
                self.newcomers.append((began, time.monotonic() - began, None))
            except (wire.Refused, TimeoutError, asyncio.TimeoutError, OSError, asyncio.IncompleteReadError) as error:
                self.newcomers.append((began, time.monotonic() - began, str(error) or type(error).__name__))
            try:
                await asyncio.wait_for(until.wait(), 2)
            except (TimeoutError, asyncio.TimeoutError):
                pass

    def verdict(self, begin, end):
        """What the call went through in a span of time."""
        times = sorted(t for began, t in self.all_times() if begin <= began <= end)
        faults = [f"telemetry: {text}" for p in self.probes for at, text in p.faults if begin <= at <= end]
        newcomers = [n for n in self.newcomers if begin <= n[0] <= end]
        refused = [text for _, _, text in newcomers if text]
        media = self.media(begin, end)
        for party in (self.publisher, self.subscriber):
            faults += [
                f"{party.kind}: {m['type']}" for at, m in party.life
                if begin <= at <= end and re.search("econnect|Disconnect|Error|Destroyed|mediaLost", m["type"])
                and "newcomer" not in json.dumps(m)
            ]
            if party.process.returncode is not None:
                faults.append(f"{party.kind} ended")
        if refused:
            faults.append(f"{len(refused)} of {len(newcomers)} newcomers were refused: {refused[0]}")
        return dict(
            acks=len(times), p99=percentile(times, 0.99), worst=times[-1] if times else None, faults=faults,
            newcomers=len(newcomers), slowest=max((n[1] for n in newcomers), default=0), **media,
        )

    def all_times(self):
        return [entry for probe in self.probes for entry in probe.times]

    def media(self, begin, end):
        """Packets lost and seconds without media."""
        lost, gaps, freezes = 0, 0.0, 0
        for kind, received, missing in (
            ("video", "videoPacketsReceived", "videoPacketsLost"), ("audio", "audioPacketsReceived", "audioPacketsLost"),
        ):
            reports = [(at, s) for at, k, s in self.subscriber.reports if k == kind and begin - 1.5 <= at <= end + 1.5]
            if len(reports) < 2:
                return dict(lost=None, gap=end - begin, freezes=None)
            lost += (reports[-1][1].get(missing) or 0) - (reports[0][1].get(missing) or 0)
            if kind == "video":
                freezes = (reports[-1][1].get("freezeCount") or 0) - (reports[0][1].get("freezeCount") or 0)
            gap, since = 0.0, reports[0][0]
            for (before, old), (at, new) in zip(reports, reports[1:]):
                count = (new.get(received) or 0) - (old.get(received) or 0)
                least = self.LEAST_PACKETS * (at - before)
                if count >= least:
                    since = at
                gap = max(gap, at - since)
            gaps = max(gaps, gap, end - reports[-1][0] - 2)
        return dict(lost=lost, gap=max(0.0, gaps), freezes=freezes)


def percentile(values, part):
    return values[min(len(values) - 1, int(len(values) * part))] if values else None


def scratch():
    """A folder for a run's files."""
    return tempfile.mkdtemp(prefix="sightline-hostile-")
