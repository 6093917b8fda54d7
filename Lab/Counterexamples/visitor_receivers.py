# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What receives in the calls of `visitor.py`: packets counted and asked for again, the jitter buffers, decoder, and freezes."""
import math
from collections import deque
from stranger_network import at


class Receiver:
    """Sequence numbers counted, RFC 3550 jitter, NACK with retries; pk = (seq, cap, size, fid, i, n, key, w, h, tl, rtx)."""

    def __init__(self, leg, tx, clock, nack=True):
        self.leg, self.sim, self.draw, self.tx, self.clock, self.repairing = leg, leg.sim, leg.draw, tx, clock, nack
        self.first = None
        self.highest = None
        self.received = 0
        self.bytes = 0
        self.repairs = self.repaired_bytes = 0
        self.nacks = self.plis = 0
        self.jitter_seen = 0.0
        self.last_delay = None
        self.missing = {}
        self.last_packet = None
        self.blocked = False
        self.ticking = False

    def lost_count(self):
        return 0 if self.highest is None else max(0, self.highest - self.first + 1 - self.received)

    def arrive(self, p):
        t = self.sim.now
        if self.blocked and at(self.blocked, t):
            return
        self.last_packet = t
        if p[10]:
            self.repairs += 1
            self.repaired_bytes += p[2]
            self.missing.pop(p[0], None)
            self.media(p)
            return
        self.received += 1
        self.bytes += p[2]
        d = t - p[1]
        if self.last_delay is not None:
            self.jitter_seen += (abs(d - self.last_delay) - self.jitter_seen) / 16
        self.last_delay = d
        if self.highest is None:
            self.first = self.highest = p[0]
        elif p[0] > self.highest:
            if self.repairing and p[0] - self.highest < 400:
                for q in range(self.highest + 1, p[0]):
                    self.missing[q] = [0, t]
                if self.missing and (not self.ticking):
                    self.ticking = True
                    self.sim.schedule(t + .005, self.ask_again)
            self.highest = p[0]
        self.media(p)

    def media(self, p):
        """What a receiver does with a packet; the far end of an audio track does nothing."""

    def ask_again(self):
        t = self.sim.now
        due = [q for q, m in self.missing.items() if t >= m[1]]
        if due:
            self.nacks += 1
            for q in due:
                m = self.missing[q]
                m[0] += 1
                m[1] = t + max(.02, self.leg.congestion.round_trip)
                if m[0] > 10:
                    del self.missing[q]
                    self.given_up(q)
            self.leg.rtcp(self.tx.nack, due)
        if self.missing:
            self.sim.schedule(t + .02, self.ask_again)
        else:
            self.ticking = False

    def given_up(self, q):
        self.pli()

    def pli(self):
        if self.sim.now - getattr(self, 'last_pli', -9) < .3:
            return
        self.last_pli = self.sim.now
        self.plis += 1
        self.leg.rtcp(self.tx.pli)

    def reset(self):
        self.__dict__.update(first=None, highest=None, received=0, bytes=0, repairs=0, repaired_bytes=0, nacks=0, plis=0, last_delay=None, missing={})


