# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Attacks of whoever has a token of the lowest kind, on the others in its session and on the server."""

import asyncio
import collections
import json
import resource
import time

import wire
from attacks import attack, rhythm
from wire import event, offer


@attack("H2", "a sample with a megabyte of text, which every subscriber would get each second", quick=True)
async def long_strings(ctx):
    session = ctx.new_session()
    publisher = await ctx.join(session)
    published = await wire.publish(publisher, "cam", offer())
    audience, _ = await ctx.join_many(20, session, "subscriber", at_once=5)
    for client in audience:
        client.is_kept = False
        await wire.subscribe(client, "s", published["stream"]["id"], offer("recvonly"))
    refused, taken, big = 0, 0, "x" * 900_000
    first = [client.received for client in audience]
    members = ["networkCondition", "networkConditionReason", "remoteNetworkCondition", "remoteNetworkConditionReason",
               "networkDegradationSource"]
    samples = [{name: big} for name in members]
    samples += [dict(video=dict(qualityLimitationReason=big)), dict(diagnosis=dict(cause=big))]
    for sample in samples:
        try:
            await publisher.ask("telemetry", events=[event("cam", sample)], timeout=5)
            taken += 1
        except wire.Refused:
            refused += 1
            if not publisher.is_open:
                publisher = await ctx.join(session)
                await wire.publish(publisher, "cam", offer())
    before, began = sum(c.received for c in audience), time.monotonic()
    await asyncio.sleep(5)
    rate = (sum(c.received for c in audience) - before) / (time.monotonic() - began) / len(audience)
    most = max(client.received - before for client, before in zip(audience, first))
    for client in [publisher, *audience]:
        client.end()
    ctx.sent = f"{len(samples)} samples of 0.9 MB, {len(audience)} subscribers"
    ctx.saw = (f"{taken} taken as words that are not known, {refused} refused; a subscriber got {most / 1000:,.1f} kB in "
               f"all, then {rate / 1000:,.1f} kB/s")
    if rate > 20_000:
        ctx.fault(f"each subscriber gets {rate / 1000:,.0f} kB/s of one message")
    # A newer client's word may be unknown here, and is taken as such; its text goes to no one.
    if most > len(big) / 10:
        ctx.fault(f"a subscriber got {most / 1000:,.0f} kB")
    if taken + refused < len(samples):
        ctx.fault(f"{len(samples) - taken - refused} of {len(samples)} such samples were not answered")


@attack("H3a", "one token takes every leg of the router", limit=120)
async def every_leg(ctx):
    token = ctx.token(role="subscriber")
    clients, refusals = await ctx.join_many(4, ctx.session, "subscriber", token)
    for client in clients:
        client.is_kept = False
    taken, codes, sdp, began = 0, {}, offer("recvonly"), time.monotonic()
    for number in range(256):
        for client in clients:
            try:
                await wire.subscribe(client, f"s{number}", ctx.stream, sdp)
                taken += 1
            except wire.Refused as error:
                codes[error.code] = codes.get(error.code, 0) + 1
        if sum(codes.values()) > 100 or time.monotonic() - began > 40:
            break
    ctx.sent = "4 sockets of one token, 256 subscriptions each to one stream"
    ctx.saw = f"{len(clients)} sockets let in, {taken} legs made, refused: {codes or 'none'}"
    if taken > 16:
        ctx.fault(f"one token made {taken} legs to one stream")
    # Newcomers come by meanwhile.
    await asyncio.sleep(5)
    for client in clients:
        client.end()


@attack("H3b", "one token fills its session")
async def full_session(ctx):
    token = ctx.token(role="subscriber")
    clients, refusals = await ctx.join_many(200, ctx.session, "subscriber", token, is_listening=False)
    ctx.sent = "200 sockets of one token"
    ctx.saw = f"{len(clients)} let in, refused: {refusals or 'none'}"
    if len(clients) > 20:
        ctx.fault(f"one token was {len(clients)} clients at once")
    await asyncio.sleep(5)
    for client in clients:
        client.end()


@attack("H3c", "offers of 128 KB at the allowed pace until the router's backlog counts as stuck", limit=90)
async def stuck_router(ctx):
    _, _, health = await asyncio.to_thread(wire.request, ctx.port, "GET", "/readyz")
    before = json.loads(health)["routerRestarts"]
    session = ctx.new_session()
    clients, _ = await ctx.join_many(30, session, at_once=5)
    ready = []
    for client in clients:
        client.is_kept = False
        try:
            await wire.publish(client, "cam", offer(), timeout=10)
            ready.append(client)
        except wire.Refused:
            pass
    large, sent = offer(padding=60_000), 0
    async for number in rhythm(40 * max(1, len(ready)), 10):
        client = ready[number % len(ready)] if ready else None
        if client and client.is_open:
            client.send("offer", leg="cam", offer=large)
            sent += 1
            if number % 20 == 0:
                await asyncio.sleep(0)
    await asyncio.sleep(3)
    for client in clients:
        client.end()
    _, _, health = await asyncio.to_thread(wire.request, ctx.port, "GET", "/readyz")
    after = json.loads(health)["routerRestarts"]
    ctx.sent = f"{sent:,} offers of 60 KB on {len(ready)} legs in 10 s"
    ctx.saw = f"router restarts: {after - before}"
    if after != before:
        ctx.fault("the media router was ended")


