# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What receives in the set passenger: counts of RFC 3550, NACK, assembly, the video buffer with its decoder and freezes, and NetEq."""
import math
from collections import defaultdict, deque

DECODE = {'VP8': 2.4, 'VP9': 3.2, 'H264': 2.0, 'AV1': 3.8}          # ns a pixel of a laptop


class Inbound:
    """An RTP stream that comes in; `out` is the stream of its sender, `flow` the way it came."""

    kind, repairs = 'video', True

    def __init__(self, call, out, flow):
        self.call, self.out, self.flow, self.c = call, out, flow, defaultdict(float)
        self.next, self.missing, self.transit, self.jitter, self.newest = None, {}, None, 0.0, None
        self.first, self.top, self.reported, self.nacking, self.sr, self.fraction = None, 0, (0, 0), False, None, 0.0
        self.clock = 90000 if out.kind == 'video' else 48000
        self.sent_sr, self.echo = None, None
        self.trip, self.trips, self.total_trip, self.reports = None, 0, 0.0, 0
        out.sink = self
        call.later(call.rng.uniform(0.5, 1.5 if out.kind == 'video' else 4), self.rtcp)

    def arrive(self, p):
        now, c = self.call.now, self.c
        head = 24 if self.out.kind == 'video' else 20
        c['head'] += head
        c['bytes'] += p.size - head
        c['packets'] += 1
        self.newest = now
        if p.again:
            c['again'] += 1
            c['againbytes'] += p.size - head
        else:
            self.measure(p, now)
        self.gaps(p, now)

    def renew(self):
        self.c.clear()
        self.ssrc, self.first, self.reported, self.sr = self.call.rng.getrandbits(32), self.next, (0, 0), None

    def stamp(self, p):
        return p.at if self.out.kind == 'video' else p.at * 0.02

    def measure(self, p, now):
        self.c['media'] += 1
        transit = now - self.stamp(p)
        if self.transit is not None:
            self.jitter += (abs(transit - self.transit) - self.jitter) / 16
        self.transit = transit

    def gaps(self, p, now):
        if self.next is None:
            self.next = self.first = p.seq
        if p.seq >= self.next:
            if p.seq - self.next > 900:
                self.missing.clear()
            else:
                for number in range(self.next, p.seq):
                    self.missing[number] = [now, 0, now]
            self.next = p.seq + 1
            if self.missing and self.repairs and not self.nacking:
                self.nacking = True
                self.call.later(0.005, self.nack)
            fresh = True
        else:
            fresh = self.missing.pop(p.seq, None) is not None
        if fresh:
            self.take(p, now)

    def take(self, p, now):
        pass

    @property
    def lost(self):
        return 0 if self.next is None else max(0, self.next - self.first - self.c['media'])

    def nack(self, _):
        now, trip = self.call.now, max(0.02, self.flow.trip)
        due = [n for n, m in self.missing.items() if now >= m[2]]
        for n in due:
            m = self.missing[n]
            m[1], m[2] = m[1] + 1, now + trip
            if m[1] > 10 or now - m[0] > 3:
                del self.missing[n]
        self.nacking = bool(self.missing)
        if self.nacking:
            self.call.later(0.02, self.nack)
        if due:
            self.c['nack'] += len(due)
            if self.flow.returns():
                self.call.later(self.flow.lag_back(), self.out.asked, due)

    def plead(self):
        self.c['pli'] += 1
        if self.flow.returns():
            self.call.later(self.flow.lag_back(), lambda _: self.out.key())

    def rtcp(self, _):
        """A receiver report to the sender of the stream, whose round trip it ends."""
        rng = self.call.rng
        self.call.later((1.0 if self.out.kind == 'video' else 5.0) * rng.uniform(0.6, 1.4), self.rtcp)
        if self.next is not None:
            expected, lost = self.next - self.first, self.lost
            was = self.reported
            new, gone = expected - was[0], lost - was[1]
            self.fraction = max(0.0, gone / new) if new > 0 else 0.0
            self.reported = (expected, lost)
            if self.flow.returns():
                back, forth = self.flow.lag_back(), self.echo
                self.call.later(back, self.told, (lost, self.fraction, self.jitter, None if forth is None else forth + back, expected - lost, expected))
        self.send_report()

    def told(self, what):
        lost, fraction, jitter, trip, got, expected = what
        rr = self.out.rr
        if rr and expected < rr[1] + rr[7]:             # overtaken
            return
        count, total = (rr[6], rr[5]) if rr else (0, 0.0)
        trip = trip if trip is not None else 2 * self.flow.lag_back()
        self.out.rr = (self.call.now, lost, fraction, jitter, trip, total + trip, count + 1, got)

    def send_report(self):
        """The sender's report; it travels with the media."""
        if not self.out.c['packets'] or any(link.dead for link in self.flow.links):
            return
        if self.call.rng.random() < sum(link.loss for link in self.flow.links if not link.tcp):
            return
        lag, now = self.flow.lag(), self.call.now
        self.call.later(lag, self.got_report, (now, lag, self.out.c['packets'], self.out.c['bytes']))

    def got_report(self, what):
        sent, lag, packets, size = what
        if self.sr and sent < self.sr[1]:               # overtaken
            return
        self.echo = lag
        self.reports += 1
        self.sr = (self.call.now, sent, packets, size, self.reports)