class ReceivedVideo(Receiver):
    """Frames, jitter buffer, decoder, freezes."""

    def __init__(self, leg, tx, decode=.004, nack=True, broken=None, broken_received=False):
        super().__init__(leg, tx, 90000, nack)
        self.decoding, self.broken, self.broken_received = decode, broken, broken_received
        self.zero()
        self.parts = {}
        self.ready = {}
        self.next = None
        self.base = None
        self.mean = 0.0
        self.var = 4e-5
        self.buffer = .02
        self.decoder_free = 0.0
        self.gaps = deque(maxlen=30)
        self.last_frame = None
        self.width = self.height = 0
        self.nack_time = -9.0
        self.recent = deque()
        self.tick()

    def zero(self):
        self.received_frames = self.decoded = self.dropped = self.keys = self.freezes = self.pauses = 0
        self.decode_time = self.between = self.between_squared = self.frozen = self.paused = self.held = 0.0
        self.targets = self.least = self.processed = self.assembly = 0.0
        self.emitted = 0
        self.qp = 0
        self.multi = 0

    def tick(self):
        t = self.sim.now
        self.sim.schedule(t + .1, self.tick)
        if at(self.broken, t) and self.last_packet is not None and (t - self.last_packet < .3):
            self.pli()
            return
        if self.parts or self.ready:  # waits for a frame that does not come
            if self.next is None:
                self.pli()
            elif self.ready and min(self.ready) > self.next and (t - self.stuck > (2.0 if self.missing else .25)):
                self.pli()

    def media(self, p):
        t = self.sim.now
        fid = p[3]
        if self.next is not None and fid < self.next:
            return
        e = self.parts.get(fid)
        if e is None:
            e = self.parts[fid] = [set(), t, p]
        e[0].add(p[4])
        if p[10]:
            self.nack_time = t
        if len(e[0]) == p[5]:
            del self.parts[fid]
            if self.broken and at(self.broken, t):
                if self.broken_received:
                    self.received_frames += 1
                self.next = None
                self.ready.clear()
                self.parts.clear()
                return
            self.received_frames += 1
            self.assembly += t - e[1]
            self.multi += p[5] > 1
            d = t - p[1]
            self.base = d if self.base is None else min(d, self.base + .0004)
            x = d - self.base
            self.mean += (x - self.mean) * .03
            self.var += ((x - self.mean)**2 - self.var) * .02
            want = min(1.2, self.mean + 2.0 * math.sqrt(self.var) + .008 + (self.leg.congestion.round_trip if t - self.nack_time < 2 else 0))
            self.buffer += max(-.003, min(.0033 * 3, want - self.buffer))
            self.ready[fid] = e[1], t, p
            self.drain()

    def drain(self):
        while self.ready:
            f = min(self.ready)
            first, comp, p = self.ready[f]
            if self.next is None or (p[6] and f >= self.next):
                k = min((x for x in self.ready if self.ready[x][2][6]), default=None)
                if self.next is None and k is None:
                    self.ready.clear() if len(self.ready) > 60 else None
                    return
                if self.next is None:
                    for x in [x for x in self.ready if x < k]:
                        del self.ready[x]
                    f = k
                    first, comp, p = self.ready[f]
            elif f > self.next:
                k = min((x for x in self.ready if self.ready[x][2][6]), default=None)
                if k is not None:  # a key frame makes the missing ones needless
                    for x in [x for x in self.ready if x < k]:
                        del self.ready[x]
                    self.next = k
                    continue
                if self.next % 2 and p[9] == 3 and (self.sim.now - comp > .08):  # top temporal layer: no one needs it
                    self.next += 1
                    continue
                if not hasattr(self, 'stuckfor') or self.stuckfor != self.next:
                    self.stuckfor = self.next
                    self.stuck = self.sim.now
                return
            del self.ready[f]
            self.next = f + 1
            for x in [x for x in self.parts if x < f]:
                del self.parts[x]
            self.decode(f, first, comp, p)

    stuck = 0.0

    def decode(self, f, first, comp, p):
        t = self.sim.now
        dec = at(self.decoding, t) * (p[7] * p[8] / 921600 + .1) / 1.1 * self.draw.uniform(.85, 1.25)
        due = max(t, p[1] + self.base + self.buffer)
        if self.decoder_free > due + .05 and p[9] == 3 and (f % 2 or (f % 4 == 2 and self.decoder_free > due + .25)):
            self.dropped += 1
            return
        st = max(due, self.decoder_free)
        self.decoder_free = st + dec
        self.sim.schedule(self.decoder_free, self.shown, first, p, dec, self.decoder_free)

    def shown(self, first, p, dec, when):
        self.decoded += 1
        self.keys += p[6]
        self.decode_time += dec
        self.qp += p[11] if len(p) > 11 else 30
        self.width, self.height = p[7], p[8]
        self.recent.append(when)
        h = when - dec - first
        self.emitted += 1
        self.held += h
        self.targets += self.buffer
        self.least += .02
        self.processed += when - first
        if self.last_frame is not None:
            g = when - self.last_frame
            self.between += g
            self.between_squared += g * g
            self.gaps.append(g)
            if len(self.gaps) >= 5:
                a = sum(self.gaps) / len(self.gaps)
                if g > 5:
                    self.pauses += 1
                    self.paused += g
                    self.gaps.clear()
                elif g >= max(3 * a, a + .15):
                    self.freezes += 1
                    self.frozen += g
        self.last_frame = when

    def rate_shown(self):
        t = self.sim.now
        while self.recent and self.recent[0] < t - 1:
            self.recent.popleft()
        return len(self.recent)