def fatal_offers(direction):
    """First offers that libwebrtc would abort at, or break off in the middle of, and later ones."""
    first = offer(direction)
    audio, video = first.split("m=video")
    exchanged = audio.replace("2371005963", "1001") + "m=video" + video.replace("1001", "2371005963")
    rejected = first.replace("m=audio 9", "m=audio 0").replace("m=video 9", "m=video 0")
    again = first.replace("m=audio 9", "m=audio 0").replace("BUNDLE 0 1", "BUNDLE 1")
    moved = first.replace("extmap:4 urn", "extmap:5 urn")
    without = first.replace("a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid\r\n", "")
    return [
        [first.replace("actpass", "holdconn")],
        [first, first.replace("actpass", "holdconn")],
        [first, rejected, again, first],
        [first, exchanged, first],
        [first, without, moved, first],
    ]


@attack("H3e", "sequences of offers at which libwebrtc aborts, or breaks off", limit=60, quick=True)
async def aborting_offers(ctx):
    sent, answers, own = 0, collections.Counter(), ctx.new_session()
    for direction, session, role in (("sendonly", own, "publisher"), ("recvonly", None, "subscriber")):
        for offers in fatal_offers(direction):
            client = await ctx.join(session, role)
            for place, sdp in enumerate(offers):
                try:
                    if place:
                        await client.ask("offer", leg="x", offer=sdp)
                    elif direction == "sendonly":
                        await wire.publish(client, "x", sdp)
                    else:
                        await wire.subscribe(client, "x", ctx.stream, sdp)
                    answers["answered"] += 1
                except wire.Refused as refusal:
                    answers[refusal.code] += 1
                sent += 1
            client.end()
    ctx.sent = f"{sent} offers of publishers and subscribers"
    ctx.saw = ", ".join(f"{name}: {count}" for name, count in sorted(answers.items()))


@attack("H3d", "one token each of 30 sessions, to take every place of the server", limit=150)
async def every_place(ctx):
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    total, refusals, kept, began = 0, {}, [], time.monotonic()
    for number in range(30):
        session = ctx.new_session("relayed")
        clients, codes = await ctx.join_many(
            200, session, "subscriber", ctx.token(session, "subscriber"), at_once=40, is_listening=False,
            source=f"127.0.1.{number + 1}")
        kept += clients
        total += len(clients)
        for code, count in codes.items():
            refusals[code] = refusals.get(code, 0) + count
        if time.monotonic() - began > 45 or sum(refusals.values()) > 2500:
            break
    ctx.sent = f"{total + sum(refusals.values()):,} joins of 30 tokens from 30 addresses"
    ctx.saw = f"{total:,} let in, refused: {refusals or 'none'}"
    await asyncio.sleep(5)
    for client in kept:
        client.end()


@attack("H4a", "the network quality of a large session, asked for again and again", limit=90)
async def costly_question(ctx):
    session = ctx.new_session("relayed")
    members, _ = await ctx.join_many(80, session, at_once=10)
    for client in members:
        client.is_kept = False
        for leg in range(4):
            await wire.publish(client, f"cam{leg}")
            await client.ask("telemetry", events=[event(f"cam{leg}", dict(
                networkCondition="good", levels=dict(audio=dict(level="three"), video=dict(level="four"))))])
    asking = [await ctx.join(session, "subscriber") for _ in range(4)]
    sent = 0
    async for number in rhythm(200 * len(asking), 8):
        client = asking[number % len(asking)]
        client.is_kept = False
        if client.is_open:
            client.send("networkQuality", remote="detailed")
            sent += 1
    await asyncio.sleep(1)
    ctx.sent = f"{sent:,} questions of 4 clients in 8 s, {len(members)} members with 4 streams each"
    ctx.saw = f"{sum(c.is_open for c in asking)} of 4 still in"
    for client in members + asking:
        client.end()


