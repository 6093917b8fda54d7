# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Sources and encoders of the set lodger: cameras, screens, microphones, layers, the quality scaler, and the CPU's budget."""
import math
from collections import deque

SCALES = [1, 4 / 3, 2, 8 / 3, 4]
PAYLOAD = 1150
HEADER = 28


class Frame:
    """An encoded frame."""

    __slots__ = ('number', 'key', 'count', 'captured', 'width', 'height', 'qp', 'poison')

    def __init__(self, number, key, count, captured, width, height, qp, poison=False):
        self.number, self.key, self.count, self.captured = number, key, count, captured
        self.width, self.height, self.qp, self.poison = width, height, qp, poison


class Packet:
    """A packet of a stream; `frame` is None for audio, `note` its (loudness, dtx, redundancy)."""

    __slots__ = ('stream', 'seq', 'size', 'captured', 'frame', 'index', 'note', 'rtx', 'queued')

    def __init__(self, stream, seq, size, captured, frame=None, index=0, note=None, rtx=False):
        self.stream, self.seq, self.size, self.captured = stream, seq, size, captured
        self.frame, self.index, self.note, self.rtx, self.queued = frame, index, note, rtx, captured


class Stream:
    """What is sent with one SSRC, and its counters."""

    def __init__(self, rng, kind, mid, rid=None, scale=1, most=1.7e6, least=0):
        """An outbound stream; `most` and `least` are bitrates of a layer."""
        self.kind, self.mid, self.rid, self.scale, self.most, self.least = kind, mid, rid, scale, most, least
        self.ssrc, self.rtxSsrc = rng.randrange(1 << 28, 1 << 32), rng.randrange(1 << 28, 1 << 32)
        self.seq = rng.randrange(0, 30000)
        self.active, self.target, self.width, self.height, self.stamps = True, 0.0, 0, 0, deque()
        self.packets = self.bytes = self.headers = self.rtxPackets = self.rtxBytes = 0
        self.frames = self.keys = self.huge = self.nacks = self.plis = self.qp = 0
        self.encodeTime = self.sendDelay = self.bytesTarget = 0.0
        self.history, self.number, self.wantKey, self.debt, self.remote = {}, 0, True, 0.0, None

    def fps(self, now):
        """Frames of the last second."""
        while self.stamps and self.stamps[0] < now - 1:
            self.stamps.popleft()
        return len(self.stamps)

    def packet(self, size, captured, **more):
        """The next packet, kept for repairs if it is video."""
        packet = Packet(self, self.seq, size, captured, **more)
        self.seq += 1
        if self.kind == 'video':
            self.history[packet.seq] = packet
            self.history.pop(packet.seq - 700, None)
        return packet


