# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Attacks of whoever has a leg of the router, which a token of the lowest kind gives: by ICE, DTLS and SRTP."""

import asyncio
import collections
import os
import random
import re
import socket
import struct
import time

import bench
import wire
from attacks import attack, rhythm
from wire import check


class Leg(asyncio.DatagramProtocol):
    """The client's end of a leg, on a socket of its own. It answers the router's checks; all else is done when it is asked."""

    def __init__(self, client, name, certificate):
        self.client, self.name, self.certificate = client, name, certificate
        self.transport = self.keeper = self.connection = None
        # The router's checks that have come, and its answers to those of this end.
        self.checks = self.answers = 0
        self.came = asyncio.Event()

    @classmethod
    async def publish(cls, ctx, client, name="x", certificate=None, replaces=None):
        """A leg of a new stream, or in the place of another one. With a certificate it can have keys."""
        leg = cls(client, name, certificate)
        if replaces:
            answer = await client.ask("replace", leg=name, replaces=replaces, offer=leg.offer())
        else:
            answer = await wire.publish(client, name, leg.offer())
        leg.fragment, leg.password = (
            re.search(f"a=ice-{member}:(\\S+)", answer["answer"])[1] for member in ("ufrag", "pwd"))
        leg.username = f"{leg.fragment}:{wire.FRAGMENT}"
        leg.place = await leg._place()
        await asyncio.get_running_loop().create_datagram_endpoint(lambda: leg, local_addr=(ctx.address, 0))
        return leg

    async def _place(self):
        """Where the router hears the leg's datagrams."""
        while True:
            event = await self.client.event("candidate", 5)
            words = event["candidate"].split()
            if event["leg"] == self.name and words[2].lower() == "udp" and "." in words[4]:
                return words[4], int(words[5])

    def offer(self, **credentials):
        """An offer of this leg, whose client begins the handshake."""
        fingerprint = self.certificate.fingerprint if self.certificate else wire.FINGERPRINT
        return wire.offer(setup="active", fingerprint=fingerprint, **credentials)

    def end(self):
        if self.keeper:
            self.keeper.cancel()
        self.transport.close()

    # Datagrams

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, source):
        if data[:2] == b"\0\1":
            self.checks += 1
            self.transport.sendto(wire.check_answer(data, source), source)
        elif data[:2] == b"\1\1":
            self.answers += 1
        elif self.connection and data and 20 <= data[0] < 64:
            self.connection.receive(data)
        self.came.set()

    def error_received(self, error):
        pass

    def send(self, *parts):
        """One datagram."""
        self.transport.sendto(b"".join(parts), self.place)

    async def until(self, is_so, seconds=5):
        """Waits for what comes to make something so."""
        async with asyncio.timeout(seconds):
            while not is_so():
                self.came.clear()
                await self.came.wait()

    # Steps

    async def connect(self):
        """Connects by ICE, and stays so."""
        self.keeper = asyncio.create_task(self._keep())
        await self.until(lambda: self.checks and self.answers > 2)

    async def _keep(self):
        while True:
            self.send(check(self.username, self.password, (wire.USE_CANDIDATE, b"")))
            await asyncio.sleep(0.05 if self.answers < 5 else 0.5)

    async def checked(self):
        """Waits until the router has read everything that was sent."""
        before = self.answers
        self.send(check(self.username, self.password))
        await self.until(lambda: self.answers > before, 10)

    async def greet(self, **options):
        """Begins a handshake; the router has answered afterwards."""
        import dtls

        self.connection = dtls.Connection(self.certificate, **options)
        self.send(self.connection.hello())
        await self.until(lambda: self.connection.is_greeted or self.connection.alerts)

    async def finish(self):
        """Ends the handshake as it should be."""
        self.send(*self.connection.answer(), self.connection.change(), self.connection.finished())
        await self.until(lambda: self.connection.is_connected)


