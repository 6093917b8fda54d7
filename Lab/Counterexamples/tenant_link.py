# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The events, links and transports of the set `tenant`: what a packet meets on its way, and what its sender concludes from that."""
import heapq
from collections import deque


class Sim:
    """A heap of events; times are seconds of the call and may be negative before the first report."""

    def __init__(self, start):
        self.now, self.heap, self.count = start, [], 0

    def at(self, time, function, *args):
        self.count += 1
        heapq.heappush(self.heap, (time, self.count, function, args))

    def every(self, period, function, *args):
        """Calls it for ever; the period may be a function."""
        def again():
            function(*args)
            self.at(self.now + (period() if callable(period) else period), again)
        self.at(self.now + (period() if callable(period) else period), again)

    def run(self, until):
        heap = self.heap
        while heap and heap[0][0] < until:
            self.now, _, function, args = heapq.heappop(heap)
            function(*args)
        self.now = until


def curve(points):
    """A function of time through points (time, value), straight between them; a number is constant; a function stays."""
    if callable(points):
        return points
    if not isinstance(points, (list, tuple)):
        return lambda t: points

    def value(t):
        before = points[0]
        for p in points:
            if p[0] > t:
                if p[0] == before[0]:
                    return p[1]
                return before[1] + (p[1] - before[1]) * max(0.0, t - before[0]) / (p[0] - before[0])
            before = p
        return before[1]
    return value


def during(spans, inside, outside=0.0):
    """`inside` in the spans (from, to), else `outside`."""
    return lambda t: inside if any(a <= t < b for a, b in spans) else outside


def wander(rng, low, high, length, period=4.0):
    """A walk between two capacities, as of a cell with other users."""
    points, v = [], (low + high) / 2
    for k in range(int((length + 60) / period)):
        points.append((k * period - 30, v))
        v = min(high, max(low, v * rng.uniform(0.7, 1.42)))
    return curve(points)


class Link:
    """One direction of an access: a queue before a capacity, then delay, jitter and losses. It keeps the order unless `reorder`."""

    def __init__(self, sim, rng, cap=50e6, delay=0.02, jitter=0.0, queue=0.3, loss=0.0, burst=1.0, stalls=(), outages=(), police=None, tcp=False, mtu=0, cross=(), fair=False):
        self.sim, self.rng = sim, rng
        self.cap, self.delay, self.jitter, self.loss = curve(cap), curve(delay), curve(jitter), curve(loss)
        self.queue, self.burst, self.stalls, self.outages, self.police = queue, burst, sorted(stalls), outages, police
        self.lossy = loss != 0.0
        self.tcp, self.mtu, self.cross, self.fair = tcp, mtu, cross, fair
        self.free, self.last, self.bad, self.tokens, self.filled = sim.now, sim.now, False, 0.0, sim.now
        self.window = 15000.0  # of the TCP transfer that shares the link
        if cross:
            sim.every(0.02, self.compete)

    def rate(self, t):
        """What is left for us: a fair queue (fq_codel) gives a transfer its half, and no queue to us."""
        return self.cap(t) * (0.5 if self.fair and self.crossed(t) else 1.0)

    def crossed(self, t):
        return any(a <= t < b for a, b in self.cross)

    def compete(self):
        """A TCP transfer in the same queue: grows until the queue overflows, then takes 70 %."""
        t = self.sim.now
        if self.fair or not self.crossed(t):
            self.window = max(15000.0, self.window * 0.9)
            return
        waiting = max(0.0, self.free - t)
        trip = 0.03 + waiting
        self.free = max(t, self.free) + self.window * 0.02 / trip * 8 / self.cap(t)
        if self.free - t > self.queue:
            self.window *= 0.7
            self.free = t + self.queue - self.rng.uniform(0.0, 0.05) * self.queue
        else:
            self.window += 0.02 / trip * 1448 * (3 if waiting < 0.6 * self.queue else 1)

    def stalled(self, t):
        for a, d in self.stalls:
            if a <= t < a + d:
                return a + d
            if a > t:
                break
        return t

    def peek(self, t):
        """The delay that a small packet would meet."""
        return max(self.stalled(max(t, self.free)) - t, 0.0) + self.delay(t) + self.rng.random() * self.jitter(t)

    def lost(self, t):
        p = self.loss(t)
        if p <= 0:
            self.bad = False
            return False
        if self.burst <= 1:
            return self.rng.random() < p
        leave = 1 / self.burst  # Gilbert: everything is lost in the bad state
        enter = min(1.0, p * leave / max(1e-9, 1 - p))
        self.bad = self.rng.random() >= leave if self.bad else self.rng.random() < enter
        return self.bad

    def policed(self, t, size):
        a, b, rate, depth = self.police
        if not a <= t < b:
            return False
        self.tokens = min(depth, self.tokens + max(0.0, t - self.filled) * rate / 8)
        self.filled = max(t, self.filled)
        if self.tokens < size:
            return True
        self.tokens -= size
        return False

    def send(self, t, size):
        """When it arrives, or None."""
        if self.outages and any(a <= t < b for a, b in self.outages) or self.mtu and size > self.mtu or self.police and self.policed(t, size):
            return None
        start = max(t, self.free)
        start = self.stalled(start) if self.stalls else start
        end = start + size * 8 / max(2000.0, self.rate(t))
        if end - t > self.queue and not self.tcp and start - (self.stalled(t) if self.stalls else t) > 0.001:
            return None
        self.free = end
        extra = 0.0
        if (self.lossy or self.bad) and self.lost(t):
            if not self.tcp:
                return None
            # a TCP tunnel repairs by itself, and what follows waits for it
            extra = 2.2 * self.delay(t) + (self.rng.uniform(0.2, 0.6) if self.rng.random() < 0.3 else self.rng.uniform(0.01, 0.05))
        j = self.jitter(t)
        arrival = end + self.delay(t) + extra + (self.rng.gammavariate(1.2, j / 1.2) if j else 0.0)
        self.last = arrival = max(arrival, self.last + 0.00002)
        return arrival

    def probe(self, t, rate):
        """What a burst of padding at that rate would measure."""
        if self.free - t > 0.03 or self.stalled(t) > t or any(a <= t < b for a, b in self.outages):
            return 0.0
        c = self.rate(t) * (0.5 if self.crossed(t) and not self.fair else 1.0)
        if self.police and self.police[0] <= t < self.police[1]:
            c = min(c, self.police[2])
        return min(rate, 0.95 * c)


