# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Who says what was measured while things go wrong, and what they know of what was acknowledged."""

import asyncio
import concurrent.futures
import http.client
import json
import time
import urllib.parse

import parts
import wire

LOST = (wire.Refused, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError,
        asyncio.TimeoutError, http.client.HTTPException)


class Participant:
    """Someone in a session who says again and again what was measured."""

    def __init__(self, session):
        self.session = session
        # The marks of samples that are acknowledged, and when that was heard last.
        self.acknowledged, self.heard_at = [], 0.0
        # By what it was interrupted, how often.
        self.faults = {}
        self.client = None
        self.task = asyncio.get_running_loop().create_task(self.run())

    async def run(self):
        raise NotImplementedError

    def note(self, error):
        text = getattr(error, "code", None) or type(error).__name__
        self.faults[text] = self.faults.get(text, 0) + 1

    async def stop(self):
        # A wait that ends as it is cancelled may swallow that.
        while not self.task.done():
            self.task.cancel()
            await asyncio.wait([self.task], timeout=1)


class Sender(Participant):
    """A participant who publishes a relayed stream, and sends a sample as soon as the one before is acknowledged.

    As the SDK does, it comes back to the server that it was at or by the proxy, in turn, goes where it is sent, asks for its
    connection by its sealed token, and forgets what was not acknowledged.
    """

    PAUSE = 0.2

    def __init__(self, number, session, proxy_port):
        super().__init__(session)
        self.number, self.proxy_port = number, proxy_port
        # What seals its connection names it.
        self.token = wire.client_token(parts.SECRET, session, name=f"sender {number}")
        self.sent = 0
        self.connection, self.restore, self.stream, self.stream_restore = None, None, None, None
        self.node_port = None
        # What `resume` was refused with last, and whether connection and stream stayed the same where either did not.
        self.refusal, self.changed = None, []
        # The number of the last message that came, and the id of the next request.
        self.received, self.next = 0, 1
        self.joins, self.changes, self.failed_joins = 0, 0, []

    async def run(self):
        while True:
            try:
                await self.enter()
                while True:
                    await self.send()
                    await asyncio.sleep(self.PAUSE)
            except LOST as error:
                self.note(error)
            finally:
                self.close()
            await asyncio.sleep(0.3)

    async def enter(self):
        try:
            await self.join()
        except LOST as error:
            self.failed_joins.append(getattr(error, "code", None) or type(error).__name__)
            raise

    def close(self):
        if self.client:
            self.received, self.next = max(self.received, self.client.confirmed), self.client.next
            self.client.end()
            self.client = None

    async def join(self):
        # The server and the proxy in turn: only another one can say that the session is elsewhere.
        port = self.node_port if self.node_port and self.joins % 2 == 0 else self.proxy_port
        self.joins += 1
        for _ in range(3):
            try:
                return await self.join_at(port)
            except wire.Refused as error:
                if error.code != "elsewhere" or not error.url:
                    raise
                port = urllib.parse.urlsplit(error.url).port
        raise wire.Refused("sentAround")

    async def join_at(self, port):
        members = dict(resumable=True)
        if self.restore:
            members["restore"] = self.restore
        self.close()
        self.client = await wire.Client.open(port, timeout=5)
        self.client.is_kept, self.client.next = False, self.next
        if self.restore and await self.resume():
            return
        joined = await self.client.ask("join", timeout=8, version=1, token=self.token, **members)
        self.client.seq, self.received = 0, 0
        members = dict(restore=self.stream_restore) if self.stream_restore else {}
        published = await wire.publish(self.client, "cam", sender_stats=False, **members)
        self.node_port = port if port != self.proxy_port else None
        connection, stream = joined["connection"]["id"], published["stream"]["id"]
        if self.connection and (connection, stream) != (self.connection, self.stream):
            self.changes += 1
            self.changed.append((self.refusal, connection == self.connection, stream == self.stream))
        self.connection, self.stream = connection, stream
        self.restore = (joined.get("resumption") or {}).get("token")
        self.stream_restore = published.get("restore")

    async def resume(self):
        """Whether the server still had it: then everything is as it was, but for what it had not got."""
        try:
            resumed = await self.client.ask("resume", timeout=8, version=1, token=self.restore, received=self.received)
        except wire.Refused as error:
            self.refusal = error.code
            if error.code in ("unknownResumption", "resumptionOver"):
                return False
            raise
        self.client.seq, self.client.confirmed = resumed["received"], self.received
        return True

    async def send(self):
        mark = self.number * 10_000 + self.sent
        self.sent += 1
        sample = dict(networkCondition="good", bandwidthDemand=mark)
        # Each at a moment of its own, whatever the clock says.
        event = wire.event("cam", sample, captured=int(time.time() * 1000))
        await self.client.ask("telemetry", events=[event], timeout=180)
        self.acknowledged.append(mark)
        self.heard_at = time.monotonic()