async def new_leg(ctx, name="mallory", **options):
    """A leg of a new client in a session of its own, as far as ICE."""
    import dtls

    client = await ctx.join(ctx.new_session(), name=name, **options)
    leg = await Leg.publish(ctx, client, certificate=dtls.Certificate())
    await leg.connect()
    return leg


async def connected_leg(ctx, name="mallory", **options):
    """Such a leg with keys."""
    leg = await new_leg(ctx, name, **options)
    await leg.greet()
    await leg.finish()
    return leg


def leave(*legs):
    for leg in legs:
        leg.client.end()
        leg.end()


# Attributes that libwebrtc has beside those of the standard (`stun.h`).
NETWORK, MISC, RETRANSMISSIONS = 0xC057, 0xC059, 0xFF00


def hidden(type, value):
    """An attribute inside another one: libwebrtc takes four bytes for a number, whatever length is written."""
    return RETRANSMISSIONS, bytes(4) + wire.attribute(type, value)


@attack("H3f", "connectivity checks with the leg's own password, at which libwebrtc aborts", limit=60, quick=True)
async def aborting_checks(ctx):
    leg = await Leg.publish(ctx, await ctx.join(ctx.new_session()))
    name, unnamed, costly = leg.username, f"{leg.fragment}:", struct.pack("!HH", 1, 10_000)
    checks = [
        check(unnamed, leg.password), check(leg.fragment, leg.password), check(f":{wire.FRAGMENT}", leg.password),
        check(name, leg.password, (NETWORK, b"\0\1\3\x84")), check(name, leg.password, (NETWORK, b"\0\1\3\xe8")),
        check(name, leg.password, (MISC, b"")),
        # The same where only libwebrtc finds it.
        check(name, leg.password, hidden(NETWORK, costly)), check(name, leg.password, hidden(MISC, b"")),
        check(name, leg.password, first=[hidden(wire.USERNAME, unnamed.encode())]),
    ]
    answered = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as known:
        answered += _is_answered(known, leg.place, check(name, leg.password))
        # libwebrtc reads checks of an address that it knows elsewhere than those of one that it does not know.
        for datagram in checks * 3:
            answered += _is_answered(known, leg.place, datagram)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unknown:
                answered += _is_answered(unknown, leg.place, datagram)
    leave(leg)
    ctx.sent = f"{6 * len(checks) + 1} checks to a leg of its own"
    ctx.saw = f"{answered} of them answered"
    if not answered:
        ctx.fault("no check was taken for the client's: the attack shows nothing")


def _is_answered(sender, place, datagram):
    sender.settimeout(0.2)
    sender.sendto(datagram, place)
    try:
        return sender.recv(1500)[:2] == b"\1\1"
    except TimeoutError:
        return False


@attack("H3g", "handshakes that fail or have data and alerts in them, and junk, beside well-behaved legs", limit=90, quick=True)
async def broken_handshakes(ctx):
    seed, records = int.from_bytes(os.urandom(4), "big"), 2000
    neighbours, kept, looks = [], 0, 0

    async def look(after):
        nonlocal kept, looks
        well = [each for each in neighbours if await _is_well(each)]
        lost = [each for each in neighbours if each not in well]
        kept, looks = kept + len(well), looks + len(neighbours)
        if lost:
            ctx.fault(f"{len(lost)} of {len(neighbours)} well-behaved legs lost their connection after {after}")
        leave(*lost)
        # Each look is at as many.
        neighbours[:] = well + [await connected_leg(ctx, "neighbour", source=wire.HOST) for _ in range(3 - len(well))]

    # The first look makes them, and the second one shows what it finds without an attack.
    await look("nothing")
    await look("nothing")
    failed = []
    for how in ("refused", "without a common cipher", "left"):
        failed.append(await _fail(ctx, how))
        await look(f"a handshake that was {how}")
    # A connection that failed is taken down otherwise than one that did not.
    leave(*failed)
    await look("failed legs that left")
    await _junk(ctx, random.Random(seed), records)
    await look("junk")
    between = await _between(ctx)
    await look("data and alerts in a handshake")
    leave(*neighbours)
    ctx.sent = f"3 handshakes that fail, {between} with data and alerts in them, {records:,} times junk (seed {seed})"
    ctx.saw = f"well-behaved legs had their connection in {kept} of {looks} cases"