class Estimate:
    """Google's congestion control in short: trend of the delay, loss, probes. `target` in bit/s."""

    def __init__(self, start=300e3, high=3e6):
        self.target, self.delayed, self.lossy, self.high = start, start, high, high
        self.groups, self.acked, self.recent, self.fresh = deque(maxlen=20), deque(), 0, True
        self.sum = self.smooth = 0.0
        self.group, self.before, self.number, self.threshold, self.hold, self.capacity = None, (0.0, 0.0), 0, 12.5, 0.0, 0.0
        self.counts, self.share, self.last, self.dropped = [0, 0], 0.0, None, (0.0, -99.0)

    def trend(self):
        n = len(self.groups)
        if n < 10:
            return 0.0
        mx, my = sum(g[0] for g in self.groups) / n, sum(g[1] for g in self.groups) / n
        below = sum((g[0] - mx) ** 2 for g in self.groups)
        return sum((g[0] - mx) * (g[1] - my) for g in self.groups) / below if below else 0.0

    def arrived(self, sent, arrival):
        """Groups of 5 ms; what comes as one burst after a stall is one group too."""
        g = self.group
        if g is None or sent - g[0] > 0.005 and not (arrival - g[2] < 0.005 and arrival - g[2] < sent - g[1] and arrival - g[3] < 0.1):
            if g:
                if self.number:
                    self.sum += ((g[2] - self.before[1]) - (g[1] - self.before[0])) * 1000
                    self.smooth = 0.9 * self.smooth + 0.1 * self.sum
                    self.groups.append((g[2] * 1000, self.smooth))
                self.before = g[1], g[2]
                self.number += 1
            self.group = [sent, sent, arrival, arrival]
        else:
            g[1], g[2] = sent, arrival

    def rate(self, now):
        while self.acked and self.acked[0][0] < now - 0.7:
            self.recent -= self.acked.popleft()[1]
        return self.recent * 8 / 0.7

    def losses(self, now, lost, total):
        """As the newer loss-based estimate: some loss is taken for the nature of the path, more of it bounds the rate."""
        self.counts[0] += lost
        self.counts[1] += total
        if self.counts[1] < 20:
            return
        self.share += 0.3 * (self.counts[0] / self.counts[1] - self.share)
        self.counts = [0, 0]
        bound = 75e3 / max(1e-6, self.share - 0.05) if self.share > 0.05 else self.high
        if bound < min(self.lossy, self.target):
            self.lossy = max(0.6 * min(self.lossy, self.target), bound)
        elif self.share < 0.06:
            self.lossy = min(self.high, self.lossy * 1.02 + 500)

    def feedback(self, now, batch, rtt):
        """What the other end saw of these (sent, arrival or None, bytes)."""
        lost = 0
        for sent, arrival, size in batch:
            if arrival is None:
                lost += 1
            else:
                self.acked.append((arrival, size))
                self.recent += size
                self.arrived(sent, arrival)
        self.losses(now, lost, len(batch))
        elapsed, self.last = min(1.0, now - self.last) if self.last is not None else 0.1, now
        trend = self.trend() * min(self.number, 60) * 4
        if abs(trend) < self.threshold + 15:
            k = 0.0087 if abs(trend) > self.threshold else 0.039
            self.threshold = min(600.0, max(6.0, self.threshold + k * (abs(trend) - self.threshold) * min(elapsed * 1000, 100)))
        self.steer(now, trend, elapsed, rtt)

    def steer(self, now, trend, elapsed, rtt):
        got = self.rate(self.acked[-1][0] if self.acked else now)
        if trend > self.threshold and now - self.hold > 0.25 + rtt:
            if self.delayed > 0.85 * got:
                self.dropped = (self.delayed, now) if self.delayed > 1.3 * got else self.dropped
                self.delayed = max(30e3, 0.85 * got)
            self.capacity, self.hold, self.fresh = got, now, False
        elif abs(trend) <= self.threshold and now - self.hold > 0.3:
            near = self.capacity and abs(self.delayed - self.capacity) < 0.25 * self.capacity
            step = max(4000.0, 1200 * 8 / (rtt + 0.1) * 0.5) * elapsed if near else self.delayed * (1.08 ** elapsed - 1)
            if got and self.delayed < 1.5 * got + 10e3:
                self.delayed += step
            if self.delayed > 1.3 * (self.capacity or 1e12):
                self.capacity = 0.0
        self.delayed = min(self.high, self.delayed)
        self.target = max(30e3, min(self.delayed, self.lossy))