class Reporter(Participant):
    """A participant of an observed call of two, who send each other audio; it reports that twice a second.

    As a page does, it has one message under way, and says again what was not acknowledged, with what it has measured meanwhile.
    It comes by the proxy alone, for no one sends it anywhere else.
    """

    INTERVAL = 500  # ms
    # Most reports that wait, and that go together: the server takes 300 of a participant at once, and 20 a second.
    ROOM, BATCH = 100, 20
    PAUSE = 1
    # How long an answer may take: longer than a server waits until what it was sent is stored.
    TIMEOUT = 10
    # What was said is not taken, and would not be if it was said again.
    REFUSED = (400, 413, 429)

    def __init__(self, call, side, proxy_port, requests=None):
        """One of both sides, 0 and 1, of a call; by requests that these threads make, or else by a socket."""
        super().__init__(call)
        self.side, self.proxy_port, self.requests = side, proxy_port, requests
        self.path = f"/v1/calls/{urllib.parse.quote(call, safe='')}/reports"
        self.token = wire.observer_token(parts.SECRET, call, f"participant {side}")
        # What is not acknowledged: reports, each with its number.
        self.waiting = []
        self.measured, self.time = 0, int(time.time() * 1000)
        # Reports that the server has refused.
        self.refused = 0

    async def run(self):
        while True:
            try:
                while True:
                    self.measure()
                    if self.waiting:
                        await self.send()
                    await asyncio.sleep(self.INTERVAL / 1000)
            except LOST as error:
                self.note(error)
            finally:
                self.close()
            await asyncio.sleep(self.PAUSE)

    def measure(self):
        """All that there was to report since the last time, if there is room for it; each at a time of its own."""
        now = time.time() * 1000
        while self.time + self.INTERVAL <= now:
            self.time += self.INTERVAL
            if len(self.waiting) < self.ROOM:
                self.measured += 1
                self.waiting.append((self.measured, dict(time=self.time, report=self.report())))

    def round_trip(self, number):
        """That of a report, us: no other one of the call has it, and it is stored with all that the report says."""
        return 20_000 + 2 * number + self.side

    def report(self):
        own, other, packets = 100 + self.side, 101 - self.side, 25 * self.measured
        entries = [
            dict(id="T", type="transport", selectedCandidatePairId="P"),
            dict(id="P", type="candidate-pair", state="succeeded", nominated=True,
                 currentRoundTripTime=self.round_trip(self.measured) / 1e6, responsesReceived=self.measured),
            dict(id="O", type="outbound-rtp", kind="audio", ssrc=own, packetsSent=packets, bytesSent=80 * packets),
            dict(id="I", type="inbound-rtp", kind="audio", ssrc=other, packetsReceived=packets, packetsLost=0,
                 bytesReceived=80 * packets, jitter=0.002)]
        return [dict(entry, timestamp=self.time) for entry in entries]

    async def send(self):
        sent = self.waiting[:self.BATCH]
        body = dict(client="chaos", reports=[report for _, report in sent])
        answer = await (self.ask(body) if self.requests else self.say(body))
        status = answer["status"]
        is_whole = answer.get("accepted") == len(sent) and not answer.get("restart") and not answer.get("error")
        if status == 200 and is_whole:
            trips = [self.round_trip(number) for number, _ in sent]
            self.acknowledged += [(role, trip) for trip in trips for role in ("publisher", "subscriber")]
            self.heard_at = time.monotonic()
        elif status == 200 or status in self.REFUSED:
            self.refused += len(sent)
        else:
            raise wire.Refused(f"status {status}")
        del self.waiting[:len(sent)]

    async def ask(self, body):
        """The answer to a request."""
        def request():
            return wire.request(self.proxy_port, "POST", self.path, body, token=self.token, timeout=self.TIMEOUT)

        status, _, answer = await asyncio.get_running_loop().run_in_executor(self.requests, request)
        return dict(json.loads(answer) if status == 200 else {}, status=status)

    async def say(self, body):
        """The answer on the socket, which is opened if there is none."""
        if self.client is None:
            self.client = await wire.Client.open(self.proxy_port, timeout=5, path=self.path)
            greeting = await self.exchange(dict(token=self.token))
            if greeting["status"] != 200:
                return greeting
        return await self.exchange(body)

    async def exchange(self, message):
        self.client.writer.write(wire.text(message))
        end = time.monotonic() + self.TIMEOUT
        while self.client.is_open and time.monotonic() < end:
            try:
                answer = await asyncio.wait_for(self.client.events.get(), 0.5)
            except (TimeoutError, asyncio.TimeoutError):
                continue
            # Not that it has come, which is said before where storing it takes long.
            if "status" in answer:
                return answer
        raise wire.Refused("noAnswer" if self.client.is_open else "closed")

    def close(self):
        if self.client:
            self.client.end()
            self.client = None


