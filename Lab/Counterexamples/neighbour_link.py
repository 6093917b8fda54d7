# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The network of the set neighbour: links are clocks of a queue, estimates are equations of 100 ms, a leg is all that goes one way."""
import heapq
from collections import deque

from neighbour_media import STEP


class Link:
    """One way of a path. What would wait longer than `most` seconds is dropped; over TCP a loss is a wait."""

    def __init__(self, rng, rate=30e6, most=0.25, delay=0.02, jitter=0.0015, loss=0.0):
        self.rng, self.rate, self.most, self.delay, self.jitter, self.loss = rng, rate, most, delay, jitter, loss
        self.down, self.tcp, self.busy, self.last, self.was = False, False, -1e9, -1e9, rate
        self.police, self.tokens = 0, 0            # bits a second that pass; the rest is dropped at once
        self.burst, self.bad, self.next = None, -1e9, None      # (every s, length s, loss)
        self.stalls, self.still = None, None       # (every s, shortest, longest)
        self.fill, self.tide = None, rng.random()  # other traffic holds the queue between these parts of `most`

    def step(self, t):
        r, self.busy, self.was = self.rng, t + max(0, self.busy - t) * self.was / self.rate, self.rate    # what waits leaves at the new rate
        if self.burst:
            self.next = t + r.uniform(0, 2) if self.next is None else self.next
            if t >= self.next:
                self.bad, self.next = t + self.burst[1] * r.uniform(0.7, 1.3), t + self.burst[0] * r.uniform(0.85, 1.15)
        if self.stalls:
            self.still = t + r.uniform(0, 2) if self.still is None else min(self.still, t + 2.5 * self.stalls[0])
            if t >= self.still:
                self.busy = max(self.busy, t) + r.uniform(*self.stalls[1:])
                self.still = t + r.expovariate(1 / self.stalls[0]) + self.stalls[2]
        if self.fill:
            self.tide = (self.tide + STEP / r.uniform(3, 6)) % 1
            self.busy = max(self.busy, t + self.most * (self.fill[0] + (self.fill[1] - self.fill[0]) * self.tide))
        self.busy = max(self.busy, t + 1.5 * STEP) if self.down and self.tcp else self.busy
        self.tokens = min(self.police * 0.3, self.tokens + self.police * STEP)

    def lag(self, t):
        return self.delay + max(0, self.busy - t)

    def carry(self, t, size, packets):
        """Bytes in some packets enter at t: (when the last one arrives, how many are lost)."""
        r, lost, bits, queue = self.rng, 0, (size + packets * 40) * 8, max(0, self.busy - t)
        if self.down and not self.tcp:
            return None, packets
        if self.police:
            fits = min(packets, int(self.tokens * packets / bits))
            self.tokens -= bits * fits / packets
            lost = packets - fits
        elif not self.tcp and queue + bits / self.rate > self.most:
            lost = packets - min(packets, int(packets * max(0, self.most - queue) * self.rate / bits))
        p = max(self.loss, self.burst[2] if self.burst and t < self.bad else 0, 0.05 if self.fill and self.tide > 0.96 else 0)
        hits = sum(r.random() < p for _ in range(packets - lost)) if p else 0
        lost += 0 if self.tcp else hits
        wait = max(0.2, 2.4 * self.delay) * r.uniform(1, 1.5) if self.tcp and hits else 0
        self.busy = max(self.busy, t) + wait + bits * (packets - lost) / packets / self.rate
        if lost == packets:
            return None, lost
        self.last = max(self.last, self.busy + self.delay + r.expovariate(1 / self.jitter))
        return self.last, lost


class Estimate:
    """The sender's estimate: probes at the start, 85 % of what passes when delay grows, 8 % a second up, less with heavy loss."""

    def __init__(self, rng, start, top, probes=True, again=False):
        self.rng, self.value, self.top, self.again, self.jumps, self.pad = rng, start, top, again, 5 if probes else 0, False
        self.acked, self.smooth, self.base, self.threshold, self.over = 0, None, None, 0.012, 0
        self.hold = self.still = self.lossy = -1e9
        self.born = self.last = self.probe = None
        self.window, self.blind = deque(), False

    def step(self, t, arrived, count, lost, free, need, rtt):
        """`arrived`: (sent, arrived, bits) of which feedback came in this step; `count` and `lost` of the packets it tells of."""
        self.born, self.blind = t if self.born is None else self.born, self.last is not None and (self.blind or free < 2e4)
        self.acked += (sum(a[2] for a in arrived) / STEP - self.acked) * 0.15
        self.window.append((t, count, lost))
        while self.window[0][0] < t - 1:
            self.window.popleft()
        if arrived:
            if self.blind and t - self.last > 1.5:   # the path was dead: begin again low
                self.value, self.smooth, self.probe = max(80e3, min(self.value, 500e3) * self.rng.uniform(0.3, 0.8)), None, t + 3
            d, self.last, self.blind = sum(b - a for a, b, _ in arrived) / len(arrived), t, False
            self.base = d if self.base is None else min(d, self.base + 0.004 * STEP)
            self.smooth = self.smooth or d
            slope = 0.4 * (d - self.smooth)
            self.smooth += slope
            self.over = self.over + 1 if slope > self.threshold and d - self.base > 0.025 else 0
            self.threshold = min(0.05, max(0.008, self.threshold + 0.05 * (min(abs(slope), 0.06) - self.threshold)))
            self.still = t + 0.3 if slope < -self.threshold else self.still
        if self.over >= 2 and t > self.hold:
            self.value, self.hold, self.over, self.jumps = max(30e3, min(self.value, 0.85 * self.acked)), t + 0.3 + rtt, 0, 0
            self.still, self.probe = self.hold + 0.3, t + self.rng.uniform(4, 7)
        sent = sum(w[1] for w in self.window)
        fraction = sum(w[2] for w in self.window) / sent if sent > 8 else 0
        if fraction > 0.1 and t > self.lossy:
            self.value, self.lossy, self.probe, self.jumps = max(30e3, self.value * (1 - 0.5 * fraction)), t + 0.6 + rtt, t + 5, 0
            self.window.clear()
        elif fraction < 0.03 and t > self.still and arrived:
            ceiling = 0.92 * free if self.pad and self.value < 1.3 * need else 1.5 * self.acked + 10e3   # padding on the way to the next layer
            self.value = max(self.value, min(self.value * 1.08 ** STEP + 100, ceiling))
            if self.jumps and t > self.born + 0.6 * (6 - self.jumps):
                self.value, self.jumps = max(self.value, min(self.value * 2, free * 0.92)), self.jumps - 1
            elif self.again and self.probe and t > self.probe and self.value < need:
                self.value, self.probe = max(self.value, min(self.value * self.rng.uniform(1.4, 2), free * 0.9)), t + self.rng.uniform(5, 8)
        self.value = min(self.value, self.top)