class Transport:
    """What one end sends to the other over `fwd`, with feedback over `back`."""

    def __init__(self, sim, rng, fwd, back, high=3e6, start=300e3):
        self.sim, self.rng, self.fwd, self.back = sim, rng, fwd, back
        self.estimate, self.log, self.pending = Estimate(start, high), deque(), []
        self.pace, self.rtt, self.packets, self.bytes, self.got, self.gotBytes = sim.now, 0.1, 0, 0, 0, 0
        self.last = self.heard = sim.now
        self.controls, self.writable, self.held = 0, True, 0
        sim.every(0.1, self.report)
        sim.every(lambda: rng.uniform(4.5, 5.5) if sim.now > -8 else 0.5, self.probes)

    @property
    def target(self):
        """A sender that hears nothing fills its window and encodes less."""
        silent = self.sim.now - self.heard
        return self.estimate.target * (1.0 if silent < 0.5 else max(0.15, 1.3 - 0.6 * silent))

    def send(self, packet, deliver, paced=False):
        t, size = self.sim.now, packet.size + 50
        if paced:
            t = max(t, min(self.pace, t + 2.0))
            self.pace = t + size * 8 / (2.5 * max(30e3, self.target))
        wait = t - self.sim.now
        if wait > 0.012 or paced and self.held:
            self.held += 1
            self.sim.at(t, self.release, packet, deliver)
        else:
            self.launch(packet, deliver, t)
        return wait

    @property
    def backlog(self):
        """Seconds that the pacer needs for what it holds."""
        return self.pace - self.sim.now

    def release(self, packet, deliver):
        self.held -= 1
        self.launch(packet, deliver, self.sim.now)

    def launch(self, packet, deliver, t):
        size = packet.size + 50
        self.packets += 1
        self.bytes += size - 28
        self.last = t
        arrival = self.fwd.send(t, size)
        self.log.append((t, arrival, size))
        if arrival is not None:
            self.sim.at(arrival, self.deliver, packet, deliver)

    def deliver(self, packet, deliver):
        self.got += 1
        self.gotBytes += packet.size + 22
        deliver(packet)

    def small(self, function, *args):
        """RTCP of the receiving end on the way back; None of it is repaired."""
        self.controls += 1
        arrival = self.back.send(self.sim.now, 90)
        if arrival is not None:
            self.sim.at(arrival, function, *args)

    def rtcp(self):
        return self.controls

    def report(self):
        now = self.sim.now
        passing = self.fwd.delay(now) + 0.05
        while self.log and (self.log[0][1] or self.log[0][0] + passing) <= now:
            self.pending.append(self.log.popleft())
        if self.pending and any(p[1] for p in self.pending):
            self.controls += 1
            arrival = self.back.send(now, 80)
            if arrival is not None:
                self.sim.at(arrival, self.answer, self.pending, now)
                self.pending = []

    def answer(self, batch, made):
        now = self.sim.now
        self.heard = now
        newest = max(p[1] for p in batch if p[1])
        sent = max(p[0] for p in batch if p[1] == newest)
        self.rtt = 0.8 * self.rtt + 0.2 * max(0.001, newest - sent + now - made)
        self.estimate.feedback(now, batch, self.rtt)

    def probes(self):
        """At the beginning, when we send less than we might, and some time after a fall."""
        e, now = self.estimate, self.sim.now
        got, fell = e.rate(e.acked[-1][0] if e.acked else now), now - e.dropped[1] < 12
        if e.fresh and e.target < e.high or got < 0.65 * e.target or fell:
            aim = e.dropped[0] * 0.85 if fell else 2 * e.target
            seen = self.fwd.probe(now, min(e.high, aim)) * self.rng.uniform(0.9, 1.0)
            if seen > e.target:
                e.delayed, e.capacity = max(e.delayed, seen), 0.0
                e.lossy = max(e.lossy, seen) if e.share < 0.04 else e.lossy
            elif seen and e.fresh:
                e.fresh = False
