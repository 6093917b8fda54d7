# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The streams of the set neighbour, both ends of each: encoder and speech, repairs, NetEq, frame buffer, decoder, RTCP."""
import heapq
import math
from collections import defaultdict, deque

STEP = 0.1
SCALE_OF_QP = {'VP8': 1, 'H264': 0.42, 'VP9': 2, 'AV1': 2}


def count(counters, **more):
    for k, v in more.items():
        counters[k] += v


class Frame:
    """A frame of video, or a packet of audio."""
    __slots__ = 't size packets key missing first done tries wide high qp lost'.split()

    def __init__(self, t, size, packets, key):
        self.t, self.size, self.packets, self.key, self.missing, self.first, self.done, self.tries, self.lost = t, size, packets, key, None, None, None, 0, False


class Stream:
    """One RTP stream: counters `tx` and `rx`, and what RTCP said last in `rr` and `sr`."""

    def __init__(self, rng, kind, ssrc, mid, track):
        self.rng, self.kind, self.ssrc, self.mid, self.track, self.next = rng, kind, ssrc, mid, track, None
        self.tx, self.rx, self.rr, self.sr, self.told, self.rtcp = defaultdict(float), defaultdict(float), None, None, (0, 0), None
        self.on, self.gone, self.remote, self.starved, self.short, self.unknown = True, False, None, False, False, 0
        self.jitter, self.before, self.floor, self.level = 0.0, None, None, 0.0

    def came(self, sent, arrival):
        if self.before:
            self.jitter += (min(0.5, abs((arrival - self.before[1]) - (sent - self.before[0]))) - self.jitter) / 16
        self.before, lag = (sent, arrival), arrival - sent
        self.floor = lag if self.floor is None else min(lag, self.floor + 0.0004 + (lag - self.floor) * 0.0005)

    def missed(self, lost, got):
        """What is lost is known when the next packet comes."""
        self.unknown += lost
        if got:
            self.rx['lost'], self.unknown = self.rx['lost'] + self.unknown, 0

    def report(self, t, leg):
        """RTCP: about each second for video, each one to five for audio; it needs both ways."""
        self.rtcp = t + self.rng.uniform(0.3, 1) if self.rtcp is None else self.rtcp
        if t < self.rtcp or leg.link.down or leg.back.down:
            return
        self.rtcp = t + (1 if self.kind == 'video' else leg.every) * self.rng.uniform(0.8, 1.2)
        if self.rx['packets']:
            got, lost = self.rx['packets'] - self.told[0], self.rx['lost'] - self.told[1]
            rtt = (leg.link.lag(t) + leg.way) * self.rng.uniform(1, 1.03) + 0.001
            old, self.told = self.rr or (0,) * 8, (self.rx['packets'], self.rx['lost'])
            self.rr = t, self.rx['lost'], lost / max(1, got + lost), self.jitter, rtt, old[5] + rtt, old[6] + 1, self.rx['packets']
        self.sr = (t, self.tx['packets'], self.tx['bytes'], (self.sr or (0,) * 4)[3] + 1) if self.tx['packets'] else None


