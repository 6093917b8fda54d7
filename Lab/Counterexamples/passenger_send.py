# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What is sent in the set passenger: cameras, screens and microphones, encoders with a quantiser, a budget of bits, and a budget of the processor."""
import math
from collections import defaultdict, deque

from passenger_flow import Packet

COST = {'VP8': 8.0, 'VP9': 15.0, 'H264': 3.5, 'AV1': 22.0}          # ns a pixel of a laptop
GAIN = {'VP8': 1.0, 'VP9': 1.35, 'H264': 1.0, 'AV1': 1.6}           # quality a bit
SCALE = {'VP8': (30, 26, 127), 'VP9': (70, 48, 255), 'H264': (24, 5.5, 51), 'AV1': (80, 48, 255)}
POOR = {'VP8': 95, 'VP9': 185, 'H264': 37, 'AV1': 190}
GOOD = {'VP8': 47, 'VP9': 92, 'H264': 26, 'AV1': 95}
STEPS = [1, 0.75, 0.5, 0.375, 0.25]


class Processor:
    """Encoders share it; `speed` 1 is a laptop that does nothing else."""

    def __init__(self):
        self.speed, self.busy = 1.0, 0.0

    def encode(self, now, pixels, codec, rng):
        """The seconds it takes, or None where the frame has to be dropped since others wait."""
        if self.busy > now + 0.045:
            return None
        took = pixels * COST[codec] * 1e-9 / self.speed * rng.uniform(0.85, 1.25) + 0.0008
        self.busy = max(now, self.busy) + took
        return took


class Out:
    """What every RTP stream that is sent has."""

    def __init__(self, call, flow, kind, mid, codec):
        self.call, self.flow, self.kind, self.mid, self.codec = call, flow, kind, mid, codec
        self.ssrc = call.rng.getrandbits(32)
        self.seq, self.c, self.kept, self.order = call.rng.randrange(1000), defaultdict(float), {}, deque()
        self.sink, self.rr, self.sr, self.active, self.rid, self.index, self.source = None, None, None, True, None, 0, None
        self.away = False

    @property
    def track_name(self):
        return self.track if self.kind == 'audio' else self.source.track

    def flow_fec(self):
        """In-band FEC is on once the far end reports losses."""
        return bool(self.rr and self.rr[1] and (self.rr[2] > 0.008 or self.call.now - self.rr[0] > 6))

    def sending(self, packet, now):
        c, n = self.c, 24 if self.kind == 'video' else 20
        c['packets'] += 1
        c['bytes'] += packet.size - n
        c['head'] += n
        c['pace'] += now - packet.queued
        if packet.again:
            c['rtx'] += 1
            c['rtxbytes'] += packet.size - n
        else:
            self.kept[packet.seq] = [packet, now]
            self.order.append(packet.seq)
            if len(self.order) > 800:
                self.kept.pop(self.order.popleft(), None)

    def padded(self, packet):
        """Padding counts as packets, and not as retransmissions, though it repeats packets."""
        self.c['packets'] += 1
        self.c['bytes'] += packet.size - 24
        self.c['head'] += 24

    def asked(self, numbers):
        """A NACK: what is not older than a round trip's answer is sent again."""
        now = self.call.now
        self.c['nack'] += len(numbers)
        for number in numbers:
            kept = self.kept.get(number)
            if kept and now - kept[1] > self.flow.trip * 0.6 and len(self.flow.urgent) < 60:
                kept[1] = now
                self.flow.push(kept[0].copy(self, True), now)

    def key(self):
        self.c['pli'] += 1

    def renew(self):
        """A renegotiation: another SSRC, counters from zero."""
        self.ssrc, self.rr = self.call.rng.getrandbits(32), None
        kept = {m: self.c[m] for m in ('energy', 'samples')}     # of the source, which stays
        self.c.clear()
        self.c.update(kept)
        self.sink.renew()


