# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Attacks of whoever can open a connection: no token is needed."""

import asyncio
import json
import resource
import socket
import threading
import time

import bench
import wire
from attacks import attack
from wire import CONTINUATION, PING, TEXT, frame, text

LARGEST = 2**63 - 1


@attack("C1", "message ids that end at the largest integer", quick=True)
def ids_at_the_end(ctx):
    runs = [range(LARGEST - 1099, LARGEST + 1), range(LARGEST, LARGEST - 1100, -1), range(-(2**63), -(2**63) + 1100)]
    answers = 0
    for ids in runs:
        raw = ctx.raw()
        raw.send(b"".join(text(dict(type="leave", id=id)) for id in ids))
        raw.is_closed(1)
        raw.close()
        answers += 1
    asyncio.run(_ids_after_join(ctx))
    ctx.sent = f"{len(runs)} x 1,100 ids before a join, 1,100 ids and numbers (seq) after one"
    ctx.saw = f"{answers} sockets answered"


async def _ids_after_join(ctx):
    session = ctx.new_session("relayed")
    for resumable in (False, True):
        client = await ctx.join(session, resumable=resumable)
        for number in range(1100):
            message = dict(type="unsubscribe", id=LARGEST - 1099 + number, leg="x")
            if resumable:
                message["seq"] = LARGEST - 1099 + number
            client.writer.write(text(message))
        await asyncio.sleep(1)
        client.end()


@attack("H1a", "ping flood of a client that never reads, before a join", quick=True)
def pings_unread(ctx):
    before, began = ctx.memory(), time.monotonic()
    raws = [ctx.raw(buffer=4096) for _ in range(4)]
    # Empty ones cost the attacker least, long ones fill the way back soonest.
    blocks = [frame(PING) * 4096, frame(PING, b"x" * 125) * 512]

    sent, peak = [0] * len(raws), [before]

    def flood(index):
        sent[index] = raws[index].flood(blocks[index % 2], began + ctx.seconds(6))

    threads = [threading.Thread(target=flood, args=(i,)) for i in range(len(raws))]
    for thread in threads:
        thread.start()
    while any(t.is_alive() for t in threads):
        peak.append(ctx.memory())
        time.sleep(0.2)
    ctx.sent = f"{sum(sent) / 1e6:.1f} MB of pings on 4 sockets in {ctx.seconds(6):.0f} s"
    ctx.saw = f"peak +{max(peak) - before:.0f} MB"
    if max(peak) - before > 64:
        ctx.fault(f"memory rose by {max(peak) - before:.0f} MB while nobody read the pongs")
    for raw in raws:
        raw.close()


@attack("H1b", "a close that waits for a reader: the join's deadline and a full send buffer")
def close_unread(ctx):
    before = ctx.descriptors()
    raws = [ctx.raw(buffer=4096) for _ in range(8)]
    began, block = time.monotonic(), frame(PING, b"x" * 125) * 512
    threads = [threading.Thread(target=raw.flood, args=(block, began + 8)) for raw in raws]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Then a frame now and then, so that the socket never counts as silent.
    for raw in raws:
        raw.socket.setblocking(False)
    while time.monotonic() - began < 16:
        for raw in raws:
            try:
                raw.socket.send(frame(PING))
            except OSError:
                pass
        time.sleep(1)
    left = ctx.descriptors() - before
    ctx.sent = "8 deaf sockets, as many pings as the server reads in 8 s, then one a second"
    ctx.saw = f"{max(0, left)} of 8 sockets open 16 s after the upgrade (deadline 10 s)"
    if left > 2:
        ctx.fault(f"{left} of 8 sockets outlived the join's deadline by 6 s")
    for raw in raws:
        raw.close()