class ReceivedAudio(Receiver):
    """NetEq: 97th percentile target, expand, accelerate, preemptive expand, in-band FEC."""

    def __init__(self, leg, tx, fec=0.0):
        super().__init__(leg, tx, 48000, False)
        self.fec = fec
        self.queue = deque()
        self.next = None
        self.expanded = 0
        self.histogram = [0.0] * 80
        self.histogram[1] = 1.0
        self.relative = deque()
        self.target = .06
        self.credit = 0.0
        self.loudness = 0.0
        self.energy = 0.0
        self.duration = 0.0
        self.comfort_noise = False
        self.zero()
        self.counted = 0
        self.sim.schedule(leg.draw.uniform(.3, .5), self.play)

    def zero(self):
        self.samples = self.concealed = self.silent = self.events = self.inserted = self.removed = 0
        self.emitted = self.discarded = self.recovered = 0
        self.held = self.targets = self.least = self.processed = 0.0

    def media(self, p):
        t = self.sim.now
        d = t - p[1]
        self.relative.append((t, d))
        while self.relative[0][0] < t - 2:
            self.relative.popleft()
        rd = d - min(x for _, x in self.relative)
        b = min(79, int(rd / .02))
        self.histogram = [x * .9983 for x in self.histogram] if self.counted % 4 == 0 else self.histogram
        self.counted += 1
        self.histogram[b] += .0017 * (1 if self.counted > 400 else 6)
        if self.counted % 10 == 0:
            tot = sum(self.histogram)
            a = 0.0
            for i, x in enumerate(self.histogram):
                a += x
                if a >= .97 * tot:
                    break
            self.target = max(.04, (i + 1) * .02)
        if self.next is not None and p[0] < self.next:
            self.discarded += 1
            return
        self.queue.append((p, t))

    def play(self):
        t = self.sim.now
        self.sim.schedule(t + .02, self.play)
        if self.next is None:
            if not self.queue or t - self.queue[0][1] < .03:
                return
            self.next = self.queue[0][0][0]
        self.samples += 960
        self.duration += .02
        lvl = len(self.queue) * .02
        if self.queue and self.queue[0][0][0] == self.next or (self.queue and self.expanded >= self.queue[0][0][0] - self.next):
            if self.credit >= 1:
                self.credit -= 1
                if len(self.queue) > 1:
                    self.one(t, False)
            elif self.credit <= -1:
                self.credit += 1
                return
            self.one(t, True)
            if lvl > self.target * 1.3 + .03:
                self.credit += .3
                self.removed += 288
            elif lvl < self.target * .7 and len(self.queue) >= 1:
                self.credit -= .2
                self.inserted += 192
            return
        if self.queue:  # a packet is missing
            if self.queue[0][0][0] - self.next == 1 and self.draw.random() < self.fec:
                self.recovered += 1
                self.next += 1
                self.emitted += 960
                self.held += 960 * self.target
                self.targets += 960 * self.target
                return
            self.next += 1
            self.conceal(t)
            return
        if self.comfort_noise:
            self.loudness *= .7
            self.energy += self.loudness**2 * .02
            return
        self.expanded += 1
        self.conceal(t)

    last_concealed = -9.0
    run = 0

    def conceal(self, t):
        self.concealed += 960
        if t - self.last_concealed > .03:
            self.events += 1
            self.run = 0
        self.last_concealed = t
        self.run += 1
        if self.run > 15:
            self.silent += 960
            self.loudness *= .5
        self.energy += self.loudness**2 * .02

    def one(self, t, out):
        p, when = self.queue.popleft()
        self.next = p[0] + 1
        self.expanded = 0
        self.comfort_noise = p[11]
        if out:
            self.loudness = p[3]
            self.energy += self.loudness**2 * .02
            self.emitted += 960
            self.held += 960 * (t - when + .01)
            self.targets += 960 * self.target
            self.least += 960 * self.target
            self.processed += 960 * (t - when + .012)


class FarVideo(Receiver):
    """The far end of our own video: repairs, asks for key frames when repairs fail."""

    def __init__(self, leg, tx):
        super().__init__(leg, tx, 90000)
