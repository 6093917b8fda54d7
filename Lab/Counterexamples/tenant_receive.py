# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What receives in the set `tenant`: RTP statistics and NACK, a NetEq, a frame buffer with decoder, and the forwarder of an SFU."""
from collections import deque

from tenant_link import curve


class Receiver:
    """Counts, jitter (RFC 3550), NACK, and receiver reports for one stream."""

    def __init__(self, sim, rng, stream, nack=None, report=None):
        self.sim, self.rng, self.stream, self.transport = sim, rng, stream, stream.transport
        self.nack = stream.kind == 'video' if nack is None else nack
        self.packets = self.bytes = self.header = self.againPackets = self.againBytes = self.nacks = self.plis = self.failed = 0
        self.first = self.highest = None
        self.jitter, self.transit, self.capture, self.missing, self.last, self.before = 0.0, None, None, {}, None, (0, 0)
        self.remote, self.sent, self.asked = None, 0, -9.0
        stream.deliver = self.arrived
        sim.every(report or (lambda: rng.uniform(0.8, 1.2)), self.report)
        sim.every(1.0, self.announce)

    def arrived(self, p):
        now = self.sim.now
        self.last = now
        self.packets += 1
        self.bytes += p.size
        self.header += 24 if self.stream.kind == 'video' else 20
        if p.again:
            self.againPackets += 1
            self.againBytes += p.size
            if self.missing.pop(p.seq, None) is None:
                return
        else:
            self.count(p, now)
        self.media(p)

    def count(self, p, now):
        if self.first is None:
            self.first, self.highest, self.originals = p.seq, p.seq - 1, 0
        self.originals += 1
        if p.seq > self.highest:
            if p.capture != self.capture:
                transit = now - p.capture
                if self.transit is not None:
                    self.jitter += (min(0.45, abs(transit - self.transit)) - self.jitter) / 16
                self.transit, self.capture = transit, p.capture
            if p.seq > self.highest + 1 and self.nack:
                self.ask(list(range(self.highest + 1, p.seq))[-300:], now)
            self.highest = p.seq
        else:
            self.missing.pop(p.seq, None)

    def ask(self, gap, now):
        for s in gap:
            self.missing[s] = 1
        self.nacks += 1
        self.transport.small(self.stream.nacked, gap)
        self.sim.at(now + self.transport.rtt * 1.1 + 0.01, self.again, gap)

    def again(self, gap):
        """Asks ten times at most for what is missing still."""
        rest = [s for s in gap if s in self.missing]
        keep = []
        for s in rest:
            self.missing[s] += 1
            if self.missing[s] > 10:
                del self.missing[s]
                self.failed += 1
            else:
                keep.append(s)
        if len(keep) < len(rest):
            self.plead()
        if keep:
            self.nacks += 1
            self.transport.small(self.stream.nacked, keep)
            self.sim.at(self.sim.now + self.transport.rtt * 1.1 + 0.01, self.again, keep)

    def plead(self):
        if self.sim.now - self.asked > 0.45:
            self.asked = self.sim.now
            self.plis += 1
            self.transport.small(self.stream.plied)

    def media(self, p):
        pass

    @property
    def lost(self):
        return 0 if self.first is None else self.highest - self.first + 1 - self.originals

    def report(self):
        if self.first is None:
            return
        now, expected = self.sim.now, self.highest - self.first + 1
        of, lost = expected - self.before[0], self.lost - self.before[1]
        if not of and self.last < now - 3:
            return  # RTCP names only who sent lately
        self.before = expected, self.lost
        fraction = min(255, int(256 * max(0, lost) / of)) / 256 if of else 0.0
        t = self.transport
        back = t.back.send(now, 90)
        if back is not None:
            rtt = max(0.001, back - now + t.fwd.peek(now))
            self.sim.at(back, self.stream.reported, dict(fraction=fraction, lost=self.lost, jitter=self.jitter, received=self.originals), now, rtt)

    def announce(self):
        """The sender report of the far end, as we get it."""
        s = self.stream
        if s.packets and s.active:
            arrival = self.transport.fwd.send(self.sim.now, 90)
            if arrival is not None:
                self.sent += 1
                self.sim.at(arrival, setattr, self, 'remote', dict(packets=s.packets, bytes=s.bytes, at=arrival, made=self.sim.now, count=self.sent))