@attack("M1a", "idle sockets that never join, as many as the server takes", limit=60, quick=True)
def idle_sockets(ctx):
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(6000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    raws, refusals, began = [], 0, time.monotonic()
    # They come again as often as they are shut out, for as long as the newcomers come by.
    while time.monotonic() - began < ctx.seconds(9) and refusals < 300:
        try:
            if len(raws) < 5200:
                raws.append(ctx.raw(timeout=1))
            else:
                time.sleep(0.05)
        except (OSError, wire.Refused):
            refusals += 1
    ctx.sent = f"{len(raws) + refusals:,} upgrades from one address in {ctx.seconds(9):.0f} s"
    held = sum(1 for raw in raws if not raw.is_closed())
    ctx.saw = f"{len(raws):,} taken, {refusals:,} refused, {held:,} still open"
    for raw in raws:
        raw.close()


@attack("M1b", "large frames before a join", quick=True)
def large_frames(ctx):
    before, peak = ctx.memory(), 0
    size, raws, taken = 1 << 20, [], 0
    head = frame(TEXT, b"x" * size)[:14]
    for _ in range(150):
        try:
            raw = ctx.raw()
        except (OSError, wire.Refused):
            break
        raw.socket.settimeout(0.5)
        # All but the last byte: the frame never ends.
        taken += raw.send(head + b"x" * (size - 1))
        raws.append(raw)
        peak = max(peak, ctx.memory())
    ctx.sent = f"{len(raws)} sockets with 1 MB of an unfinished frame each"
    ctx.saw = f"{taken} taken to the last byte, peak +{peak - before:.0f} MB"
    if peak - before > 48:
        ctx.fault(f"memory rose by {peak - before:.0f} MB before anybody joined")
    for raw in raws:
        raw.close()


@attack("M1c", "endless empty fragments before a join", quick=True)
def empty_fragments(ctx):
    began = time.monotonic()
    raws = [ctx.raw() for _ in range(4)]
    sent, block = [0] * 4, frame(CONTINUATION, fin=False) * 8192

    def flood(index):
        raws[index].send(frame(TEXT, fin=False))
        sent[index] = raws[index].flood(block, began + ctx.seconds(8))

    process = bench.Load(ctx.pid)
    threads = [threading.Thread(target=flood, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load = process.share()
    ctx.sent = f"{sum(sent) // 6:,} empty fragments on 4 sockets in {ctx.seconds(8):.0f} s"
    ctx.saw = f"server busy {load:.0%} of a core"
    # The kernel's buffers take some megabytes a socket that nobody has read.
    if load > 0.5 or sum(sent) > 4 * (8 << 20):
        ctx.fault(f"{sum(sent) // 6:,} fragments of one message each were read")
    for raw in raws:
        raw.close()


@attack("M1d", "packed messages that are 500 times as long when they are unpacked, before a join", quick=True)
def packed_messages(ctx):
    before, peak = ctx.memory(), 0
    block = wire.packed([b" " * 16384] * 1600)
    offer = [("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")]
    raws = [ctx.raw(headers=offer) for _ in range(100)]
    for raw in raws:
        raw.socket.settimeout(0.2)
        raw.send(block)
    until = time.monotonic() + ctx.seconds(6)
    while time.monotonic() < until:
        peak = max(peak, ctx.memory())
        time.sleep(0.05)
    ctx.sent = f"{len(raws)} sockets with {len(block) / 1e3:.0f} kB each, {16384 * 1600 / 1e6:.0f} MB unpacked"
    ctx.saw = f"peak +{peak - before:.0f} MB"
    if peak - before > 48:
        ctx.fault(f"memory rose by {peak - before:.0f} MB before anybody joined")
    for raw in raws:
        raw.close()


@attack("M2a", "request bodies that come a byte at a time")
def slow_bodies(ctx):
    head = (
        f"POST /v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 16000\r\n\r\n"
    ).encode()
    sockets = [_connect(ctx) for _ in range(100)]
    sockets = [s for s in sockets if s]
    began = time.monotonic()
    for s in sockets:
        _send(s, head)
    while time.monotonic() - began < 16:
        for s in sockets:
            _send(s, b" ")
        time.sleep(1)
    left = sum(1 for s in sockets if not _is_closed(s))
    ctx.sent = f"{len(sockets)} bodies at a byte a second"
    ctx.saw = f"{left} still open after 16 s"
    if left:
        ctx.fault(f"{left} of {len(sockets)} requests were still waited for after 16 s")
    for s in sockets:
        s.close()


@attack("M2b", "huge heads", quick=True)
def huge_heads(ctx):
    before, peak, taken, answers = ctx.memory(), 0, 0, {}
    line = b"X-Padding: " + b"x" * 1000 + b"\r\n"
    sockets = []
    for _ in range(40):
        s = _connect(ctx)
        if not s:
            continue
        _send(s, b"GET /livez HTTP/1.1\r\nHost: x\r\n")
        count = 0
        while count < 1900 and _send(s, line * 50):
            count += 50
        taken += count * len(line)
        sockets.append(s)
        peak = max(peak, ctx.memory())
    for s in sockets:
        s.settimeout(0.05)
        try:
            word = s.recv(64).split(b"\r\n")[0].decode(errors="replace") or "closed"
        except TimeoutError:
            word = "waits"
        except OSError:
            word = "closed"
        answers[word] = answers.get(word, 0) + 1
        s.close()
    ctx.sent = f"{len(sockets)} heads of up to 1.9 MB"
    ctx.saw = f"{taken / 1e6:.1f} MB taken, peak +{peak - before:.0f} MB; {answers}"
    if answers.get("waits", 0) > 2:
        ctx.fault(f"{answers['waits']} heads of 1.9 MB were read and waited for")


@attack("M2c", "thousands of HTTP connections", limit=60, quick=True)
def many_connections(ctx):
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(6000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    before, sockets, began = ctx.descriptors(), [], time.monotonic()
    while len(sockets) < 4000 and time.monotonic() - began < ctx.seconds(8):
        s = _connect(ctx)
        if s:
            _send(s, b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            sockets.append(s)
    time.sleep(2)
    held = ctx.descriptors() - before
    ctx.sent = f"{len(sockets):,} connections from one address, a request each"
    ctx.saw = f"{held:,} held by the server"
    if held > 2000:
        ctx.fault(f"{held:,} connections of one address were held at once")
    for s in sockets:
        s.close()


@attack("CSRF", "a page of another origin opens a socket", quick=True)
def foreign_origin(ctx):
    async def attempt():
        try:
            client = await wire.Client.open(ctx.port, ctx.address, [("Origin", "https://evil.example")])
        except wire.Refused as error:
            return str(error)
        except asyncio.IncompleteReadError:
            return "closed without an answer"
        client.end()
        return None

    refusal = asyncio.run(attempt())
    ctx.sent = "an upgrade with the Origin https://evil.example"
    ctx.saw = f"refused: {refusal}" if refusal else "upgraded"
    if not refusal:
        ctx.fault("a foreign page may open sockets")


def _connect(ctx):
    s = socket.socket()
    s.settimeout(1)
    try:
        s.bind((ctx.address, 0))
        s.connect((wire.HOST, ctx.port))
        return s
    except OSError:
        s.close()
        return None


def _send(s, data):
    try:
        s.sendall(data)
        return True
    except OSError:
        return False


def _is_closed(s):
    s.settimeout(0.01)
    try:
        while True:
            if not s.recv(1 << 16):
                return True
    except TimeoutError:
        return False
    except OSError:
        return True
