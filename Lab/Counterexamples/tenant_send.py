# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What sends in the set `tenant`: microphones, cameras, screens and their encoders."""
from collections import deque

from tenant_link import curve

SCALES = [1, 0.75, 0.5, 0.375, 0.25]


class Packet:
    """One RTP packet; `frame` counts frames of its stream, or 20 ms of audio; `ref` is the frame that it needs."""
    __slots__ = ('seq', 'size', 'frame', 'count', 'capture', 'key', 'ref', 'width', 'height', 'qp', 'quiet', 'fec', 'level', 'again')

    def __init__(self, size, frame, count, capture, key=False, ref=0, width=0, height=0, qp=0, quiet=False, fec=False, level=0.0):
        self.seq, self.size, self.frame, self.count, self.capture, self.key, self.ref = 0, size, frame, count, capture, key, ref
        self.width, self.height, self.qp, self.quiet, self.fec, self.level, self.again = width, height, qp, quiet, fec, level, False

    def copy(self, seq, again=False, shift=0):
        """The same packet repeated, or as a forwarder numbers it."""
        p = Packet(self.size, self.frame + shift, self.count, self.capture, self.key, self.ref + shift, self.width, self.height, self.qp, self.quiet, self.fec, self.level)
        p.seq, p.again = seq, again
        return p


class Stream:
    """An RTP stream of a sender (an encoding, in video) with its counters and what the receiver reported."""

    def __init__(self, sim, rng, kind, transport, **other):
        self.sim, self.kind, self.transport, self.deliver = sim, kind, transport, lambda p: None
        self.ssrc = rng.randrange(10 ** 8, 4 * 10 ** 9)
        self.seq = self.packets = self.bytes = self.header = self.againPackets = self.againBytes = self.nacks = self.plis = 0
        self.delay, self.history, self.remote, self.measured, self.total, self.share = 0.0, {}, None, 0, 0.0, 0.0
        self.active, self.asked, self.repairs, self.repaired = True, {}, 0.0, sim.now
        self.__dict__.update(other)

    def send(self, packet, paced=False):
        if not self.transport.writable:
            self.wanted = True
            return
        self.seq += 1
        packet.seq = self.seq
        self.history[self.seq] = packet
        self.history.pop(self.seq - 1500, None)
        self.packets += 1
        self.bytes += packet.size
        self.header += 24 if self.kind == 'video' else 20
        self.delay += self.transport.send(packet, self.deliver, paced)

    def nacked(self, seqs):
        """Repeats what is still in the history, but not twice within a round trip."""
        self.nacks += 1
        now = self.sim.now
        for s in seqs:
            p = self.history.get(s)
            if self.transport.backlog > 0.4:
                break  # the pacer is full
            if p and now - self.asked.get(s, -9) > 0.7 * self.transport.rtt:
                self.asked[s] = now
                self.againPackets += 1
                self.againBytes += p.size
                self.repairs = self.repairs * 0.5 ** ((now - self.repaired) / 1.0) + p.size * 8 * 0.7
                self.repaired = now
                self.packets += 1
                self.bytes += p.size
                self.header += 24
                self.transport.send(p.copy(s, True), self.deliver, True)

    def relay(self, packet):
        """As a forwarder sends it on: the number stays."""
        self.seq = max(self.seq, packet.seq)
        self.history[packet.seq] = packet
        self.history.pop(packet.seq - 1500, None)
        self.packets += 1
        self.bytes += packet.size
        self.header += 24 if self.kind == 'video' else 20
        self.transport.send(packet, self.deliver)

    def plied(self):
        self.plis += 1
        self.wanted = True

    def reported(self, report, made, rtt):
        """A receiver report: with it the round trip time."""
        self.measured += 1
        self.share += 0.3 * (report['fraction'] - self.share)
        self.total += rtt
        self.remote = dict(report, at=self.sim.now, rtt=rtt)


class Audio:
    """A microphone with Opus. `silent`: nobody speaks; `dead`, `muted`: digital zeros; `held`: nothing is sent."""

    def __init__(self, sim, rng, transport, rate=32000, dtx=False, fec=True, speech=0.5, dead=(), muted=(), held=(), music=False, frame=0.02, label='audio'):
        self.sim, self.rng, self.frame, self.dtx, self.fec, self.rate, self.music = sim, rng, frame, dtx, fec, rate, music
        self.speech, self.dead, self.muted, self.held = curve(speech), dead, muted, held
        self.stream = Stream(sim, rng, 'audio', transport, label=label, target=rate)
        self.talking, self.level, self.energy, self.duration, self.quietFor, self.number = False, 0.0, 0.0, 0.0, 0, 0
        self.loud = rng.uniform(0.05, 0.15)
        sim.every(frame, self.tick)
        sim.every(lambda: rng.expovariate(1.0) + 0.3, self.turn)

    def turn(self):
        self.talking = self.rng.random() < self.speech(self.sim.now)

    def within(self, spans):
        return any(a <= self.sim.now < b for a, b in spans)

    def tick(self):
        zero = self.within(self.dead) or self.within(self.muted)
        self.level = 0.0 if zero else self.loud * self.rng.uniform(0.3, 1.7) if self.talking else self.rng.uniform(0.0003, 0.0008)
        self.energy += self.level ** 2 * self.frame
        self.duration += self.frame
        self.number += 1
        self.stream.active = not self.within(self.held)
        if not self.stream.active:
            return
        voice = self.talking and not zero or self.music
        self.quietFor = 0 if voice else self.quietFor + 1
        resting = self.dtx and self.quietFor > 10
        if resting and (self.quietFor - 11) % int(0.4 / self.frame):
            return
        size = self.rate * self.frame / 8 * (self.rng.uniform(0.7, 1.25) if voice else 0.3 if not zero else 0.08)
        if resting:
            size = 8
        fec = self.fec and self.stream.share > 0.012  # the encoder is told of losses
        self.stream.send(Packet(size=max(3, int(size)), frame=self.number, count=1, capture=self.sim.now, quiet=resting, fec=fec, level=self.level))