async def _is_well(neighbour):
    """Whether a well-behaved leg has its connection still, when its client says its last message again, as after a loss."""
    before = neighbour.connection.finished_records
    # As may come from anyone who writes another sender's address.
    neighbour.send(b"\x16\xfe\xfd", bytes(8), b"\0\x10", os.urandom(16))
    neighbour.send(neighbour.connection.finished())
    try:
        await neighbour.until(lambda: neighbour.connection.finished_records > before, 3)
        await asyncio.sleep(0.1)
    except TimeoutError:
        return False
    events = [neighbour.client.events.get_nowait()["type"] for _ in range(neighbour.client.events.qsize())]
    return not neighbour.connection.alerts and not {"restartICE", "mediaLost"} & set(events)


async def _fail(ctx, how):
    """A leg whose handshake does not end well; its client is there still, unless it has left in the middle of it."""
    import dtls

    leg = await new_leg(ctx)
    if how == "refused":
        await leg.greet()
        leg.send(leg.connection.alert(dtls.FATAL, dtls.HANDSHAKE_FAILURE))
    elif how == "left":
        await leg.greet()
        leg.client.end()
    else:
        await leg.greet(suite=dtls.NULL_WITH_MD5)
    await asyncio.sleep(0.5)
    return leg


async def _junk(ctx, made, count):
    """Datagrams with records of all kinds, lengths and epochs to a leg with keys."""
    leg = await connected_leg(ctx)
    async for _ in rhythm(1000, count / 1000):
        records = []
        for _ in range(made.choice([1, 1, 3])):
            body = made.randbytes(made.choice([0, 1, 2, 12, 25, 60, 300]))
            length = made.choice([len(body), len(body), made.randrange(65_536)])
            number = struct.pack("!HHI", made.randrange(3), 0, made.randrange(1 << 16))
            records.append(bytes([made.randrange(20, 26)]) + b"\xfe\xfd" + number + struct.pack("!H", length) + body)
        leg.send(*records)
    leave(leg)


async def _between(ctx):
    """Handshakes with data and alerts after the change of ciphers and before the last message; how many there were."""
    import dtls

    data = (dtls.APPLICATION_DATA, b"x")
    extras = [
        [(dtls.APPLICATION_DATA, b"")], [(dtls.APPLICATION_DATA, bytes(16_384))], [data, data, data],
        [data, (dtls.ALERT, bytes([dtls.WARNING, dtls.USER_CANCELED]))],
        [data, (dtls.ALERT, bytes([dtls.WARNING, dtls.CLOSE_NOTIFY]))],
    ]
    for extra in extras:
        leg = await new_leg(ctx)
        await leg.greet()
        leg.send(*leg.connection.answer())
        leg.send(leg.connection.change())
        finished = leg.connection.finished()
        for type, body in extra:
            leg.send(leg.connection.record(type, body))
        leg.send(finished)
        await asyncio.sleep(0.3)
        leave(leg)
    return len(extras)


# What share of a core datagrams of one leg may keep the router busy with, whose network thread all legs share.
BUSIEST = 0.5