class Leg:
    """What goes one way: streams, their estimate, the link, and the link back."""

    def __init__(self, rng, link, back, est):
        self.rng, self.link, self.back, self.est, self.streams, self.heap, self.coming, self.acks, self.log = rng, link, back, est, [], [], [], [], []
        self.order, self.pacer, self.every, self.frozen, self.way = iter(range(10 ** 9)), -1e9, 1.0, False, 0

    def allot(self, t):
        videos = sorted((s for s in self.streams if s.kind == 'video' and not s.gone), key=lambda v: v.part if v.rid else v.demand())
        left = max(10e3, self.est.value - sum(s.bits + 16000 for s in self.streams if s.kind == 'audio' and s.on))
        need = sum(v.demand() for v in videos)
        self.est.pad = any(v.rid or v.router for v in videos)
        for n, v in enumerate(videos):
            ask, give = v.demand(), left / (len(videos) - n)
            if v.rid:
                give = ask if left >= ask else left if left > 0.6 * ask or n == 0 and left > 25e3 else 0
                v.starved, v.short = give == 0, self.est.value < 0.9 * need
            elif v.router and give < 110e3:
                give = min(left, 150e3)   # some pause, so that others have enough
            v.allot(t, max(1, give))
            left -= min(give, ask) if not v.router or v.scale else 0
        return need

    def enter(self, t, s, f):
        """Through the link of a participant, if there is one, to the sender's queue; the router repairs most of what that link loses."""
        at = t
        if s.starved:
            s.need_key = not s.wait.remove(f)
            return
        if s.remote:
            at, hit = s.remote.carry(t, f.size, f.packets)
            if hit and s.kind == 'video' and not s.remote.down and self.rng.random() < 0.93:
                at = (at or t + s.remote.lag(t)) + 2 * s.remote.delay + 0.02
            elif hit:
                f.lost, f.missing = True, f.packets
                return
        heapq.heappush(self.heap, (at, next(self.order), s, f, 0, False))

    def step(self, t):
        self.link.step(t)
        self.way = self.back.lag(t + STEP)
        need, units, dead, here = self.allot(t), [], self.link.down or self.back.down, [s for s in self.streams if not s.gone]
        for s in here if not self.frozen else []:
            if s.tx['keyat'] and t >= s.tx['keyat']:
                s.tx['keyat'], s.need_key = 0, True
            units += s.make(t)
        for at, s, f in sorted(units, key=lambda u: u[0]):
            self.enter(at, s, f)
        while self.heap and self.heap[0][0] < t + STEP:
            at, _, s, f, again, paced = heapq.heappop(self.heap)
            n = again or f.packets
            size = int(f.size * n / f.packets)
            if s.kind == 'video' and not paced:
                self.pacer = max(self.pacer, at) + size * 8 / (2.5 * max(80e3, self.est.value))
                s.tx['pace'] += (self.pacer - at) * n * 0.5
                heapq.heappush(self.heap, (self.pacer, next(self.order), s, f, again, True))
                continue
            arrival, lost = self.link.carry(at, size, n)
            s.sent(f, again)
            when = arrival or at + self.link.lag(at)
            heapq.heappush(self.coming, (when, next(self.order), s, f, arrival, lost, again))
            if not self.back.down:
                self.acks.append((when + self.way, (at, arrival, size * 8 * (n - lost) / n), n, lost))
        while self.coming and self.coming[0][0] <= t + STEP:
            when, _, s, f, arrival, lost, again = heapq.heappop(self.coming)
            s.arrive(f, when, arrival, lost, self, again)
        told, self.acks = [a for a in self.acks if a[0] <= t + STEP], [a for a in self.acks if a[0] > t + STEP]
        free, rtt = (1e4, 0.2) if dead else (self.link.police or self.link.rate, self.link.lag(t + STEP) + self.way)
        self.est.step(t, [a[1] for a in told if a[1][1]], sum(a[2] for a in told), sum(a[3] for a in told), free, need, rtt)
        for s in here:
            if not self.frozen:
                s.play(t + STEP, self)
            s.report(t + STEP, self)
        late = max([s.late - s.floor for s in here if s.kind == 'audio' and s.late and s.floor is not None] or [0])
        scale = min([min(1, s.scale / s.part) if s.router else s.scale * s.cpu for s in here if s.kind == 'video' and s.on and not s.rid] or [1])
        self.log.append((t, min(1, self.est.value / max(need, 1)), late, scale, max(0, self.link.busy - t - STEP)))