class Audio(Stream):
    """Opus of 20 ms, and NetEq as one equation a packet: `late` is how long after its making a packet is played."""

    def __init__(self, rng, ssrc, mid, track, bits=32000, dtx=False, talks=0.5):
        super().__init__(rng, 'audio', ssrc, mid, track)
        self.bits, self.dtx, self.talks, self.muted, self.dead, self.stopped, self.drops = bits, dtx, talks, False, False, False, 1.0
        self.speaking, self.turn, self.loud, self.n = False, None, rng.uniform(0.04, 0.15), 0
        self.line, self.late, self.target, self.played = deque(), None, 0.04, None

    def make(self, t):
        r, units = self.rng, []
        self.next = t + r.uniform(0, 0.02) if self.next is None or self.next < t - 1 else self.next
        while self.next < t + STEP:
            now, self.next = self.next, self.next + 0.02
            if self.turn is None or now > self.turn:
                self.speaking, self.turn = r.random() < self.talks, now + r.uniform(1, 6)
            zero = self.muted or self.dead
            quiet = zero or not self.speaking
            self.level = 0.0 if zero else self.loud * r.uniform(0.4, 1.2) if self.speaking else r.uniform(0.0004, 0.003)
            if self.drops < 1 and r.random() > self.drops:
                continue
            self.n += 1
            if not self.stopped:
                count(self.tx, samples=0.02, energy=self.level ** 2 * 0.02)
            if not self.on or self.stopped or self.dtx and quiet and self.n % 20:
                continue
            size = 3 if self.dtx and quiet else max(8, int(self.bits / 400 * (0.25 if zero else 0.62 if quiet else r.uniform(0.85, 1.15))))
            self.line.append(Frame(now, size, 1, self.dtx and quiet))
            units.append((now, self, self.line[-1]))
        return units

    def sent(self, f, again):
        count(self.tx, packets=1, bytes=f.size)

    def arrive(self, f, t, arrival, lost, leg, again=0):
        f.lost, f.first = bool(lost), arrival
        self.missed(lost, arrival)
        count(self.rx, packets=1 - lost, bytes=f.size * (1 - lost))
        if arrival:
            self.came(f.t, arrival)
            self.rx['newest'] = arrival

    def conceal(self, seconds, f=None):
        if not f or not f.key:      # silence of DTX needs no concealment
            count(self.rx, events=self.rx['run'] == 0, run=seconds, concealed=seconds * 48000, silent=seconds * 48000 if not f or self.rx['run'] > 0.3 else 0)

    def play(self, now, leg):
        rx, line = self.rx, self.line
        if self.played is None:
            if not any(f.first and f.first + 0.04 < now for f in line):
                return
            while line[0].first is None:
                line.popleft()
            self.late, self.played = line[0].first + 0.06 - line[0].t, now
        if not line and (not self.on or self.stopped):
            self.conceal(now - self.played)
        rx['samples'], self.played = rx['samples'] + (now - self.played) * 48000, now
        while line and line[0].t + self.late <= now:
            f = line[0]
            due = f.t + self.late
            if f.lost:
                line.popleft()
                if line and line[0].first and line[0].first <= due and self.rng.random() < 0.7:
                    rx['fec'] += 1
                else:
                    self.conceal(0.02, f)
                continue
            here = f.first is not None and f.first <= now
            gap = max(0, f.first - due) if here else now - due
            self.late += gap
            if gap:
                self.conceal(gap, f)
            if not here:
                break
            line.popleft()
            wait, rel = due + gap - f.first, f.first - f.t - self.floor
            self.target = self.target + 0.35 * (rel - self.target) if rel > self.target else max(0.02, self.target - (self.target - rel) * 0.02 / 6)
            rx['level'], rx['run'] = 0.0 if self.muted or self.dead else self.level, 0
            count(rx, jbd=wait * 960, jbe=960, jbt=(self.target + 0.02) * 960, jbm=(min(self.target, 0.04) + 0.02) * 960, processing=wait * 960, energy=rx['level'] ** 2 * 0.02)
            wish = self.floor + self.target + 0.03
            if self.late > wish + 2.5:
                self.late, rx['flushes'] = wish, rx['flushes'] + 1
                while line and line[0].t + self.late < now - 0.02:
                    line.popleft()
            elif abs(self.late - wish) > 0.02:
                name, part = ('removed', 0.003) if self.late > wish else ('inserted', 0.002)
                self.late, rx[name] = self.late - (part if name == 'removed' else -part), rx[name] + part * 48000