class AudioReceiver(Receiver):
    """A NetEq: waits for the 95th percentile of the delay, conceals, accelerates and stretches."""

    def __init__(self, sim, rng, stream, **other):
        super().__init__(sim, rng, stream, **other)
        self.buffer, self.next, self.play, self.expanded, self.credit, self.quiet = {}, None, 0.0, 0, 0.0, False
        self.delays, self.target, self.level, self.energy = deque(maxlen=400), 0.04, 0.0, 0.0
        self.samples = self.concealed = self.silent = self.events = self.discarded = self.fecs = self.fecsDiscarded = self.inserted = self.removed = self.emitted = 0
        self.waited = self.targeted = self.least = self.processing = 0.0
        sim.every(0.02, self.tick)

    def media(self, p):
        now = self.sim.now
        if p.fec:
            self.fecs += 1
            self.fecsDiscarded += (p.frame - 1) in self.buffer or self.next is not None and p.frame - 1 < self.next
        if self.next is None:
            self.next, self.play = p.frame, now + self.target
        if p.frame < self.next:
            self.discarded += 1
            return
        self.buffer[p.frame] = p, now
        self.delays.append(now - p.capture)
        if len(self.delays) < 100 and len(self.delays) % 20 == 0 or self.rng.random() < 0.02:
            ordered = sorted(self.delays)
            self.target = max(0.04, min(1.0, ordered[int(0.95 * (len(ordered) - 1))] - ordered[0] + 0.02))

    def tick(self):
        now = self.sim.now
        if self.next is None or now < self.play:
            return
        self.samples += 960
        if self.next not in self.buffer and self.buffer:
            first = min(self.buffer)
            if self.quiet or first - self.next <= self.expanded:
                self.next = first
        level = len(self.buffer) * 0.02
        if level > 1.25 * self.target + 0.02:
            self.credit = max(0.0, self.credit) + 0.2
        elif level < 0.6 * self.target and not self.quiet and self.buffer:
            self.credit = min(0.0, self.credit) - 0.1
        if self.credit >= 1 and self.next in self.buffer:  # faster: one packet more in this time
            self.credit = 0.0
            self.removed += 960
            self.take(now)
        if self.credit <= -1 and self.next in self.buffer:  # slower: the last one stretched
            self.credit = 0.0
            self.inserted += 960
            return
        self.take(now) if self.next in self.buffer else self.conceal()
        self.energy += self.level ** 2 * 0.02

    def take(self, now):
        p, came = self.buffer.pop(self.next)
        self.next += 1
        self.emitted += 960
        self.waited += (now - came + 0.01) * 960
        self.targeted += self.target * 960
        self.least += max(0.04, self.target * 0.9) * 960
        self.processing += (now - came + 0.012) * 960
        self.expanded, self.quiet, self.level = 0, p.quiet, p.level

    def conceal(self):
        later = self.buffer.get(self.next + 1)
        if later and later[0].fec:
            self.next += 1
            self.expanded = 0
            return
        if self.quiet and not self.buffer:
            return  # comfort noise between the packets of DTX
        self.concealed += 960
        self.events += self.expanded == 0
        self.expanded += 1
        self.level *= 0.85
        if self.expanded > 20:
            self.silent, self.level = self.silent + 960, 0.0
        if self.buffer:
            self.next += 1
            self.expanded -= 1 if self.next in self.buffer and self.expanded > 1 else 0


