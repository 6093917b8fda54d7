# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Attacks on what is stored and served: telemetry, history, tokens of the HTTP interface."""

import asyncio
import http.client
import json
import time

import wire
from attacks import attack
from wire import event

EXTREMES = [9e15, 2**63 - 1, 1e308, -1e308, -(2**63), -9e15, 5e-324]
FIGURES = [
    "audio.mos", "video.mos", "audio.jitter", "audio.packets", "audio.packetsLost", "audio.bytes", "audio.bitrate",
    "audio.audioLevel", "video.packets", "video.packetsLost", "video.bytes", "video.bitrate", "video.maximumBitrate",
    "video.jitter", "video.width", "video.height", "video.frameRate", "video.framesSent", "video.freezeCount",
    "video.totalFreezesDuration", "video.pauseCount", "video.totalPausesDuration", "connectionEstimatedBandwidth",
    "roundTripTime", "fractionLost", "bandwidthDemand", "diagnosis.severity", "levels.audio.fractionLost.fractionLost",
    "levels.video.bandwidth.actual", "levels.video.latency.rtt",
]


def sample_with(path, value):
    sample = {"networkCondition": "good"}
    if path.startswith("levels."):
        media = dict(level="three", bandwidth=dict(actual=1, available=1, level="three"),
                     fractionLost=dict(fractionLost=0.1, level="three"), latency=dict(jitter=0.1, rtt=0.1, level="three"))
        sample["levels"] = dict(audio=json.loads(json.dumps(media)), video=media)
    if path.startswith("diagnosis"):
        sample["diagnosis"] = dict(cause="packetLoss", direction="downlink", side="local", severity=1)
    place = sample
    *parents, last = path.split(".")
    for name in parents:
        place = place.setdefault(name, {})
    place[last] = value
    return sample


@attack("C2", "figures of absurd size in stored telemetry, then the pages that add them up", quick=True)
async def absurd_figures(ctx):
    taken = refused = 0
    sessions = {}

    async def tell(client, sample, captured):
        nonlocal taken, refused
        try:
            await client.ask("telemetry", events=[event("cam", sample, captured)], timeout=10)
            taken += 1
        except wire.Refused:
            refused += 1

    # A session for each, else the one would make up for the other.
    figures, extremes = (FIGURES[:2], EXTREMES[:1]) if ctx.is_quick else (FIGURES, EXTREMES)
    for extreme in extremes:
        sessions[extreme] = session = ctx.new_session("relayed")
        client, now = await _publisher(ctx, session), time.time() * 1000
        await tell(client, {"networkCondition": "good"}, now)
        for path in figures:
            if not client.is_open:
                client = await _publisher(ctx, session)
            samples = [(sample_with(path, extreme), now - minutes * 60_000) for minutes in (2, 1, 0)]
            await asyncio.gather(*(tell(client, *sample) for sample in samples))
        client.end()
    ctx.sent = f"{taken + refused:,} samples, {len(figures)} figures x {len(extremes)} extremes in three minutes of time"
    ctx.saw = f"{taken:,} acknowledged, {refused:,} refused"
    await asyncio.sleep(7)
    wrong = {}
    for extreme, session in sessions.items():
        for path in ("", "/minutes", "/samples", "/timeline", "/support-case", "/report"):
            try:
                status, _, _ = await asyncio.to_thread(ctx.get, f"/v1/sessions/{session}{path}", "read names reports")
            except (OSError, http.client.HTTPException) as error:
                status = type(error).__name__
            if status != 200:
                wrong[f"{path or '/'} with {extreme:g}"] = status
    ctx.saw += f"; {len(wrong)} of {6 * len(sessions)} pages fail"
    if wrong:
        ctx.fault(f"pages fail: {dict(list(wrong.items())[:3])}")


async def _publisher(ctx, session):
    client = await ctx.join(session)
    await wire.publish(client, "cam")
    return client


@attack("M5a", "events that only the server may say")
async def forged_events(ctx):
    session = ctx.new_session("relayed")
    client = await ctx.join(session)
    await wire.publish(client, "cam")
    forged = ["sessionDestroyed", "connectionDestroyed", "mediaLost", "audioFallback", "forged-by-mallory"]
    for name in forged:
        try:
            sample = dict(networkCondition="good", events=[dict(type=name, reason="forged-reason", isAlarm=True)])
            await client.ask("telemetry", events=[event("cam", sample)])
        except wire.Refused:
            pass
    await asyncio.sleep(2)
    _, _, body = await asyncio.to_thread(ctx.get, f"/v1/sessions/{session}/timeline", "read")
    found = sorted({e.get("type") for e in json.loads(body)["events"]} & set(forged)) if b"forged-reason" in body else []
    client.end()
    ctx.sent = f"telemetry events of the types {', '.join(forged)}"
    ctx.saw = f"in the timeline: {', '.join(found) or 'none'}"
    if found:
        ctx.fault(f"the timeline shows a client's word as an event: {', '.join(found)}")