class Load:
    """Senders, each in a session of its own."""

    def __init__(self, cluster, count):
        self.cluster, self.count, self.senders = cluster, count, []
        self.next = 0

    async def begin(self):
        """New sessions, in place of those that there were."""
        self.senders = []
        for _ in range(self.count):
            self.next += 1
            self.senders += await self.enter(self.next, self.cluster.proxy.port)

    async def enter(self, number, port):
        """Those in a session that begins."""
        session = await asyncio.to_thread(wire.create_session, port, parts.SECRET, "relayed")
        return [Sender(number, session, port)]

    def mark(self, entry):
        """That of a sample that was read: no two of a session are the same."""
        return int(entry["sample"]["bandwidthDemand"])

    async def flows(self, seconds):
        """Waits until each has been acknowledged something from now on."""
        now = time.monotonic()

        async def all_heard():
            return all(sender.heard_at > now for sender in self.senders)

        try:
            await parts.until("every sender is acknowledged something", all_heard, seconds)
        except RuntimeError as error:
            silent = [(s.session, s.faults, s.client is not None) for s in self.senders if s.heard_at <= now]
            raise RuntimeError(f"{error}; not: {silent}") from None

    async def stop(self):
        for sender in self.senders:
            await sender.stop()

    def check(self, read):
        """Compares what was acknowledged with what is read: how many samples are lost, doubled, and of how many."""
        said = {}
        for sender in self.senders:
            said.setdefault(sender.session, set()).update(sender.acknowledged)
        lost = doubled = 0
        for session, acknowledged in said.items():
            stored = [self.mark(entry) for entry in read(session)]
            lost += len(acknowledged.difference(stored))
            doubled += len(stored) - len(set(stored))
        return lost, doubled, sum(len(acknowledged) for acknowledged in said.values())


class ObservedLoad(Load):
    """Reporters, two in each observed call: one comes by requests, the other by a socket."""

    def __init__(self, cluster, count):
        super().__init__(cluster, count)
        # Their own, for a request may wait for long, and what is read is not to wait for that.
        self.requests = concurrent.futures.ThreadPoolExecutor(max_workers=max(1, 2 * count))

    async def enter(self, number, port):
        call = f"observed {number}"
        return [Reporter(call, 0, port, self.requests), Reporter(call, 1, port)]

    def mark(self, entry):
        return entry["flow"]["role"], round(entry["sample"]["roundTripTime"] * 1e6)

    @property
    def refused(self):
        return sum(reporter.refused for reporter in self.senders)


def reader(cluster, port=None):
    """Reads a session's samples, at a server or by the proxy."""

    def read(session):
        entries, cursor = [], None
        path = f"/v1/sessions/{urllib.parse.quote(session, safe='')}/samples"
        while True:
            query = "limit=1000&observer=client" + (f"&cursor={urllib.parse.quote(cursor)}" if cursor else "")
            page = cluster.get(f"{path}?{query}", port=port)
            if not page["samples"]:
                return entries
            entries += page["samples"]
            cursor = page["next"]

    return read


def dump(value):
    return json.dumps(value, sort_keys=True)