class Video(Out):
    """One encoding."""

    def __init__(self, call, flow, mid, codec, wide, high, fps, most, rid=None, index=0, mode=None, detail=False):
        super().__init__(call, flow, 'video', mid, codec)
        self.full, self.fps, self.most, self.rid, self.index, self.mode, self.detail = (wide, high), fps, most, rid, index, mode, detail
        self.least = 30e3 if index == 0 else most * 0.3
        self.target, self.step, self.cpu_step, self.due, self.debt = 0.0, 0, 0, True, 0.0
        self.frame, self.last, self.given = 0, -9.0, -9.0
        self.limits, self.reason, self.changes = {'none': 0.0, 'cpu': 0.0, 'bandwidth': 0.0, 'other': 0.0}, 'none', 0
        self.history, self.qps, self.spent, self.skipped = deque(), deque(maxlen=60), deque(), deque()
        self.checked = self.cpu_checked = call.now
        self.noted, self.now_qp, self.low_since = call.now, 30, None
        self.single, self.wish, self.resting = True, 1.0, False

    def key(self):
        super().key()
        self.due = True

    @property
    def size(self):
        s = STEPS[min(4, self.step + self.cpu_step)]
        return int(self.full[0] * s / 2) * 2, int(self.full[1] * s / 2) * 2

    def note(self, now):
        """Time goes to the reason that has held."""
        self.limits[self.reason] += now - self.noted
        self.noted = now

    def reasoned(self, now):
        self.note(now)
        starved = self.target < 0.5 * self.want() and self.single and self.now_qp > 0.85 * POOR[self.codec]
        self.reason = 'cpu' if self.cpu_step else 'bandwidth' if self.step or starved or self.resting else 'none'

    def want(self):
        pixels = self.full[0] * self.full[1] * self.fps
        return min(self.most, pixels * 0.09)

    def encode(self, source, now):
        """A frame of the source comes; it is encoded, or dropped."""
        if not self.active or now - self.given < 0.9 / self.fps:
            return
        self.resting = self.target < self.least * 0.8
        if self.resting:
            self.reasoned(now)
            return
        self.given = now
        wide, high = self.size
        took = self.call_processor.encode(now, wide * high, self.codec, self.call.rng)
        self.spent.append((now, took or 0))
        if took is None:
            self.check(now)
            return
        self.c['encode'] += took
        self.make(source, now + took, wide, high)
        self.check(now)

    def make(self, source, at, wide, high):
        rng, key = self.call.rng, self.due
        fps = min(self.fps, max(1.0, source.pace))
        budget = self.target / fps
        least = wide * high * 0.012 * source.detail / GAIN[self.codec]      # bits of a frame at the worst quantiser
        if not key and (budget - self.debt * 0.1 < least * 0.8 and rng.random() > budget / least or self.flow.queued() > 0.4):
            self.skipped.append((at, 1))
            return
        self.skipped.append((at, 0))
        need = source.need(wide * high, key) / GAIN[self.codec]
        bits = max(least * (4 if key else 1), min((budget - self.debt * 0.12) * (5 if key else 1), need) * math.exp(rng.gauss(0, 0.18)))
        self.debt = max(-budget * 8, min(budget * 40, self.debt + bits - budget))
        a, b, top = SCALE[self.codec]
        self.now_qp = max(4, min(top, a - b * math.log2(max(1e-4, bits / (4 if key else 1) * GAIN[self.codec] / (wide * high * source.detail)) / 0.1)))
        self.qps.append(self.now_qp)
        self.due = False
        c = self.c
        c['frames'] += 1
        c['keys'] += key
        c['qp'] += int(self.now_qp)
        c['huge'] += bits > 2.5 * budget
        c['target'] += budget / 8
        self.history.append(at)
        while self.history[0] < at - 1:
            self.history.popleft()
        self.frame += 1
        self.last = at
        self.call.push(at, self.cut, (int(bits / 8), self.frame, key, (wide, high)))

    def cut(self, what):
        """The frame is cut into packets of equal size."""
        size, frame, key, picture = what
        now, count = self.call.now, max(1, math.ceil(size / 1150))
        for k in range(count):
            self.seq += 1
            self.flow.push(Packet(self, self.seq, size // count + 24, frame=frame, k=k, count=count, key=key, at=now, picture=picture, qp=self.now_qp), now)

    def check(self, now):
        """Each 2 s the quantiser's average; each 5 s the processor."""
        if now - self.checked > 2:
            self.checked = now
            while self.skipped and self.skipped[0][0] < now - 4:
                self.skipped.popleft()
            drops = sum(x[1] for x in self.skipped) / max(1, len(self.skipped))
            mean = sum(self.qps) / max(1, len(self.qps))
            if self.single and not self.detail and len(self.qps) > 15:
                if (mean > POOR[self.codec] or drops > 0.6) and self.step + self.cpu_step < 4:
                    self.step, self.changes, self.due = self.step + 1, self.changes + 1, self.step > 5
                    self.qps.clear()
                elif self.step and mean < GOOD[self.codec] and self.target > 0.45 * self.want() * STEPS[self.step - 1] ** 2 * 1.3:
                    self.step, self.changes = self.step - 1, self.changes + 1
                    self.qps.clear()
            self.reasoned(now)
        if now - self.cpu_checked > 5:
            self.cpu_checked = now
            self.loaded(now)

    def loaded(self, now):
        while self.spent and self.spent[0][0] < now - 4:
            self.spent.popleft()
        drops = sum(1 for x in self.spent if not x[1]) / max(1, len(self.spent))
        use = sum(x[1] for x in self.spent) / 4 * self.call_share
        if (use > 0.85 or drops > 0.2) and self.cpu_step + self.step < 4:
            self.cpu_step, self.changes = self.cpu_step + 1, self.changes + 1
        elif use < 0.3 and self.cpu_step and drops < 0.02:
            self.low_since = self.low_since or now
            if now - self.low_since > 9:
                self.cpu_step, self.changes, self.low_since = self.cpu_step - 1, self.changes + 1, None
        else:
            self.low_since = None
        self.reasoned(now)

    call_share = 1.0

    def rate_now(self, now):
        return sum(1 for x in self.history if x > now - 1)


class Source:
    """A camera, or a screen: frames at a pace, and how many bits a pixel they need."""

    def __init__(self, call, wide, high, fps, screen=None, detail=1.0):
        self.call, self.wide, self.high, self.fps, self.screen, self.detail = call, wide, high, fps, screen, detail
        self.encodings, self.frames, self.pace, self.on, self.gone = [], 0, fps, True, False
        self.history, self.change, self.motion = deque(), 1.0, 1.0
        self.id = call.rng.randrange(1, 90)
        self.track = call.track()
        call.later(call.rng.uniform(0.01, 0.05), self.tick)

    def tick(self, _):
        now, rng = self.call.now, self.call.rng
        pace = self.pace if self.screen in (None, 'video') or now < self.change_until else 1.0 if self.screen == 'static' else self.pace
        self.call.later(1 / pace * rng.uniform(0.96, 1.04) if pace > 2 else rng.uniform(0.9, 1.1) / pace, self.tick)
        if self.screen == 'static' and rng.random() < 0.04:
            self.change_until = now + 0.4
        if not self.on or self.gone or self.call.sleeps and self in self.call.sender.sources:
            return
        self.frames += 1
        self.history.append(now)
        self.motion = 0.98 * self.motion + 0.02 * rng.uniform(0.4, 1.6)
        for encoding in self.encodings:
            encoding.encode(self, now)

    change_until = 0.0

    def need(self, pixels, key):
        """The bits that the frame can use at the best quantiser."""
        if self.screen == 'static' and not key:
            return pixels * (0.35 if self.call.now < self.change_until else 0.002)
        if self.screen == 'scroll' and not key:
            return pixels * self.call.rng.choice([0.01, 0.01, 0.05, 0.25])
        return pixels * (0.12 * self.motion * self.detail + (0.5 if key else 0))

    def rate_now(self, now):
        while self.history and self.history[0] < now - 1:
            self.history.popleft()
        return len(self.history)


class Mic(Out):
    """A microphone and its Opus encoder: 20 ms a packet, DTX in silence, RED with the packet before."""

    def __init__(self, call, flow, mid, dtx=True, red=0, bits=32e3, talks=0.5):
        super().__init__(call, flow, 'audio', mid, 'opus')
        self.dtx, self.red, self.bits, self.talks, self.floor = dtx, red, bits, talks, call.rng.uniform(0.0003, 0.002)
        self.level, self.talking, self.until, self.n, self.rest = 0.0, False, 0.0, 0, 0
        self.muted, self.off, self.gone, self.fec, self.id, self.track = False, False, False, True, call.rng.randrange(1, 90), call.track()
        self.previous, self.target = 0, bits
        call.later(call.rng.uniform(0, 0.02), self.tick)

    def tick(self, _):
        now, rng = self.call.now, self.call.rng
        self.call.later(0.02, self.tick)
        self.n += 1
        if self.call.sleeps and self in self.call.ups:
            return
        if now > self.until:
            self.talking = rng.random() < self.talks
            self.until = now + (rng.uniform(1, 6) if self.talking else rng.uniform(0.5, 5))
        loud = self.talking and rng.random() > 0.12
        self.level = 0.0 if self.muted else rng.uniform(0.03, 0.25) if loud else self.floor * rng.uniform(0.6, 1.5)
        if not self.gone:
            self.c['energy'] += self.level ** 2 * 0.02
            self.c['samples'] += 0.02
        if self.off or self.gone:
            return
        quiet = not loud
        self.rest = self.rest + 1 if quiet else 0
        if self.dtx and self.rest > 10 and self.rest % 20:
            return
        payload = int(self.bits / 400 * rng.uniform(0.85, 1.15)) if loud else int(self.bits / 400 * 0.6) if self.rest < 10 or not self.dtx else 3
        size = payload + (self.previous + 5 if self.red and self.rest < 10 else 0)
        self.previous = payload
        self.seq += 1
        self.flow.push(Packet(self, self.seq, size + 20, at=self.n, level=self.level, quiet=self.dtx and self.rest > 9, red=self.red, count=1, frame=0, k=0), now)


class Sender:
    """What one end sends into a flow, and how the estimate is shared out."""

    def __init__(self, call, flow, processor=None):
        self.call, self.flow, self.processor = call, flow, processor or Processor()
        self.sources, self.mics = [], []
        call.later(0.05, self.allocate)

    def encodings(self):
        return [e for s in self.sources for e in s.encodings]

    def add(self, source, *encodings):
        self.sources.append(source)
        for e in encodings:
            e.source, e.call_processor, e.single = source, self.processor, len(encodings) == 1
            e.call_share = 1.0
            source.encodings.append(e)
            self.flow.padding = self.flow.padding or e
        return source

    def allocate(self, _):
        self.call.later(0.15, self.allocate)
        rate = self.flow.rate - sum(m.bits * 1.35 * (1 + (m.red > 0)) for m in self.mics if not m.off)
        waits = self.flow.queued()
        rate = max(20e3, rate * (1 if waits < 0.15 else 0.7))
        wanted = {s: sum(min(e.most, e.want()) if e.single else e.most for e in s.encodings if e.active) for s in self.sources if s.on and not s.gone}
        total = sum(wanted.values())
        self.flow.wanted = total + 60e3
        for s in wanted:
            share = rate * wanted[s] / max(1, total)
            for e in s.encodings:
                if not e.active:
                    e.target = 0
                    continue
                give = min(share, e.want() if e.single else e.most)
                e.target = give if give >= e.least else 0
                share -= e.target
