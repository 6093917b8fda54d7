# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What a client needs to speak to a session server: tokens, HTTP, WebSockets, descriptions of peer connections."""

import asyncio
import base64
import hashlib
import hmac
import http.client
import json
import os
import socket
import struct
import time
import uuid
import zlib

APPLICATION = "hostile"
HOST = "127.0.0.1"
TEXT, BINARY, CLOSE, PING, PONG, CONTINUATION = 1, 2, 8, 9, 10, 0


# Tokens


def _part(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(secret, claims):
    head = _part(b'{"alg":"HS256","typ":"JWT"}')
    body = _part(json.dumps(claims).encode())
    seal = hmac.new(secret.encode(), f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{_part(seal)}"


def client_token(secret, session, role="publisher", name=None, seconds=3600):
    now = time.time()
    claims = dict(iss=APPLICATION, session=session, role=role, exp=now + seconds, iat=now, jti=str(uuid.uuid4()))
    if name is not None:
        claims["name"] = name
    return signed(secret, claims)


def api_token(secret, scopes, seconds=3600, **claims):
    now = time.time()
    return signed(
        secret,
        dict(
            claims, iss=APPLICATION, aud="sightline-api", scope=scopes, exp=now + seconds, iat=now,
            jti=str(uuid.uuid4())),
    )


def observer_token(secret, call, participant):
    return api_token(secret, "observe", observer=dict(call=call, participant=participant))


# HTTP


def request(port, method, path, body=None, token=None, secret=None, source=HOST, host=HOST, headers=(), timeout=20):
    """One request; status, headers and body."""
    fields = dict(headers)
    if token:
        fields["Authorization"] = f"Bearer {token}"
    if secret:
        fields["Authorization"] = "Basic " + base64.b64encode(f"{APPLICATION}:{secret}".encode()).decode()
    if body is not None:
        body = json.dumps(body)
        fields["Content-Type"] = "application/json"
    connection = http.client.HTTPConnection(host, port, timeout=timeout, source_address=(source, 0))
    try:
        connection.request(method, path, body, fields)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def create_session(port, secret, mode="routed"):
    status, _, body = request(port, "POST", "/v1/sessions", dict(mediaMode=mode), secret=secret)
    if status != 201:
        raise RuntimeError(f"no session: {status} {body[:200]!r}")
    return json.loads(body)["session"]


# WebSockets


def packed(texts):
    """Frames of texts that are packed with one window (permessage-deflate)."""
    packer, frames = zlib.compressobj(9, zlib.DEFLATED, -12), []
    for payload in texts:
        made = packer.compress(payload) + packer.flush(zlib.Z_SYNC_FLUSH)
        head = bytearray(frame(TEXT, made[:-4]))
        head[0] |= 0x40
        frames.append(bytes(head))
    return b"".join(frames)


def frame(opcode, payload=b"", fin=True):
    """A client's frame. Its mask is zero, which is a mask like any other and costs the attacker nothing."""
    length = len(payload)
    head = bytes([(0x80 if fin else 0) | opcode])
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 65536:
        head += bytes([0x80 | 126]) + struct.pack("!H", length)
    else:
        head += bytes([0x80 | 127]) + struct.pack("!Q", length)
    return head + b"\0\0\0\0" + payload


def text(message):
    return frame(TEXT, json.dumps(message).encode())


def upgrade(port, path="/v1/session", headers=()):
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {HOST}:{port}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode(),
        *[f"{name}: {value}" for name, value in headers],
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Refused(Exception):
    """The server's answer was an error, or there was none."""

    def __init__(self, code, message="", url=None):
        super().__init__(f"{code}: {message}")
        self.code, self.url = code, url


class Client:
    """A client that reads what it gets."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.next, self.waiting, self.events = 1, {}, asyncio.Queue()
        self.received, self.is_open, self.seq = 0, True, None
        # The number of the last message, which was confirmed.
        self.confirmed = 0
        self.close_code = None
        # Whether events are kept, and whether messages are read at all.
        self.is_kept, self.is_listening = True, True
        self.task = asyncio.get_running_loop().create_task(self._read())

    @classmethod
    async def open(cls, port, source=HOST, headers=(), timeout=10, host=HOST, path="/v1/session"):
        async with asyncio.timeout(timeout):
            reader, writer = await asyncio.open_connection(host, port, local_addr=(source, 0), limit=1 << 22)
            writer.write(upgrade(port, path, headers))
            head = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            writer.close()
            raise Refused(head.split(b"\r\n")[0].decode(errors="replace"))
        return cls(reader, writer)

    @classmethod
    async def join(cls, port, token, source=HOST, timeout=10, **members):
        client = await cls.open(port, source, timeout=timeout)
        try:
            client.joined = await client.ask("join", timeout=timeout, version=1, token=token, **members)
        except BaseException:
            client.end()
            raise
        if members.get("resumable"):
            client.seq = 0
        return client

    def send(self, type, **members):
        id = self.next
        self.next += 1
        message = dict(type=type, id=id, **members)
        if self.seq is not None:
            self.seq += 1
            message["seq"] = self.seq
        self.writer.write(text(message))
        return id

    async def ask(self, type, timeout=10, **members):
        future = asyncio.get_running_loop().create_future()
        self.waiting[self.next] = future
        if not self.is_open:
            raise Refused("closed", str(self.close_code))
        self.send(type, **members)
        try:
            answer = await asyncio.wait_for(future, timeout)
        except (TimeoutError, asyncio.TimeoutError):
            raise Refused("noAnswer", f"none to {type} in {timeout} s") from None
        if answer["type"] == "error":
            raise Refused(answer["code"], answer.get("message", ""), answer.get("url"))
        return answer

    async def event(self, type, timeout=10):
        async with asyncio.timeout(timeout):
            while True:
                event = await self.events.get()
                if event["type"] == type:
                    return event

    def end(self):
        self.is_open = False
        self.task.cancel()
        self.writer.close()

    async def _read(self):
        try:
            while True:
                first, second = await self.reader.readexactly(2)
                length = second & 127
                if length == 126:
                    (length,) = struct.unpack("!H", await self.reader.readexactly(2))
                elif length == 127:
                    (length,) = struct.unpack("!Q", await self.reader.readexactly(8))
                payload = await self.reader.readexactly(length)
                self.received += length
                self._take(first & 15, payload)
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            pass
        finally:
            self.is_open = False
            for future in self.waiting.values():
                if not future.done():
                    future.set_result(dict(type="error", code="closed", message=f"close code {self.close_code}"))

    def _take(self, opcode, payload):
        if opcode == PING:
            return self.writer.write(frame(PONG, payload))
        if opcode == CLOSE:
            self.close_code = struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else 0
            return self.writer.write(frame(CLOSE, payload[:2]))
        if opcode != TEXT or not self.is_listening:
            return None
        message = json.loads(payload)
        if self.seq is not None and "seq" in message:
            self.confirmed = message["seq"]
            self.writer.write(text(dict(type="ack", received=self.confirmed)))
        waiting = self.waiting.pop(message.get("re"), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)
        elif self.is_kept:
            self.events.put_nowait(message)


class Raw:
    """A socket that was upgraded, and that reads only when it is asked to."""

    def __init__(self, port, source, timeout=5, buffer=None, headers=()):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(timeout)
        self.socket.bind((source, 0))
        self.socket.connect((HOST, port))
        self.socket.sendall(upgrade(port, headers=headers))
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            piece = self.socket.recv(1)
            if not piece:
                raise Refused("closed", "before the upgrade")
            head += piece
        if b" 101 " not in head:
            raise Refused(head.split(b"\r\n")[0].decode(errors="replace"))

    def send(self, data):
        """Whether it went."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def flood(self, data, until):
        """Sends the same again and again as fast as the server reads; the number of bytes that it took."""
        self.socket.settimeout(0.2)
        sent, view = 0, memoryview(data)
        offset = 0
        while time.monotonic() < until:
            try:
                count = self.socket.send(view[offset:])
            except TimeoutError:
                continue
            except OSError:
                break
            sent += count
            offset = (offset + count) % len(data)
        return sent

    def is_closed(self, seconds=0.0):
        """Whether the server has closed it, after reading what is there for so long."""
        until = time.monotonic() + seconds
        while True:
            self.socket.settimeout(max(0.01, until - time.monotonic()))
            try:
                if not self.socket.recv(1 << 16):
                    return True
            except TimeoutError:
                return False
            except OSError:
                return True
            if time.monotonic() > until:
                return False

    def close(self):
        self.socket.close()


# Descriptions


# The names and keys that offers have without other ones.
FRAGMENT, PASSWORD = "W+6a", "jkMndMAYG9pFMDwYjwK/yMZG"
FINGERPRINT = ":".join(["40", "9D", "F3", "95"] * 8)


def _transport(setup, fingerprint, fragment, password):
    return f"""c=IN IP4 0.0.0.0
a=rtcp:9 IN IP4 0.0.0.0
a=ice-ufrag:{fragment}
a=ice-pwd:{password}
a=ice-options:trickle
a=fingerprint:sha-256 {fingerprint}
a=setup:{setup}
a=rtcp-mux"""


def offer(
    direction="sendonly", candidates=(), padding=0, setup="actpass", fingerprint=FINGERPRINT, fragment=FRAGMENT,
    password=PASSWORD
):
    """An offer of audio and video as a browser writes it, of a peer that will never connect unless the key is its own."""
    transport = _transport(setup, fingerprint, fragment, password)
    lines = "\n".join(f"a={line}" for line in candidates)
    media = "\na=msid:stream track" if direction == "sendonly" else ""
    sections = [
        "v=0\no=- 4374943083046416622 2 IN IP4 127.0.0.1\ns=-\nt=0 0\na=group:BUNDLE 0 1\na=msid-semantic: WMS stream",
        f"m=audio 9 UDP/TLS/RTP/SAVPF 111\n{transport}\n{lines}\na=mid:0\n"
        f"a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid\na={direction}{media}\n"
        "a=rtpmap:111 opus/48000/2\na=rtcp-fb:111 transport-cc\na=fmtp:111 minptime=10;useinbandfec=1"
        + ("\na=ssrc:2371005963 cname:name" if media else ""),
        f"m=video 9 UDP/TLS/RTP/SAVPF 96 97\n{transport}\na=mid:1\n"
        "a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\n"
        f"a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid\na={direction}{media}\n"
        "a=rtpmap:96 VP8/90000\na=rtcp-fb:96 transport-cc\na=rtcp-fb:96 ccm fir\na=rtcp-fb:96 nack\n"
        "a=rtcp-fb:96 nack pli\na=rtpmap:97 rtx/90000\na=fmtp:97 apt=96"
        + ("\na=ssrc-group:FID 1001 1002\na=ssrc:1001 cname:name\na=ssrc:1002 cname:name" if media else ""),
    ]
    lines = [line for line in "\n".join(sections).split("\n") if line]
    sdp = "\r\n".join(lines) + "\r\n"
    while padding > len(sdp):
        sdp += "a=x-padding:" + "x" * min(900, padding - len(sdp)) + "\r\n"
    return sdp


# Connectivity checks


BINDING_REQUEST, BINDING_RESPONSE = 0x0001, 0x0101
USERNAME, INTEGRITY, XOR_MAPPED_ADDRESS, PRIORITY, USE_CANDIDATE = 0x0006, 0x0008, 0x0020, 0x0024, 0x0025
FINGERPRINT_ATTRIBUTE, ICE_CONTROLLING = 0x8028, 0x802A
COOKIE = 0x2112A442


def attribute(type, value):
    """An attribute of a STUN message (RFC 8489)."""
    return struct.pack("!HH", type, len(value)) + value + bytes(-len(value) % 4)


def stun(type, transaction, password, *attributes):
    """A message with attributes (type, value) and the proof that its sender has the password."""

    def head(length):
        return struct.pack("!HHI", type, length, COOKIE) + transaction

    body = b"".join(attribute(*each) for each in attributes)
    body += attribute(INTEGRITY, hmac.digest(password.encode(), head(len(body) + 24) + body, "sha1"))
    crc = zlib.crc32(head(len(body) + 8) + body) ^ 0x5354554E
    return head(len(body) + 8) + body + attribute(FINGERPRINT_ATTRIBUTE, struct.pack("!I", crc))


def check(username, password, *attributes, first=()):
    """A connectivity check (RFC 8445) that a leg takes for its client's, with further attributes (type, value).

    Those in `first` are written before the name.
    """
    return stun(
        BINDING_REQUEST, os.urandom(12), password, *first, (USERNAME, username.encode()),
        (PRIORITY, struct.pack("!I", 1 << 24)), (ICE_CONTROLLING, os.urandom(8)), *attributes)


def check_answer(check, source, password=PASSWORD):
    """The answer to a check that came from an IPv4 address and port."""
    transaction, (host, port) = check[8:20], source
    (address,) = struct.unpack("!I", socket.inet_aton(host))
    mapped = struct.pack("!BBHI", 0, 1, port ^ COOKIE >> 16, address ^ COOKIE)
    return stun(BINDING_RESPONSE, transaction, password, (XOR_MAPPED_ADDRESS, mapped))


# Messages


CONTENT = dict(hasAudio=True, hasVideo=True, name="camera", videoType="camera", videoDimensions=dict(width=320, height=180))


async def publish(client, leg, sdp=None, sender_stats=True, **members):
    """Publishes; with no description it is the handle of a relayed stream."""
    members = dict(members, offer=sdp) if sdp else members
    return await client.ask(
        "publish", leg=leg, content=CONTENT, senderStatsTrack=sender_stats, audioFallbackEnabled=True, **members
    )


async def subscribe(client, leg, stream, sdp=None):
    members = dict(offer=sdp) if sdp else {}
    return await client.ask("subscribe", leg=leg, stream=stream, preference=dict(subscribeToVideo=True), **members)


def event(leg, sample=None, captured=None, report=None):
    """A telemetry event."""
    event = dict(eventId=str(uuid.uuid4()), capturedAt=captured or time.time() * 1000, leg=leg)
    if report is not None:
        return dict(event, report=report)
    return dict(event, sample={"networkCondition": "good"} if sample is None else sample)