class VideoReceiver(Receiver):
    """A frame buffer, a decoder of a given speed, and a screen. `slow`: seconds a frame of 720p; `broken`: decodes nothing."""

    def __init__(self, sim, rng, stream, slow=0.006, broken=(), hidden=(), **other):
        super().__init__(sim, rng, stream, **other)
        self.slow, self.broken, self.waiting, self.done = curve(slow), broken, {}, deque(maxlen=60)
        self.base, self.late, self.width, self.height, self.fps = None, 0.01, 0, 0, deque()
        self.received = self.decoded = self.keys = self.dropped = self.assembled = self.freezes = self.pauses = self.emitted = self.qp = 0
        self.frozen = self.paused = self.waited = self.targeted = self.assembly = self.decoding = self.between = self.squares = self.processing = 0.0
        self.free, self.shown, self.gaps, self.stuck, self.lastDone, self.skipping, self.gone = sim.now, None, deque(maxlen=30), None, 0, False, False
        sim.every(0.1, self.watch)

    def media(self, p):
        if p.frame <= self.lastDone:
            return
        f = self.waiting.get(p.frame)
        if f is None:
            f = self.waiting[p.frame] = [0, p, self.sim.now]
        f[0] += 1
        if f[0] == p.count:
            self.received += 1
            if p.count > 1:
                self.assembled += 1
                self.assembly += self.sim.now - f[2]
            self.decodable()

    def decodable(self):
        while True:
            ready = [n for n, f in self.waiting.items() if f[0] >= f[1].count and (f[1].key or f[1].ref in self.done)]
            if not ready:
                return
            n = min(ready)
            f = self.waiting.pop(n)
            for m in [m for m in self.waiting if m < n]:
                self.dropped += self.waiting.pop(m)[0] > 0
            self.done.append(n)
            self.lastDone, self.stuck = n, None
            self.decode(f[1], f[2])

    def decode(self, p, first):
        now = self.sim.now
        if any(a <= now < b for a, b in self.broken):
            self.dropped += 1
            self.plead()
            return
        lateness = now - p.capture
        self.base = lateness if self.base is None else min(lateness, self.base + 0.0004)
        over = lateness - self.base - self.late
        self.late += 0.25 * min(over, 0.15) if over > 0 else 0.004 * over
        leave = max(now, p.capture + self.base + self.late)
        if self.skipping and not (p.key and self.free - leave < 0.3) or self.free - leave > 1.2:
            self.dropped += 1  # what waits for the decoder is thrown away until a key frame
            self.skipping = True
            self.plead()
            return
        self.skipping = False
        spent = (self.slow(now) * (p.width * p.height / 921600) ** 0.8 + 0.0005) * self.rng.uniform(0.8, 1.3)
        start = max(leave, self.free)
        self.free = start + spent
        self.sim.at(self.free, self.show, p, first, start, spent)

    def show(self, p, first, start, spent):
        now = self.sim.now
        self.decoded += 1
        self.keys += p.key
        self.qp += p.qp
        self.emitted += 1
        self.waited += start - first
        self.targeted += self.late + 0.01
        self.decoding += spent
        self.processing += now - first
        self.width, self.height = p.width, p.height
        self.fps.append(now)
        if self.shown is not None:
            gap = now - self.shown
            self.between += gap
            self.squares += gap * gap
            self.freeze(gap)
            self.gaps.append(gap)
        self.shown, self.gone = now, False

    def freeze(self, gap):
        mean = sum(self.gaps) / len(self.gaps) if self.gaps else 0.05
        if self.gone:
            self.pauses += 1
            self.paused += gap
        elif len(self.gaps) >= 10 and gap > max(3 * mean, mean + 0.15):
            self.freezes += 1
            self.frozen += gap

    def watch(self):
        """Key frames are asked for when what comes can't be decoded."""
        now = self.sim.now
        self.gone = self.gone or self.last is not None and now - self.last > 5
        while self.fps and self.fps[0] < now - 1:
            self.fps.popleft()
        if self.waiting and max(self.waiting) > self.lastDone + 2 or self.stuck:
            self.stuck = self.stuck or now
            limit = 0.2 if self.decoded == 0 else min(3.0, max(0.5, 8 * self.transport.rtt))
            if now - self.stuck > limit and self.last > now - 1:
                self.plead()
        if len(self.waiting) > 200:
            for n in sorted(self.waiting)[:100]:
                self.dropped += self.waiting.pop(n)[0] > 0


class Forwarder:
    """An SFU's forwarding of one camera: chooses the encoding, rewrites numbers, repairs from its history."""

    def __init__(self, sim, rng, sources, out, limit=9, stopped=(), blind=False):
        self.blind = blind  # a fault: it begins in the middle and asks for no key frame
        self.sim, self.sources, self.out, self.limit, self.stopped = sim, sources, out, curve(limit), stopped
        self.current, self.wanted, self.changed, self.shift, self.base = None, len(sources) - 1, -99.0, (0, 0), 0
        self.frame = 0
        out.wanted = False
        sim.every(0.5, self.plea)

    def cost(self, k):
        s = self.sources[k]
        return max(s.target, 40e3) if s.on else 1e12

    def choose(self, left, now):
        """The best encoding that fits; upwards only after 8 s and with a margin. Returns what is left."""
        top = int(min(self.limit(now), len(self.sources) - 1))
        fits = [k for k in range(top + 1) if self.cost(k) <= left * (1.0 if self.wanted is not None and k <= self.wanted else 0.8)]
        k = max(fits) if fits else (0 if self.cost(0) < 1e11 and left > 25e3 else None)
        if k != self.wanted and (self.wanted is not None and (k is None or k < self.wanted or self.cost(self.wanted) > 1e11) or now - self.changed > 8 or self.limit(now) != self.limit(now - 1)):
            self.wanted, self.changed = k, now
        return max(0.0, left - (self.cost(self.wanted) if self.wanted is not None and self.cost(self.wanted) < 1e11 else 0.0))

    def plea(self):
        """Until the key frame of the wanted encoding comes; and what the receiver asks for."""
        if not self.blind and (self.wanted is not None and self.wanted != self.current or self.out.wanted):
            k = self.wanted if self.wanted is not None else 0
            self.out.wanted = False
            self.sim.at(self.sim.now + self.sources[k].transport.rtt / 2, self.sources[k].plied)

    def push(self, k, p):
        now = self.sim.now
        if any(a <= now < b for a, b in self.stopped):
            self.current = None
            return
        if self.wanted is None:
            self.current = None
        elif k == self.wanted and k != self.current and (p.key or self.blind):
            self.current, self.base = k, p.seq
            self.shift = self.out.seq + 1 - p.seq, self.frame + 1 - p.frame
        if k != self.current or p.seq < self.base:
            return
        self.frame = max(self.frame, p.frame + self.shift[1])
        self.out.relay(p.copy(p.seq + self.shift[0], shift=self.shift[1]))