class Video:
    """A camera or screen with its encoder."""

    def __init__(self, rng, mid, width=1280, height=720, fps=30, most=1.7e6, simulcast=False, svc=None, screen=False, prefer='balanced',
                 complexity=0.7, codec='VP8', encoder='libvpx', down=1, cap=None):
        """`most` is the bitrate at most, `down` is scaleResolutionDownBy, `cap` maxFramerate."""
        self.rng, self.mid, self.kind = rng, mid, 'video'
        self.width, self.height, self.rate, self.screen, self.prefer, self.svc = width, height, fps, screen, prefer, svc
        self.complexity, self.codec, self.encoder, self.down, self.cap = complexity, codec, encoder, down, cap
        self.identifier = '%08x-%04x-4%03x-9%03x-%012x' % tuple(rng.getrandbits(b) for b in (32, 16, 12, 12, 48))
        self.alive, self.attached, self.motion, self.black, self.speed, self.enabled = True, True, 1.0, False, 1.0, True
        self.unseen, self.poison, self.uplink, self.wanted = False, False, None, None
        if simulcast:
            bounds = [(150e3, 30e3), (500e3, 160e3), (most, 650e3)]
            self.streams = [Stream(rng, 'video', mid, rid, 4 >> k, *bounds[k]) for k, rid in enumerate('qhf')]
        else:
            self.streams = [Stream(rng, 'video', mid, most=most)]
        self.frames, self.due, self.step, self.usage, self.since, self.calm = 0, 0.0, 0, 0.4, 0.0, 0.0
        self.qp, self.reason, self.durations, self.changes = 40.0, 'none', dict(none=0.0, bandwidth=0.0, cpu=0.0, other=0.0), 0
        self.cpuStep, self.slow, self.stamps, self.burst, self.clock = 0, 0.0, deque(), 0, 0.0

    def wants(self):
        """The bitrate that the track takes at most."""
        if not self.alive or not self.attached or not self.enabled or self.unseen:
            return 0.0
        return sum(s.most for s in self.streams if s.active)

    def allocate(self, rate):
        """Shares a bitrate among the layers, small ones first."""
        simulcast = len(self.streams) > 1
        for k, stream in enumerate(self.streams):
            least = stream.least * (1.0 if stream.target else 1.25) if k else 0
            if not stream.active or rate < least:
                stream.target = 0.0
                continue
            stream.target = min(stream.most, rate)
            rate -= stream.target
            if simulcast and stream.target and not stream.stamps:
                stream.wantKey = True

    def tick(self, now, queued):
        """Packets of the frames that are due."""
        out = []
        if now - self.clock >= 0.099:
            self._reasons(now)
        if not self.alive or not self.attached or now < self.due:
            return out
        fps = self.rate
        self.due = max(self.due + self.rng.uniform(0.97, 1.03) / fps, now - 0.02) if self.due else now + self.rng.uniform(0, 1 / fps)
        self.frames += 1
        self.stamps.append(now)
        while self.stamps and self.stamps[0] < now - 1:
            self.stamps.popleft()
        if not self.enabled or self.unseen:
            return out
        if self.cap and self.frames % max(1, round(fps / self.cap)):
            return out
        if self.usage > 1 and self.rng.random() > 1 / self.usage:
            return out
        for stream in self.streams:
            if stream.active and stream.target:
                out += self._encode(stream, now, fps if not self.cap else min(fps, self.cap), queued)
        return out

    def _encode(self, stream, now, fps, queued):
        """Packets of a frame of a layer, or none where the encoder leaves it out."""
        rng = self.rng
        ratio = stream.scale * self.down * (SCALES[min(4, max(self.step, self.cpuStep))] if len(self.streams) == 1 else (2 if self.cpuStep > 1 and stream.scale < 4 else 1))
        width, height = int(self.width / ratio) // 2 * 2, int(self.height / ratio) // 2 * 2
        if (width, height) != (stream.width, stream.height):
            self.changes += 1 if stream.width else 0
            stream.width, stream.height, stream.wantKey = width, height, stream.wantKey or not stream.width
        share = stream.target / fps
        if queued > 0.35 or stream.debt > 0.45 * stream.target and not stream.wantKey:
            stream.debt = max(0.0, stream.debt - share)
            return []
        key, stream.wantKey = stream.wantKey, False
        need = width * height * (0.05 if self.screen else 0.09) * self.complexity * max(0.03, self.motion) * (0.01 if self.black else 1)
        bits = min(share * rng.lognormvariate(0, 0.18), need * 1.5 * rng.lognormvariate(0, 0.1))
        bits *= 1 - min(0.5, stream.debt / max(1.0, stream.target))
        if self.burst:
            bits, self.burst = max(bits, width * height * 0.09 * rng.uniform(5, 9)), 0
        if key:
            bits = max(min(bits * 5, width * height * 0.09 * 6), width * height * (0.004 if self.black else 0.02))
        size = max(90, int(bits / 8))
        stream.debt = max(0.0, stream.debt + size * 8 - share)
        count = -(-size // PAYLOAD)
        qp = min(127, max(4, round(30 / max(0.03, (size * 8 / max(1.0, need)) / (4 if key else 1)) ** 0.7)))
        self.qp += ((qp - self.qp) * 0.03) if not key else 0
        stream.number += 1
        frame = Frame(stream.number, key, count, now, width, height, qp, self.poison)
        spent = width * height / 921600 * 0.0065 / self.speed * rng.uniform(0.8, 1.25)
        layers = self.svc if self.svc else 1
        stream.frames += layers
        stream.keys += key
        stream.huge += size * 8 > 2.5 * share
        stream.qp += qp * layers
        stream.encodeTime += spent
        stream.bytesTarget += share / 8
        stream.stamps.append(now)
        return [stream.packet((PAYLOAD if i < count - 1 else size - PAYLOAD * (count - 1)) + HEADER, now, frame=frame, index=i) for i in range(count)]

    def _reasons(self, now):
        """Quality scaler and CPU, each second; what limits is kept with its time."""
        span, self.clock = now - self.clock, now
        self.durations[self.reason] += span
        if now - self.since < 1:
            return
        self.since = now
        fps = min(self.cap or 99, self.rate)
        pixels = sum(s.width * s.height for s in self.streams if s.target)
        self.usage = 0.5 * self.usage + 0.5 * pixels / 921600 * 0.0065 * fps / self.speed / 0.62
        self.slow = self.slow + 1 if self.usage > 0.88 else max(0, self.slow - 1) if self.usage > 0.45 else max(-15, min(0, self.slow) - 1)
        if self.slow >= 4 and self.cpuStep < 3:
            self.cpuStep, self.slow = self.cpuStep + 1, 1
        elif self.slow < -12 and self.cpuStep:
            self.cpuStep, self.slow = self.cpuStep - 1, 0
        stream = self.streams[0]
        if len(self.streams) == 1 and not self.screen and self.prefer != 'maintain-resolution' and stream.target:
            if self.qp > 92 and self.step < 4:
                self.step, self.qp = self.step + 1, 55.0
            elif self.qp < 29 and self.step and stream.target > 0.9 * stream.most or self.qp < 24 and self.step:
                self.calm += 1
                if self.calm > 2:
                    self.step, self.qp, self.calm = self.step - 1, 45.0, 0
            else:
                self.calm = 0
        short = any(s.active and not s.target for s in self.streams) if len(self.streams) > 1 else self.step > 0
        starved = self.screen and self.wants() and sum(s.target for s in self.streams) < 0.3 * self.wants() and self.qp > 60
        self.reason = 'cpu' if self.cpuStep > self.step else 'bandwidth' if (short or starved or self.step) and self.wants() else 'none'


class Audio:
    """A microphone with its encoder."""

    def __init__(self, rng, mid, bitrate=32e3, dtx=False, red=False, talk=0.5, loud=0.08):
        """`talk` is the share of the time with speech."""
        self.rng, self.mid, self.kind, self.bitrate, self.dtx, self.red, self.talk, self.loud = rng, mid, 'audio', bitrate, dtx, red, talk, loud
        self.identifier = '%08x-%04x-4%03x-a%03x-%012x' % tuple(rng.getrandbits(b) for b in (32, 16, 12, 12, 48))
        self.streams = [Stream(rng, 'audio', mid)]
        self.alive, self.attached, self.enabled, self.zeros, self.paused = True, True, True, False, False
        self.due, self.speaking, self.until, self.level, self.energy, self.duration, self.quiet = 0.0, False, 0.0, 0.0, 0.0, 0.0, 0
        self.uplink = None

    def tick(self, now, _queued):
        """The packet that is due."""
        if now < self.due:
            return ()
        out = []
        if not self.due:
            self.due = now + self.rng.uniform(0, 0.02)
        while self.due <= now:
            out += self._step(self.due)
            self.due += 0.02
        return out

    def _step(self, now):
        """Twenty milliseconds."""
        rng, stream = self.rng, self.streams[0]
        if not self.attached:
            return []
        if self.alive:
            self.duration += 0.02
        if now > self.until:
            self.speaking = rng.random() < self.talk
            self.until = now + (rng.uniform(1.5, 6) if self.speaking else rng.uniform(0.6, 3))
        if self.zeros or not self.enabled or not self.alive:
            self.level, voice = 0.0, False
        else:
            voice = self.speaking
            self.level = self.loud * rng.lognormvariate(0, 0.5) if voice else 0.0006 * rng.lognormvariate(0, 0.4)
            self.level = min(1.0, self.level)
        self.energy += self.level ** 2 * 0.02
        if self.paused or not self.alive:
            return []
        self.quiet = 0 if voice else self.quiet + 1
        dtx = self.dtx and self.quiet > 20
        if dtx and (self.quiet - 21) % 20:
            return []
        size = 3 if dtx else max(8, int(self.bitrate / 400 * (rng.uniform(0.75, 1.15) if voice else rng.uniform(0.35, 0.6))))
        if self.red:
            size *= 2
        return [stream.packet(size + HEADER, now, note=(self.level, dtx, self.red))]


def loudness(level):
    """A level as reports give it: in steps of 16 bits."""
    return math.floor(level * 32767) / 32767