class Video(Stream):
    """An encoder's or a router's frames, and the receiver's buffer and decoder."""

    def __init__(self, rng, ssrc, mid, track, wide, high, fps, most, codec='VP8', screen=False, part=1.0, rid=None, router=False):
        super().__init__(rng, 'video', ssrc, mid, track)
        self.wide, self.high, self.fps, self.most, self.codec, self.screen, self.part, self.rid, self.router = wide, high, fps, most, codec, screen, part, rid, router
        self.active, self.adapts, self.stuck, self.black, self.slow, self.thin = True, True, False, False, 1.0, 1.0
        self.scale, self.cpu, self.reason, self.changes, self.change, self.busy_for, self.low, self.encoding = 1.0, 1.0, 'none', 0, -1e9, 0, 0, 0.0
        self.limits, self.target, self.debt, self.need_key, self.size = dict(none=0.0, bandwidth=0.0, cpu=0.0, other=0.0), most, 0, True, None
        self.wait, self.buffer, self.shown, self.mean, self.picture = deque(), 0.02, None, None, None
        self.recent, self.given, self.done_at = deque(), deque(), deque()
        self.decode, self.pipeline, self.free, self.pli_at, self.broken = 0.003, 0.0, -1e9, -1e9, False

    def demand(self):
        return self.most if self.on and self.active and not self.stuck else 0

    def allot(self, t, bits):
        """Choose size and rate for these bits a second."""
        self.target = min(self.most, bits)
        full = self.wide * self.high * (self.part * self.cpu) ** 2 * self.fps
        if not self.screen and not self.router:      # a small picture needs no more
            self.target = min(self.target, 0.1 * full * self.scale ** 2 + 100e3)
        if self.screen:
            self.reason = 'bandwidth' if self.target < 0.6 * self.most else 'none'
        elif self.router:
            fits = [k for k, b in ((1.0, self.most), (0.5, min(self.most, 0.3 * self.most + 50e3)), (0.25, 120e3)) if 0.9 * b <= bits]
            new = min(self.part, fits[0]) if fits else 0
            if new < self.scale * 0.99 or new > self.scale and t > self.change + 4:
                self.scale, self.need_key, self.change = new, True, t
        elif self.rid:
            self.reason = 'bandwidth' if self.short else 'none'
        else:
            if self.target < 0.022 * full * self.scale ** 2 and self.scale > 0.25 and t > self.change + 1.2:
                self.scale, self.change, self.changes = max(0.25, self.scale * 0.75), t, self.changes + 1
            elif self.scale < 1 and self.target > 0.045 * full * (self.scale / 0.75) ** 2 and t > self.change + 4:
                self.scale, self.change, self.changes = 1 if self.scale > 0.68 else self.scale / 0.75, t, self.changes + 1
            self.reason = 'bandwidth' if self.scale < 1 else 'none'
        self.encoding = (0.0012 + 0.008 * self.wide * self.high * (self.part * self.scale * self.cpu) ** 2 / 921600) * self.slow
        if not self.router and self.adapts:
            load = self.encoding * self.fps
            self.busy_for = self.busy_for + STEP if load > 0.8 else 0
            if self.busy_for > 4 and self.cpu > 0.4:
                self.cpu, self.busy_for, self.changes, self.low = self.cpu * 0.8, 0, self.changes + 1, t
            elif self.cpu < 1 and load / 0.64 < 0.6 and t > self.low + 8:
                self.cpu, self.changes, self.low = min(1, self.cpu / 0.8), self.changes + 1, t
            self.reason = 'cpu' if self.cpu < 0.99 or self.busy_for > 2 else self.reason
        self.limits[self.reason] += STEP if self.demand() else 0

    def make(self, t):
        r, units = self.rng, []
        self.next = t + r.uniform(0, 1 / max(0.2, self.fps)) if self.next is None or self.next < t - 0.5 else self.next
        while self.next < t + STEP:
            now = self.next
            self.next += 1 / self.fps * r.uniform(0.96, 1.04) if self.fps > 6 else r.expovariate(self.fps) + 0.1
            if self.on and not self.stuck:
                self.tx['source'] += 1
                self.given.append(now)
            share = min(1, 0.92 / max(1e-9, self.encoding * self.fps)) * (max(0.2, min(1, self.target / 60e3)) if not self.screen else 1) if not self.router else 1
            if not self.demand() or self.router and self.scale == 0 or r.random() > share * self.thin:
                continue
            scale = min(self.part, self.scale) if self.router else self.part * self.scale * self.cpu
            bits = min(self.target, self.most * min(1, scale / self.part) ** 1.5) if self.router else self.target * (0.05 if self.black else 1)
            mean = min(bits / 8 / max(0.5, self.fps * share * max(0.3, self.thin)), 60e3 if self.screen else 1e9)
            key, self.need_key = self.need_key, False
            size = mean * r.lognormvariate(-0.02, 0.2) * ((2.5 if self.screen else 5) if key else 1)
            pay = mean - size if key else min(self.debt, size * 0.35)     # a key frame is paid for by those that follow
            size, self.debt = size - max(0, pay), max(0, self.debt - pay)
            f = Frame(now, max(120, int(size)), max(1, math.ceil(size / 1130)), key)
            f.wide, f.high = int(self.wide * scale / 2) * 2, int(self.high * scale / 2) * 2
            f.qp = (8 if self.black else min(118, max(5, 30 - 17 * math.log2(f.size * 8 / f.wide / f.high / 0.07)))) * SCALE_OF_QP[self.codec]
            self.wait.append(f)
            units.append((now, self, f))
        return units

    def sent(self, f, again):
        part = int(f.size * (again or f.packets) / f.packets)
        count(self.tx, packets=again or f.packets, bytes=part, rtx=again, rtxbytes=part if again else 0)
        if not again:
            count(self.tx, frames=1, keys=f.key, qp=f.qp, encode=self.encoding * self.rng.uniform(0.9, 1.1), huge=f.key and f.packets > 20)
            self.size = f.wide, f.high
            self.recent.append(f.t)

    def arrive(self, f, t, arrival, lost, leg, again=0):
        rx, got = self.rx, (again or f.packets) - lost
        f.missing = (f.packets if f.missing is None else f.missing) - got
        if got:
            f.first, rx['newest'], part = f.first or arrival, arrival, int(f.size * got / f.packets)
            count(rx, bytes=part, packets=0 if again else got, again=got if again else 0, againbytes=part if again else 0)
            if not again:
                self.came(f.t, arrival)
        self.missed(0 if again else lost, got)
        if f.missing == 0:
            f.done = arrival
            count(rx, frames=1, many=f.packets > 1, assembly=f.done - f.first + 0.0005 * f.packets)
        elif f.tries < 6 and not leg.back.down:
            f.tries, rx['nack'], self.tx['nack'] = f.tries + 1, rx['nack'] + 1, self.tx['nack'] + 1
            wake = t + (0.01 if got else 1.2 / max(2, self.fps))
            heapq.heappush(leg.heap, (wake + leg.way, next(leg.order), self, f, f.missing, False))
        else:
            f.lost = True

    def play(self, now, leg):
        rx, wait = self.rx, self.wait
        if self.broken:
            self.ask(now, leg)
            rx['dropped'] += sum(bool(f.done) for f in wait)
            self.wait = deque(f for f in wait if not f.done)
            return
        while wait and wait[0].missing is not None and (not wait[0].done or wait[0].done <= now):
            f = wait[0]
            if not f.done:
                seen = next((g for g in wait if g.key and g.done and g.done <= now), None)
                if seen:
                    while wait[0] is not seen:
                        rx['dropped'] += bool(wait.popleft().done)
                    continue
                if f.lost or now - f.t - (self.floor or 0) > 0.8:
                    self.ask(now, leg)
                break
            wait.popleft()
            late = f.done - f.t - self.floor
            self.buffer = self.buffer + min(0.25, 0.3 * (late - self.buffer)) if late > self.buffer else max(0.012, self.buffer - (self.buffer - late) * 0.006)
            begin = max(f.done, f.t + self.floor + min(self.buffer, 1.0))
            if self.free - begin > 0.3 and not f.key:      # too much waits for the decoder
                rx['dropped'] += 1
                continue
            cost = self.decode * (2.2 if f.key else 1) * self.rng.uniform(0.85, 1.2)
            begin = max(begin, self.free)
            self.free, self.picture = begin + cost, (f.wide, f.high)
            count(rx, decoded=1, keys=f.key, qp=f.qp, decode=cost + self.pipeline, jbd=begin - f.first, jbe=1, jbt=self.buffer + 0.02, jbm=min(0.03, self.buffer) + 0.01,
                  processing=begin + cost - f.first)
            self.show(begin + cost + self.pipeline)

    def ask(self, now, leg):
        """A key frame, please: PLI, again after a second or two."""
        if now > self.pli_at and not leg.back.down and now - self.rx['newest'] < 4:
            self.pli_at, self.tx['keyat'] = now + self.rng.uniform(1, 1.5), now + leg.way
            self.rx['pli'], self.tx['pli'] = self.rx['pli'] + 1, self.tx['pli'] + 1

    def show(self, at):
        if self.shown is not None:
            gap, mean = max(0.001, at - self.shown), self.mean or 1e9
            freeze = gap <= 5 and gap > max(3 * mean, mean + 0.15)
            count(self.rx, ifd=gap, ifd2=gap * gap, pauses=gap > 5, paused=gap if gap > 5 else 0, freezes=freeze, frozen=gap if freeze else 0)
            self.mean = gap if self.mean is None else self.mean + (min(gap, 1) - self.mean) / 15
        self.shown = at
        self.done_at.append(at)

    def rate(self, which, now):
        """How many frames in the second before now."""
        times = getattr(self, which)
        while times and times[0] < now - 1:
            times.popleft()
        return sum(x <= now for x in times)