@attack("H4b", "changes of a stream that everyone has to be notified of", limit=90)
async def broadcast_flood(ctx):
    session = ctx.new_session("relayed")
    members, _ = await ctx.join_many(150, session, "subscriber", at_once=10)
    for client in members:
        client.is_kept = False
    loud = await ctx.join(session)
    loud.is_kept = False
    await wire.publish(loud, "cam")
    before, sent = sum(c.received for c in members), 0
    async for number in rhythm(200, 8):
        if loud.is_open:
            loud.send("update", leg="cam", content=dict(wire.CONTENT, name=f"camera {number}"))
            sent += 1
    await asyncio.sleep(1)
    delivered = (sum(c.received for c in members) - before) / 1e6
    ctx.sent = f"{sent:,} updates in 8 s to {len(members)} members"
    ctx.saw = f"{delivered:.1f} MB sent to the members"
    for client in members + [loud]:
        client.end()


@attack("H4c", "raw reports as many as the pace allows", limit=60)
async def report_flood(ctx):
    session = ctx.new_session("relayed")
    clients, _ = await ctx.join_many(4, session)
    for client in clients:
        client.is_kept = False
        await wire.publish(client, "cam")
    sent = 0
    async for number in rhythm(200 * len(clients), 8):
        client = clients[number % len(clients)]
        if not client.is_open:
            continue
        now = time.time() * 1000
        report = [
            dict(id="O", type="outbound-rtp", timestamp=now, kind="video", ssrc=1, packetsSent=number, bytesSent=number * 900,
                 mediaType="video", framesSent=number),
            dict(id="R", type="remote-inbound-rtp", timestamp=now, kind="video", ssrc=1, localId="O", packetsLost=number // 9,
                 fractionLost=0.1, roundTripTime=0.2),
        ]
        client.send("telemetry", events=[event("cam", report=report, captured=now + n / 10) for n in range(32)])
        sent += 32
        await asyncio.sleep(0)
    await asyncio.sleep(1)
    ctx.sent = f"{sent:,} reports of {len(clients)} clients in 8 s"
    ctx.saw = f"{sum(c.is_open for c in clients)} of {len(clients)} still in"
    for client in clients:
        client.end()


async def relayed_pair(ctx, **victim):
    """A publisher that attacks and a subscriber that does not."""
    session = ctx.new_session("relayed")
    publisher = await ctx.join(session)
    stream = (await wire.publish(publisher, "cam"))["stream"]["id"]
    subscriber = await ctx.join(session, "subscriber", "victim", source=wire.HOST, **victim)
    await wire.subscribe(subscriber, "sub", stream)
    while True:
        routes = await publisher.event("routes")
        if routes.get("subscribers"):
            break
    publisher.is_kept = False
    return publisher, subscriber, stream, routes["subscribers"][0]["subscriberId"]


@attack("M3a", "relay offers until the victim has no names left", limit=90)
async def names_used_up(ctx):
    publisher, victim, stream, id = await relayed_pair(ctx)
    sent = 0
    async for number in rhythm(240, 42):
        if not publisher.is_open:
            break
        publisher.send("relay", leg=f"d{number}", publication="cam", subscriberId=id, offer="x")
        sent += 1
        if sent > 8400:
            break
    await asyncio.sleep(3)
    delivered = victim.events.qsize()
    ctx.sent = f"{sent:,} relay offers to one subscriber"
    ctx.saw = f"victim was sent {delivered:,}"
    if delivered > 500:
        ctx.fault(f"the victim was made to take {delivered:,} offers")
    # A client subscribes to a stream once.
    await victim.ask("unsubscribe", leg="sub")
    try:
        await wire.subscribe(victim, "another", stream)
    except wire.Refused as error:
        ctx.saw += f", its next request: {error.code}"
        ctx.fault(f"the victim's own subscribe was refused: {error}")
    victim.end()
    publisher.end()


@attack("M3b", "many subscriptions to one relayed stream", limit=60)
async def many_copies(ctx):
    session = ctx.new_session("relayed")
    victim = await ctx.join(session, name="victim", source=wire.HOST)
    stream = (await wire.publish(victim, "cam"))["stream"]["id"]
    client = await ctx.join(session, "subscriber")
    client.is_kept = False
    taken, codes = 0, {}
    for number in range(256):
        try:
            await wire.subscribe(client, f"s{number}", stream)
            taken += 1
        except wire.Refused as error:
            codes[error.code] = codes.get(error.code, 0) + 1
    await asyncio.sleep(1)
    asked = 0
    while not victim.events.empty():
        asked = max(asked, len(victim.events.get_nowait().get("subscribers", [])))
    ctx.sent = "256 subscriptions of one client to one stream"
    ctx.saw = f"{taken} taken, refused: {codes or 'none'}; the publisher is to make {asked} connections"
    if asked > 2:
        ctx.fault(f"one client made the publisher connect {asked} times")
    victim.end()
    client.end()