class Ingress(Inbound):
    """The router's end: it asks for repairs and hands on what comes."""

    def __init__(self, call, out, flow, onward=None):
        super().__init__(call, out, flow)
        self.onward = onward
        if out.kind == 'audio':
            self.repairs = False

    def take(self, p, now):
        if self.onward is not None:
            self.onward.forward(p, now)


class VideoIn(Inbound):
    """The receiver of a video: frames wait for their packets, their predecessors, their time, and the decoder."""

    def __init__(self, call, out, flow, decoder):
        super().__init__(call, out, flow)
        self.mid, self.ssrc, self.track, self.decoder = out.mid, out.ssrc, out.track_name, decoder
        self.frames, self.ready, self.done, self.picture = {}, {}, 0, None
        self.target, self.now_delay, self.noise, self.prev, self.base = 0.03, 0.03, 0.00004, None, deque()
        self.nacked, self.deltas, self.shown, self.stuck = 0.0, deque(maxlen=30), None, None
        self.history, self.given, self.pleaded, self.started = deque(), deque(), -9.0, False
        self.idle = False                              # nothing came for 5 s: a pause, not a freeze
        call.later(0.2, self.watch)

    def take(self, p, now):
        f = self.frames.get(p.frame)
        if p.frame <= self.done:
            return
        if f is None:
            f = self.frames[p.frame] = [0, p.count, p.at, now, now, p.key, p.picture, p.qp, False]
        f[0] += 1
        f[4] = now
        f[8] |= p.again
        if f[0] == f[1]:
            self.c['frames'] += 1
            self.given.append(now)
            self.c['many'] += f[1] > 1
            self.c['assembly'] += now - f[3] if f[1] > 1 else 0
            self.variation(f, now)
            self.ready[p.frame] = f
            self.advance(now)

    def variation(self, f, now):
        """A frame's delay against the one before gives the buffer's length."""
        if f[8]:
            self.nacked = now
        if self.prev is not None and not f[8]:
            d = (f[4] - self.prev[0]) - (f[2] - self.prev[1])
            limit = 3.5 * math.sqrt(self.noise) + 0.002
            d = max(-limit, min(limit, d))
            self.noise = 0.97 * self.noise + 0.03 * d * d
        self.prev = (f[4], f[2])
        jitter = 2.33 * math.sqrt(self.noise) + 0.004
        self.target = min(2.0, jitter + (self.flow.trip if now - self.nacked < 8 and self.c['nack'] > 3 else 0) + 0.012)
        while self.base and self.base[-1][1] >= f[4] - f[2]:
            self.base.pop()
        self.base.append((now, f[4] - f[2]))
        while self.base[0][0] < now - 12:
            self.base.popleft()

    def advance(self, now):
        """Frames whose predecessors are there get their time of decoding."""
        while True:
            number = self.done + 1
            f = self.ready.get(number) if self.started else None
            if f is None:
                keys = [k for k, x in self.ready.items() if x[5] and k > self.done]
                number = min(keys) if keys and (not self.started or not self.near(min(keys), now)) else None
                if number is None:
                    return
                f = self.ready[number]
            self.started, self.stuck = True, None
            for k in [k for k in self.ready if k <= number]:
                del self.ready[k]
            skipped = [k for k in self.frames if k < number]
            self.c['dropped'] += sum(1 for k in skipped if k > self.done)
            for k in [*skipped, number]:
                self.frames.pop(k, None)
            self.done = number
            self.schedule(f, now)

    def near(self, number, now):
        """Whether what lies before a later key frame may still come in time."""
        return number > self.done + 1 and now - self.ready[number][4] < 0.08

    def schedule(self, f, now):
        step = 0.1 / 30
        self.now_delay += max(-step, min(step * 3, self.target - self.now_delay))
        least = self.base[0][1] if self.base else now - f[2]
        due = max(now, f[2] + least + self.now_delay)
        self.c['jbd'] += due - f[3]
        self.c['jbt'] += self.now_delay
        self.c['jbm'] += self.target
        self.c['jbe'] += 1
        self.call.push(due, self.decode, f)

    def decode(self, f):
        now, d = self.call.now, self.decoder
        pixels = f[6][0] * f[6][1]
        if d.busy > now + 0.12 and not f[5]:
            self.c['dropped'] += 1
            return
        took = pixels * DECODE[self.out.codec] * 1e-9 / d.speed * self.call.rng.uniform(0.8, 1.3) + 0.0006
        d.busy = max(d.busy, now) + took
        self.c['decode'] += took
        self.call.push(d.busy + 0.002, self.show, f)

    def show(self, f):
        now, c = self.call.now, self.c
        c['decoded'] += 1
        c['keys'] += f[5]
        c['qp'] += int(f[7])
        c['processing'] += now - f[3]
        self.picture = f[6]
        self.history.append(now)
        if self.shown is not None:
            d = now - self.shown
            c['ifd'] += d
            c['ifd2'] += d * d
            mean = sum(self.deltas) / len(self.deltas) if self.deltas else 0.04
            if self.idle:
                c['pauses'] += 1
                c['paused'] += d
            elif d > max(3 * mean, mean + 0.15) and len(self.deltas) > 4:
                c['freezes'] += 1
                c['frozen'] += d
            if d < 5:
                self.deltas.append(d)
        self.shown, self.idle = now, False

    def watch(self, _):
        """No frame that can be decoded for a while although packets come: a key frame is asked for."""
        self.call.later(0.1, self.watch)
        now = self.call.now
        while self.given and self.given[0] < now - 1:
            self.given.popleft()
        while self.history and self.history[0] < now - 1.0:
            self.history.popleft()
        self.idle |= self.newest is not None and now - self.newest > 5
        waits = bool(self.frames) and (not self.started or self.done + 1 not in self.ready)
        if not waits:
            self.stuck = None
            return
        self.stuck = self.stuck if self.stuck is not None else now
        patience = 0.2 if not self.started else 1.0
        if now - self.stuck > patience and now - self.pleaded > max(0.5, self.flow.trip * 1.5) and self.newest and now - self.newest < 1:
            self.pleaded = now
            self.plead()

    def rate_now(self, now):
        return sum(1 for x in self.history if x > now - 1)