@attack("H3h", "packets of ever new SSRCs with the leg's own keys, and one of them again and again", limit=90)
async def endless_sources(ctx):
    leg = await connected_leg(ctx)
    protection = leg.connection.srtp()
    first, sent, repeats = protection.packet(1, 777), 0, 0
    leg.send(first)
    load = bench.Load(ctx.router)
    async for number in rhythm(4000, ctx.seconds(20)):
        leg.send(protection.packet(1, 1_000_000 + number))
        sent += 1
        if sent % 100 == 0:
            await leg.checked()
    flood, load = load.share(), bench.Load(ctx.router)
    async for _ in rhythm(1000, ctx.seconds(8)):
        leg.send(first)
        repeats += 1
    replay = load.share()
    leave(leg)
    ctx.sent = (
        f"packets of {sent:,} SSRCs in {ctx.seconds(20):.0f} s, then one of them {repeats:,} times in {ctx.seconds(8):.0f} s")
    ctx.saw = f"router busy {flood:.0%}, then {replay:.0%} of a core"
    if replay > BUSIEST:
        ctx.fault(f"{repeats / ctx.seconds(8):,.0f} packets a second keep the router busy {replay:.0%} of a core")


# What a leg may take of the router's descriptors, two for each restart, and how often it may restart before it is ended.
MOST_DESCRIPTORS, MOST_RESTARTS = 64, 30


@attack("H3i", "ICE restarts without end, and checks from ever new ports with the leg's own password", limit=120)
async def endless_paths(ctx):
    seconds = ctx.seconds(30)
    restarts = await _restarts(ctx, seconds)
    checks = await _new_ports(ctx, seconds)
    ctx.sent = f"{restarts} ICE restarts and {checks:,} checks from as many ports, in {seconds:.0f} s each"


async def _restarts(ctx, seconds):
    """Restarts as fast as offers are taken; how many there were. A new leg takes the place of one that the router ends."""
    before = most = ctx.descriptors(ctx.router)
    leg = await connected_leg(ctx)
    lengths, refusals = [0], collections.Counter()
    until = time.monotonic() + seconds
    while time.monotonic() < until and leg.client.is_open:
        sdp = leg.offer(fragment=f"u{sum(lengths):05}", password=f"{sum(lengths):024}")
        try:
            await leg.client.ask("offer", leg=leg.name, offer=sdp)
            lengths[-1] += 1
        except wire.Refused as refusal:
            refusals[refusal.code] += 1
            # Offers of a client are taken at a pace, too.
            if await _is_lost(leg):
                leg = await _successor(ctx, leg, len(lengths))
                lengths.append(0)
        most = max(most, ctx.descriptors(ctx.router))
    leave(leg)
    ends = ", ".join(map(str, lengths[:-1]))
    ended = f"legs were ended after {ends} restarts" if ends else "no leg was ended"
    ctx.saw = f"{ended}, refused: {dict(refusals) or 'none'}, at most {most - before} descriptors more"
    if most - before > MOST_DESCRIPTORS:
        ctx.fault(f"one leg's ICE restarts took {most - before} descriptors of the router")
    if max(lengths) > MOST_RESTARTS:
        ctx.fault(f"one leg restarted {max(lengths)} times")
    return sum(lengths)


async def _is_lost(leg):
    """Whether the client is sent soon that the leg has ended."""
    try:
        await leg.client.event("mediaLost", 0.2)
        return True
    except TimeoutError:
        return False


async def _successor(ctx, leg, number):
    """A leg in the place of one that has ended."""
    new = await Leg.publish(ctx, leg.client, f"x{number}", leg.certificate, replaces=leg.name)
    leg.end()
    await new.connect()
    await new.greet()
    await new.finish()
    return new


async def _new_ports(ctx, seconds):
    """Two hundred checks a second; how many were sent."""
    leg = await connected_leg(ctx)
    sent, load = 0, bench.Load(ctx.router)
    async for number in rhythm(200, seconds):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind((f"127.0.{10 + number // 20_000}.{1 + number // 200 % 100}", 0))
            sender.sendto(check(leg.username, leg.password), leg.place)
        sent += 1
    busy = load.share()
    leave(leg)
    ctx.saw += f"; router busy {busy:.0%} of a core with checks"
    if busy > BUSIEST:
        ctx.fault(f"{sent / seconds:,.0f} checks a second keep the router busy {busy:.0%} of a core")
    return sent