@attack("M5b", "telemetry from before the client was there")
async def backdated(ctx):
    session = ctx.new_session("relayed")
    client = await ctx.join(session)
    await wire.publish(client, "cam")
    now = time.time() * 1000
    await client.ask("telemetry", events=[event("cam", captured=now)])
    messages = 0
    for message in range(40):
        try:
            await client.ask(
                "telemetry",
                events=[event("cam", captured=now - (message * 32 + n) * 60_000) for n in range(32)])
            messages += 1
        except wire.Refused:
            pass
    client.end()
    await asyncio.sleep(7)
    _, _, body = await asyncio.to_thread(ctx.get, f"/v1/sessions/{session}/minutes", "read")
    minutes = len(json.loads(body).get("minutes", []))
    ctx.sent = "1,280 samples, each a minute further back, 21 hours in all"
    ctx.saw = f"{messages} of 40 messages acknowledged, {minutes:,} minutes stored"
    if minutes > 5:
        ctx.fault(f"a client of a few seconds has {minutes:,} minutes of history")


@attack("M5c", "a flood of alerts")
async def alert_flood(ctx):
    session = ctx.new_session("relayed")
    client = await ctx.join(session)
    await wire.publish(client, "cam")
    now = time.time() * 1000
    await client.ask("telemetry", events=[event("cam", captured=now)])
    bad = dict(networkCondition="critical", networkConditionReason="packetLoss", remoteNetworkCondition="critical",
               remoteNetworkConditionReason="packetLoss")
    refused = 0
    for message in range(150):
        events = [event("cam", bad, now - 3_600_000 + (message * 10 + n // 3) * 6000 + n % 3) for n in range(30)]
        try:
            await client.ask("telemetry", events=events)
        except wire.Refused:
            refused += 1
    await asyncio.sleep(3)
    alerts, cursor = 0, None
    while True:
        path = f"/v1/alerts?session={session}&limit=200" + (f"&cursor={cursor}" if cursor else "")
        _, _, body = await asyncio.to_thread(ctx.get, path, "read")
        page = json.loads(body)
        alerts += len(page.get("alerts", []))
        cursor = page.get("next")
        if not cursor or not page.get("alerts"):
            break
    client.end()
    ctx.sent = "4,500 critical samples, three of each millisecond"
    ctx.saw = f"{refused} of 150 messages refused, {alerts:,} alerts made"
    if alerts > 20:
        ctx.fault(f"one client made {alerts:,} alerts in seconds")


@attack("M5d", "warnings with synthetic names")
async def metric_names(ctx):
    session = ctx.new_session("relayed")
    client = await ctx.join(session)
    await wire.publish(client, "cam")
    for number in range(3):
        events = [dict(type="callQuality", reason=f"forged{number}x{n}", isAlarm=True) for n in range(64)]
        try:
            await client.ask("telemetry", events=[event("cam", dict(networkCondition="good", events=events))])
        except wire.Refused:
            pass
    await asyncio.sleep(2)
    _, _, body = await asyncio.to_thread(ctx.get, "/metrics", "metrics")
    forged = sum(1 for line in body.decode().splitlines() if "forged" in line)
    client.end()
    ctx.sent = "192 warnings of names that there are not"
    ctx.saw = f"{forged} of them in /metrics"
    if forged:
        ctx.fault(f"{forged} series of /metrics have a client's names")


@attack("M7", "asking for people by name with the scope read alone")
def name_oracle(ctx):
    found = []
    for path in ("/v1/sessions?participant=alice", "/v1/alerts?participant=alice",
                 f"/v1/sessions/{ctx.session}/samples?participant=alice"):
        status, _, body = ctx.get(path, "read")
        content = json.loads(body) if status == 200 else {}
        if any(content.get(key) for key in ("sessions", "alerts", "samples")):
            found.append(path.split("?")[0].replace(ctx.session, "ID"))
    status, _, _ = ctx.get("/v1/sessions?participant=alice", "read names")
    ctx.sent = "three queries with ?participant=alice"
    ctx.saw = f"{len(found)} answered with her calls; with the scope names: {status}"
    if found:
        ctx.fault(f"read alone finds alice in {', '.join(found)}")
    if status != 200:
        ctx.fault("with the scope names nobody is found either")


@attack("M11a", "a token of an hour that makes one of a month")
def minting(ctx):
    status, _, body = wire.request(
        ctx.port, "POST", f"/v1/sessions/{ctx.session}/tokens",
        dict(role="moderator", name="mallory", expiresIn=30 * 86400), token=ctx.api("tokens", 60), source=ctx.address)
    ctx.sent = "with an API token of 60 s: a moderator's token of 30 days"
    days = (json.loads(body)["expires"] / 1000 - time.time()) / 86400 if status == 201 else 0
    ctx.saw = f"{status}, good for {days * 86400:,.0f} s" if status == 201 else f"{status}"
    if days * 86400 > 70:
        ctx.fault(f"a token of 60 s made one of {days:.0f} days")


@attack("M11b", "a live feed that outlives its token")
def feed_after_expiry(ctx):
    connection = http.client.HTTPConnection(wire.HOST, ctx.port, timeout=1, source_address=(ctx.address, 0))
    connection.request("GET", "/v1/live", headers={"Authorization": f"Bearer {ctx.api('read', 3)}"})
    answer = connection.getresponse()
    began, last, total, is_over = time.monotonic(), 0.0, 0, answer.status != 200
    while not is_over and time.monotonic() - began < 9:
        try:
            piece = answer.read1(1 << 16)
            is_over = not piece
            total += len(piece)
            last = time.monotonic() - began
        except (TimeoutError, OSError):
            pass
    connection.close()
    ctx.sent = "GET /v1/live with a token of 3 s"
    ctx.saw = f"{answer.status}, {total:,} bytes, {'ended' if is_over else 'open'} after {last:.1f} s"
    if not is_over:
        ctx.fault("the feed goes on 6 s after its token has expired")
