# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Attacks of those who may only add reports to a call of an app's own, whose tokens are in pages."""

import asyncio
import gzip
import http.client
import json
import time

import wire
from attacks import attack


def _token(ctx, call, participant="mallory"):
    body = {"scopes": ["observe"], "expiresIn": 600, "observer": {"call": call, "participant": participant}}
    status, _, answer = wire.request(ctx.port, "POST", "/v1/api-tokens", body, secret=ctx.secret, source=ctx.address)
    if status != 201:
        raise wire.Refused("observe", answer[:200])
    return json.loads(answer)["token"]


def _report(second):
    """Audio that is sent, as an engine reports it."""
    stamp = (time.time() + second) * 1000
    return [
        {"id": "O", "type": "outbound-rtp", "timestamp": stamp, "kind": "audio", "ssrc": 1, "packetsSent": 50 * second,
         "bytesSent": 4000 * second},
        {"id": "R", "type": "remote-inbound-rtp", "timestamp": stamp, "kind": "audio", "ssrc": 1, "localId": "O",
         "packetsLost": 0, "jitter": 0.002, "roundTripTime": 0.03},
    ]


def _post(ctx, call, token, body, headers=()):
    """Status, and the answer's JSON."""
    status, _, answer = wire.request(
        ctx.port, "POST", f"/v1/calls/{call}/reports", body, token=token, source=ctx.address, headers=headers)
    try:
        return status, json.loads(answer)
    except ValueError:
        return status, {}


def _count(counts, key):
    counts[key] = counts.get(key, 0) + 1


@attack("O1", "reports of another call, of another participant, with tokens of one's own making", quick=True)
def forged(ctx):
    token = _token(ctx, "observed-1")
    own, _ = _post(ctx, "observed-1", token, _report(1))
    tries = {
        "another call": _post(ctx, "observed-2", token, _report(1))[0],
        "the session of the call": _post(ctx, ctx.session, token, _report(1))[0],
        "a token of another secret": _post(ctx, "observed-1", wire.api_token("x" * 32, "observe"), _report(1))[0],
        "a scope without a call": _post(ctx, "observed-1", ctx.api("observe"), _report(1))[0],
        "a page of another origin": _post(
            ctx, "observed-1", token, _report(1), headers={"Origin": "https://evil.example"})[0],
        "the history": wire.request(ctx.port, "GET", "/v1/sessions", token=token, source=ctx.address)[0],
    }
    ctx.sent = f"{len(tries)} kinds of what the token does not allow"
    ctx.saw = f"own: {own}; " + ", ".join(f"{what}: {status}" for what, status in tries.items())
    if own != 200:
        ctx.fault(f"what it allows was answered with {own}")
    for what, status in tries.items():
        if status < 400:
            ctx.fault(f"{what} was answered with {status}")


@attack("O2", "10,000 peer connections in an observed call", limit=180)
async def peer_connections(ctx):
    before, tokens = ctx.memory(), [_token(ctx, "observed-crowd", f"mallory {n}") for n in range(10)]
    accepted, answers = 0, {}

    async def send(token, start):
        nonlocal accepted
        body = {"reports": [{"peerConnection": f"pc {n}", "report": _report(1)} for n in range(start, start + 20)]}
        status, answer = await asyncio.to_thread(_post, ctx, "observed-crowd", token, body)
        accepted += answer.get("accepted", 0)
        _count(answers, status)

    for start in range(0, 10_000, 200):
        await asyncio.gather(*(send(token, start + 20 * number) for number, token in enumerate(tokens)))
    ctx.sent = "10,000 peer connections of 10 participants"
    ctx.saw = f"{accepted:,} taken, answers {answers}, +{ctx.memory() - before:.0f} MB"
    # The call is over when nothing has come for 30 s.
    await asyncio.sleep(35)
    if not 0 < accepted <= 1000:
        ctx.fault(f"{accepted:,} peer connections were taken")


@attack("O3", "reports as many as can be sent", quick=True)
async def flood(ctx):
    token, answers, end = _token(ctx, "observed-flood"), {}, time.monotonic() + ctx.seconds(8)

    async def send():
        second = 0
        while time.monotonic() < end:
            second += 1
            _count(answers, (await asyncio.to_thread(_post, ctx, "observed-flood", token, _report(second)))[0])

    await asyncio.gather(*(send() for _ in range(8)))
    ctx.sent = f"{sum(answers.values()):,} reports in {ctx.seconds(8):.0f} s"
    ctx.saw = f"answers {answers}"
    # A peer connection may say 300 at once, and four more each second.
    if not 0 < answers.get(200, 0) <= 400:
        ctx.fault(f"{answers.get(200, 0):,} reports of one participant were taken")


@attack("O4", "a packed body that is a thousand times as long unpacked, a report of 300,000 objects, one 10,000 levels deep")
def bombs(ctx):
    before, peak, token, answers = ctx.memory(), 0, _token(ctx, "observed-bombs"), {}
    many = json.dumps([{"id": str(n), "type": "x", "timestamp": 1} for n in range(300_000)])
    bodies = {
        "packed": (gzip.compress(b"[" + b" " * 100_000_000 + b"]"), {"Content-Encoding": "gzip"}),
        "large": (many.encode(), {}),
        "deep": (b"[" * 10_000 + b"]" * 10_000, {}),
    }
    for what, (body, headers) in bodies.items():
        connection = http.client.HTTPConnection(wire.HOST, ctx.port, timeout=20, source_address=(ctx.address, 0))
        try:
            connection.request(
                "POST", "/v1/calls/observed-bombs/reports", body,
                {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers})
            answers[what] = connection.getresponse().status
        except TimeoutError:
            answers[what] = "nothing"
            ctx.fault(f"{what} was not answered within 20 s")
        except OSError:
            answers[what] = "closed"
        finally:
            connection.close()
        peak = max(peak, ctx.memory())
    ctx.sent = ", ".join(f"{len(body) / 1e6:.1f} MB {what}" for what, (body, _) in bodies.items())
    ctx.saw = f"{answers}, peak +{peak - before:.0f} MB"
    for what, answer in answers.items():
        if isinstance(answer, int) and answer < 400:
            ctx.fault(f"{what} was answered with {answer}")