class Decoder:
    """A device's decoders share one budget."""

    def __init__(self):
        self.speed, self.busy = 1.0, 0.0


class AudioIn(Inbound):
    """NetEq: a target from the quantile of delays, comfort noise, repairs from FEC and RED, stretching, and concealment."""

    kind, repairs = 'audio', False

    def __init__(self, call, out, flow):
        super().__init__(call, out, flow)
        self.mid, self.ssrc, self.track = out.mid, out.ssrc, out.track_name
        self.buffer, self.at, self.frame, self.debt, self.concealing, self.mute = {}, None, None, 0.0, False, 0
        self.least, self.histogram, self.worst, self.turn = deque(), [0.0] * 100, 0.0, 0.0
        self.histogram[1] = 1.0
        self.target, self.level, self.noise, self.span = 0.08, 0.0, False, 0
        call.later(0.02 * call.rng.random(), self.play)

    def take(self, p, now):
        self.delay(p, now)
        if self.frame is not None and p.at < self.frame:
            self.c['discarded'] += 1
            return
        self.buffer[p.at] = (p, now)
        if p.red and not p.quiet:
            self.c['fec'] += 1
            if p.at - 1 not in self.buffer and self.frame is not None and p.at - 1 >= self.frame:
                self.buffer[p.at - 1] = (p, now)
            else:
                self.c['spare'] += 1
        if len(self.buffer) > 100:
            self.c['flushes'] += 1
            for k in sorted(self.buffer)[:-10]:
                del self.buffer[k]
            self.frame = min(self.buffer)

    def delay(self, p, now):
        d = now - p.at * 0.02
        while self.least and self.least[-1][1] >= d:
            self.least.pop()
        self.least.append((now, d))
        while self.least[0][0] < now - 2:
            self.least.popleft()
        self.worst = max(self.worst, d - self.least[0][1])
        if now - self.turn > 0.5:
            k = min(99, int(self.worst / 0.02))
            self.histogram = [x * 0.983 for x in self.histogram]
            self.histogram[k] += 0.017
            self.turn, self.worst, s = now, 0.0, 0.0
            for k, x in enumerate(self.histogram):
                s += x
                if s > 0.95:
                    break
            self.target = (k + 1) * 0.02 + 0.02

    def play(self, _):
        """20 ms of sound each 20 ms."""
        self.call.later(0.02, self.play)
        now, c = self.call.now, self.c
        if self.call.sleeps and self in self.call.downs:
            return
        if self.frame is None:
            if self.buffer and now - min(x[1] for x in self.buffer.values()) > 0.02:
                self.frame = min(self.buffer)
            else:
                return
        c['samples'] += 960
        c['jbt'] += self.target * 960
        c['jbm'] += self.target * 960
        if self.stretch(now):
            return
        found = self.buffer.pop(self.frame, None)
        if found:
            self.sound(found, now)
        elif self.noise and not (self.buffer and min(self.buffer) > self.frame and len(self.buffer) * 0.02 > self.target + 0.1):
            self.comfort()
        elif self.buffer:
            self.skip()
        else:
            self.conceal(False)

    def comfort(self):
        """DTX: the time of the next packet is not known before it comes."""
        self.level = 0.0004
        self.c['energy'] += 1e-9
        if not self.buffer or min(self.buffer) > self.frame:
            self.frame += 1
        if self.buffer and min(self.buffer) < self.frame:
            self.frame = min(self.buffer)

    def stretch(self, now):
        """Faster where more waits than wanted, slower where less."""
        waits = (max(self.buffer) - self.frame + 1) * 0.02 if self.buffer and not self.noise else self.target
        self.span = waits
        if waits > self.target * 1.25 + 0.03:
            self.debt += 0.01
            self.c['removed'] += 480
            if self.debt >= 0.02:
                self.debt = 0.0
                found = self.buffer.pop(self.frame, None)
                self.frame += 1
                if found:
                    self.c['jbd'] += (now - found[1]) * 960
                    self.c['jbe'] += 960
        elif 0 < waits < self.target * 0.6 and waits > 0.02 and self.frame in self.buffer and self.call.rng.random() < 0.3:
            self.c['inserted'] += 960
            return True
        return False

    def sound(self, found, now):
        p, came = found
        self.frame += 1
        self.concealing, self.mute, self.noise = False, 0, p.quiet
        self.c['jbd'] += (now - came) * 960
        self.c['jbe'] += 960
        self.level = p.level
        self.c['energy'] += p.level ** 2 * 0.02

    def skip(self):
        """A packet is missing while later ones are there: FEC of the next, or concealment."""
        after = self.buffer.get(self.frame + 1)
        if after and self.out.fec and not after[0].quiet and self.call.rng.random() < 0.55 and self.out.flow_fec():
            self.c['fec'] += 1
            self.frame += 1
            self.concealing = False
            return
        if len(self.buffer) * 0.02 >= min(self.target, 0.06) or self.mute > 4:
            self.frame += 1
            if not self.buffer.get(self.frame) and self.mute > 4:
                self.frame = min(self.buffer)
        self.conceal(True)

    def conceal(self, short):
        c = self.c
        c['concealed'] += 960
        if not self.concealing:
            c['events'] += 1
        self.concealing, self.mute = True, self.mute + 1
        if self.mute > 25 or self.level < 0.003:
            c['silent'] += 960
            self.level = 0.0 if self.mute > 25 else self.level
        else:
            c['heard'] += 960
        c['energy'] += (self.level * 0.97 ** self.mute) ** 2 * 0.02
        if self.mute == 50 and not self.buffer:
            self.away = True

    away = False