class Camera:
    """A camera or screen, its encoder and its encodings. `layers`: (rid, scale, most, least) of simulcast, or one."""

    def __init__(self, sim, rng, transport, size=(1280, 720), fps=30, layers=((None, 1, 1700e3, 30e3),), content='talk', cost=6.0, load=1.0, adapt=True, off=(), cap=None, fps_of=None,
                 complexity=1.0, budget=None, disabled=(), paused=None, mode='L1T1', resized=(), starts=-999, codec='VP8', label='video', slides=(), hardware=False):
        self.sim, self.rng, self.transport, self.size, self.fps, self.content = sim, rng, transport, size, fps, content
        self.cost, self.load, self.adapt, self.off, self.cap, self.complexity = cost, curve(load), adapt, off, cap and curve(cap), curve(complexity)
        self.disabled, self.paused, self.mode, self.resized, self.starts, self.codec = disabled, paused or (lambda t, k: False), mode, resized, starts, codec
        self.fps_of, self.slides, self.hardware = curve(fps_of) if fps_of is not None else None, slides, hardware
        self.streams = [Stream(sim, rng, 'video', transport, label=label, rid=rid, scale=scale, most=most, least=least, index=k) for k, (rid, scale, most, least) in enumerate(layers)]
        for s in self.streams:
            s.wanted, s.frames, s.keys, s.qp, s.time, s.debt, s.times, s.target, s.on, s.width, s.height, s.huge, s.key, s.paid = True, 0, 0, 0, 0.0, 0.0, deque(), 0.0, True, 0, 0, 0, 0, sim.now
        self.reserve, self.frames, self.times, self.busy, self.usage, self.quality, self.cpu, self.changes = 40e3, 0, deque(), sim.now, 0.3, 0, 0, 0
        self.reason, self.durations, self.qps, self.dropsIn, self.calm = 'none', dict(bandwidth=0.0, cpu=0.0, none=0.0, other=0.0), deque(maxlen=60), 0, 0
        sim.every(self.period, self.tick)
        sim.every(1.0, self.adjust)

    def within(self, spans):
        return any(a <= self.sim.now < b for a, b in spans)

    def period(self):
        f = self.fps_of(self.sim.now) if self.fps_of else self.fps
        if self.within(self.disabled):
            f = 2  # Chrome sends black frames now and then
        return self.rng.uniform(0.93, 1.07) / max(0.5, f)

    def source(self):
        w, h = self.size
        for t, (nw, nh) in self.resized:
            if self.sim.now >= t:
                w, h = nw, nh
        return w, h

    def allocate(self):
        """Lowest layer first, as libwebrtc's simulcast allocator; what the app limits does not count against the network."""
        now = self.sim.now
        repairs = sum(s.repairs * 0.5 ** (now - s.repaired) for s in self.streams)
        left = max(0.0, self.transport.target * 0.95 - self.reserve - repairs)
        if self.cap:
            left = min(left, self.cap(self.sim.now))
        first = True
        for s in self.streams:
            s.active = not self.paused(now, s.index)
            s.on = s.active and (first or left >= s.least * (1.0 if s.on else 1.2))
            s.target = min(s.most, max(left, s.least)) if s.on else 0.0
            left -= s.target
            first = first and not s.on

    def limited(self):
        if self.cpu:
            return 'cpu'
        missing = any(s.active and not s.on for s in self.streams) and len(self.streams) > 1
        return 'bandwidth' if self.quality or missing else 'none'

    def adjust(self):
        """The quality scaler and the overuse detector, once a second."""
        self.durations[self.reason] += 1.0
        if self.sim.now > self.starts and not self.within(self.off):
            if self.adapt:
                self.relieve()
            if len(self.streams) == 1 and self.content == 'talk' and self.mode == 'L1T1':
                self.scale()
        self.reason = self.limited()

    def relieve(self):
        self.calm = self.calm + 1 if self.usage < 0.55 else 0
        if self.usage > 0.85 and self.cpu + self.quality < len(SCALES) - 1:
            self.hot = getattr(self, 'hot', 0) + 1
            if self.hot >= 3:
                self.cpu, self.changes, self.hot = self.cpu + 1, self.changes + 1, 0
        elif self.calm > 8 and self.cpu:
            self.cpu, self.changes, self.calm = self.cpu - 1, self.changes + 1, 0
        else:
            self.hot = 0

    def scale(self):
        if len(self.qps) < 20:
            return
        mean = sum(self.qps) / len(self.qps)
        if mean > 90 and self.quality + self.cpu < len(SCALES) - 1:
            self.quality, self.changes = self.quality + 1, self.changes + 1
            self.qps.clear()
        elif mean < 28 and self.quality and len(self.qps) >= 60:
            self.quality, self.changes = self.quality - 1, self.changes + 1
            self.qps.clear()

    def tick(self):
        now = self.sim.now
        if self.within(self.off) or now < self.starts:
            return
        self.frames += 1
        self.times.append(now)
        while self.times and self.times[0] < now - 1:
            self.times.popleft()
        self.allocate()
        pixels = sum(self.shape(s)[0] * self.shape(s)[1] for s in self.streams if s.on)
        time = self.cost / 1000 * self.load(now) * pixels / 921600 * self.rng.uniform(0.85, 1.2) + 0.0008
        self.usage = 0.95 * self.usage + 0.05 * min(1.5, time * max(1, len(self.times)))
        if self.transport.backlog > 0.8 or not self.transport.writable:
            return
        if self.busy > now + 0.02:  # the encoder has the frame before still: this one is dropped
            self.dropsIn += 1
            return
        self.busy = max(now, self.busy) + time
        for s in self.streams:
            if s.on:
                w, h = self.shape(s)
                self.encode(s, w, h, time * w * h / max(1, pixels))

    def shape(self, s):
        w, h = self.source()
        f = s.scale * SCALES[min(len(SCALES) - 1, self.quality + self.cpu)]
        return int(w * f) // 2 * 2, int(h * f) // 2 * 2

    def wish(self, s, w, h):
        """Bytes that the content deserves at most, and whether it is still."""
        if self.within(self.disabled):
            return 200
        if self.content == 'screen':
            moved = [now for now in self.slides if 0 <= self.sim.now - now < 1.5]
            return w * h * 0.03 if moved else self.rng.uniform(40, 400)
        return w * h * 0.012 * self.complexity(self.sim.now)

    def encode(self, s, w, h, time):
        now, rate = self.sim.now, max(5e3, s.target)
        fps = max(1.0, len(s.times) if len(s.times) > 2 else self.fps)
        budget = rate / 8 / max(fps, 5 if self.content == 'talk' else 15)
        key = s.wanted or (w, h) != (s.width, s.height)
        s.debt, s.paid = max(0.0, s.debt - rate / 8 * min(1.0, now - s.paid)), now
        s.debt = min(s.debt, rate / 8 * 1.5)
        if s.debt > rate / 8 * (0.5 if not key else 1):  # the frame dropper of the encoder
            return
        s.wanted, s.width, s.height = False, w, h
        best = self.wish(s, w, h)
        mean = min(budget, best)
        size = mean * (self.rng.uniform(4, 6) if key else self.rng.lognormvariate(0, 0.25) * (0.75 if s.debt > rate / 8 * 0.15 else 1.0))
        if key:
            size = max(size, min(w * h * 0.012, 25000, max(6000, rate / 8 * 0.5)) * (0.3 if self.within(self.disabled) else 1))
        qp = self.quantiser(size * 8 / (w * h) / (4 if key else 1), mean / best)
        self.qps.append(qp) if not key and s is self.streams[-1] else None
        s.debt += size
        s.frames, s.keys, s.qp, s.time = s.frames + 1, s.keys + key, s.qp + qp, s.time + time
        s.huge += size > 2.5 * mean
        s.times.append(now)
        while s.times[0] < now - 1:
            s.times.popleft()
        self.packetize(s, max(30, int(size)), key, w, h, qp)

    def quantiser(self, bits, share):
        """Of VP8, by bits a pixel; a screen has what it needs or not."""
        if self.content == 'screen':
            return int(min(127, 12 + 90 * (1 - share) * self.rng.uniform(0.9, 1.1)))
        return int(min(127, max(4, 26 * (0.045 * self.complexity(self.sim.now) / max(1e-4, bits)) ** 0.9)))

    def packetize(self, s, size, key, w, h, qp):
        count = -(-size // 1130)
        layered = self.mode[3] == '3'  # T3: odd frames are referred to by none
        ref = 0 if key else max(s.key, s.frames - 2 if layered and s.frames % 2 == 0 else s.frames - 1)
        s.key = s.frames if key else s.key
        for k in range(count):
            part = size * (k + 1) // count - size * k // count
            s.send(Packet(part, s.frames, count, self.sim.now, key, ref, w, h, qp), True)