@attack("M3c", "large offers to a victim that reads slowly", limit=60)
async def slow_victim(ctx):
    publisher, victim, stream, id = await relayed_pair(ctx)
    victim.reader._transport.pause_reading()
    large, sent = "x" * 130_000, 0
    async for number in rhythm(40, 8):
        if not publisher.is_open:
            break
        publisher.send("relay", leg=f"d{number}", publication="cam", subscriberId=id, offer=large)
        sent += 1
    victim.reader._transport.resume_reading()
    await asyncio.sleep(2)
    ctx.sent = f"{sent} offers of 130 KB in 8 s"
    ctx.saw = f"victim got {victim.received / 1e6:.1f} MB and is {'in' if victim.is_open else 'out'}"
    if not victim.is_open:
        ctx.fault("the victim was cut off for what the attacker sent")
    victim.end()
    publisher.end()


@attack("M3d", "connections that are said to be lost, again and again", limit=60)
async def lost_legs(ctx):
    session = ctx.new_session("relayed")
    victim = await ctx.join(session, name="victim", source=wire.HOST)
    stream = (await wire.publish(victim, "cam"))["stream"]["id"]
    client = await ctx.join(session, "subscriber")
    await wire.subscribe(client, "sub", stream)
    routes = None
    while not (routes and routes.get("subscribers")):
        routes = await victim.event("routes")
    id = routes["subscribers"][0]["subscriberId"]
    delivered = made = 0
    began = time.monotonic()

    async def connect():
        nonlocal made
        made += 1
        ask = asyncio.create_task(
            victim.ask("relay", leg=f"d{made}", publication="cam", subscriberId=id, offer=offer(), timeout=5))
        offered = await client.event("offered", 5)
        client.send("answer", leg=offered["leg"], answer=offer("recvonly"))
        await ask
        return offered["leg"]

    leg = await connect()
    async for number in rhythm(150, 6):
        if not client.is_open:
            break
        client.send("legLost", leg=leg)
    await asyncio.sleep(1)
    while not victim.events.empty():
        delivered += victim.events.get_nowait()["type"] in ("routes", "mediaLost", "restartICE")
    ctx.sent = "900 messages legLost about one leg in 6 s"
    ctx.saw = f"the publisher was asked {delivered} times to connect again ({time.monotonic() - began:.0f} s)"
    if delivered > 15:
        ctx.fault(f"the publisher was asked {delivered} times in 7 s to connect again")
    victim.end()
    client.end()


@attack("M6", "someone who was put out comes back with the same token")
async def kick_and_rejoin(ctx):
    session = ctx.new_session("relayed")
    moderator = await ctx.join(session, "moderator", "moderator")
    token = ctx.token(session, name="eve")
    eve = await ctx.join(token=token, resumable=True)
    await moderator.ask("forceDisconnect", connection=eve.joined["connection"]["id"])
    await asyncio.sleep(1)
    again = resumed = None
    try:
        (await ctx.join(token=token)).end()
        again = "joined"
    except wire.Refused as error:
        again = error.code
    try:
        client = await wire.Client.open(ctx.port, ctx.address)
        await client.ask("resume", version=1, token=eve.joined["resumption"]["token"], received=eve.confirmed)
        resumed = "resumed"
    except wire.Refused as error:
        resumed = error.code
    try:
        fresh = await ctx.join(session, name="eve")
        fresh.end()
        new = "joined"
    except wire.Refused as error:
        new = error.code
    ctx.sent = "forceDisconnect, then join and resume of the one who was put out"
    ctx.saw = f"same token: {again}; resume: {resumed}; a new token: {new}"
    if again == "joined":
        ctx.fault("who was put out is in again with the same token")
    if resumed == "resumed":
        ctx.fault("who was put out resumed")
    for client in (moderator, eve):
        client.end()


@attack("M10", "what waits for clients that are away", limit=60)
async def heavy_ledger(ctx):
    before, peak, pairs = ctx.memory(), 0, []
    for _ in range(4):
        pairs.append(await relayed_pair(ctx, resumable=True))
    for _, victim, _, _ in pairs:
        victim.is_open = False
        victim.task.cancel()
        victim.writer.transport.abort()
    await asyncio.sleep(0.5)
    large, sent = "x" * 130_000, 0
    async for number in rhythm(40 * len(pairs), 12):
        publisher, _, _, id = pairs[number % len(pairs)]
        if publisher.is_open:
            publisher.send("relay", leg=f"d{number}", publication="cam", subscriberId=id, offer=large)
            sent += 1
        if number % 20 == 0:
            peak = max(peak, ctx.memory())
            await asyncio.sleep(0)
    await asyncio.sleep(1)
    peak = max(peak, ctx.memory())
    ctx.sent = f"{sent:,} offers of 130 KB ({sent * 0.13:.0f} MB) to 4 clients that are away"
    ctx.saw = f"peak +{peak - before:.0f} MB"
    if peak - before > 80:
        ctx.fault(f"memory rose by {peak - before:.0f} MB for four clients that were away")
    for publisher, _, _, _ in pairs:
        publisher.end()