class Relayed:
    """A stream that the router sends on to this participant: the publisher's packets with the router's SSRC."""

    def __init__(self, call, out, down, ssrc):
        self.call, self.origin, self.flow, self.kind, self.codec, self.mid = call, out, down, out.kind, out.codec, None
        self.ssrc, self.track_name, self.c, self.kept, self.order = ssrc, call.track(), defaultdict(float), {}, deque()
        self.sink = self.rr = None
        self.open, self.fec, self.pleas, self.shift, self.top, self.waits = True, True, -9.0, 0, 0, False
        self.ingress = None

    def flow_fec(self):
        return self.origin.flow_fec()

    def forward(self, p, now):
        """Gaps of the publisher's loss are handed on; a layer that rests or is paused leaves none."""
        if not self.open or self.waits and not p.key:
            self.shift, self.waits = p.seq - self.top, True
            return
        self.waits = False
        copy = p.copy(self)
        copy.seq -= self.shift
        self.top = max(self.top, copy.seq)
        self.flow.push(copy, now)

    def sending(self, p, now):
        self.c['packets'] += 1
        self.c['bytes'] += p.size - (24 if self.kind == 'video' else 20)
        if not p.again:
            self.kept[p.seq] = [p, now]
            self.order.append(p.seq)
            if len(self.order) > 800:
                self.kept.pop(self.order.popleft(), None)

    def padded(self, p):
        self.c['packets'] += 1

    def asked(self, numbers):
        now = self.call.now
        for number in numbers:
            kept = self.kept.get(number)
            if kept and now - kept[1] > self.flow.trip * 0.6 and len(self.flow.urgent) < 60:
                kept[1] = now
                self.flow.push(kept[0].copy(self, True), now)

    def key(self):
        """The router asks the publisher, not more often than each half second."""
        if self.call.now - self.pleas > 0.5:
            self.pleas = self.call.now
            self.ingress.plead()
