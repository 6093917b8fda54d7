# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Clients that send telemetry while things go wrong, and what they know of what was acknowledged."""

import asyncio
import json
import time
import urllib.parse

import parts
import wire

LOST = (wire.Refused, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError,
        asyncio.TimeoutError)


class Sender:
    """A participant who publishes a relayed stream, and sends a sample as soon as the one before is acknowledged.

    As the SDK does, it comes back to the server that it was at or by the proxy, in turn, goes where it is sent, asks for its
    connection by its sealed token, and forgets what was not acknowledged.
    """

    PAUSE = 0.2

    def __init__(self, number, session, proxy_port):
        self.number, self.session, self.proxy_port = number, session, proxy_port
        # What seals its connection names it.
        self.token = wire.client_token(parts.SECRET, session, name=f"sender {number}")
        self.acknowledged, self.sent = [], 0
        self.connection, self.restore, self.stream, self.stream_restore = None, None, None, None
        self.node_port, self.client = None, None
        # What `resume` was refused with last, and whether connection and stream stayed the same where either did not.
        self.refusal, self.changed = None, []
        # The number of the last message that came, and the id of the next request.
        self.received, self.next = 0, 1
        self.joins, self.changes, self.faults, self.failed_joins = 0, 0, {}, []
        self.heard_at = 0.0
        self.task = asyncio.get_running_loop().create_task(self.run())

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

    def note(self, error):
        text = getattr(error, "code", None) or type(error).__name__
        self.faults[text] = self.faults.get(text, 0) + 1

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

    async def stop(self):
        # A wait that ends as it is cancelled may swallow that.
        while not self.task.done():
            self.task.cancel()
            await asyncio.wait([self.task], timeout=1)


class Load:
    """Senders, each in a session of its own."""

    def __init__(self, cluster, count):
        self.cluster, self.count, self.senders = cluster, count, []
        self.next = 0

    async def begin(self):
        """New sessions, in place of those that there were."""
        port = self.cluster.proxy.port
        self.senders = []
        for _ in range(self.count):
            session = await asyncio.to_thread(wire.create_session, port, parts.SECRET, "relayed")
            self.next += 1
            self.senders.append(Sender(self.next, session, port))

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
        lost = doubled = acknowledged = 0
        for sender in self.senders:
            marks = read(sender.session)
            own = set(marks)
            lost += len(set(sender.acknowledged) - own)
            doubled += len(marks) - len(own)
            acknowledged += len(sender.acknowledged)
        return lost, doubled, acknowledged


def reader(cluster, port=None):
    """Reads the marks of a session's samples, at a server or by the proxy."""

    def read(session):
        marks, cursor = [], None
        while True:
            query = "limit=1000&observer=client" + (f"&cursor={urllib.parse.quote(cursor)}" if cursor else "")
            page = cluster.get(f"/v1/sessions/{session}/samples?{query}", port=port)
            if not page["samples"]:
                return marks
            marks += [int(entry["sample"]["bandwidthDemand"]) for entry in page["samples"]]
            cursor = page["next"]

    return read


def dump(value):
    return json.dumps(value, sort_keys=True)
