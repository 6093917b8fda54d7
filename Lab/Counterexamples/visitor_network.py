# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The network of the calls of `visitor.py`, event by event: links with a drop-tail queue, the estimate of a sender, pacer, and feedback."""
import heapq
from collections import deque
from stranger_network import at

T0 = 1_795_000_000_000.0  # Unix ms of each call's beginning


class Sim:
    """Events in order of their time."""

    def __init__(self):
        self.heap = []
        self.count = 0
        self.now = 0.0

    def schedule(self, t, f, *a):
        self.count += 1
        heapq.heappush(self.heap, (t, self.count, f, a))

    def run(self, end):
        h = self.heap
        pop = heapq.heappop
        while h and h[0][0] < end:
            self.now, _, f, a = pop(h)
            f(*a)


class Network:
    """One direction: rate with a drop-tail queue shared with a cross flow, loss (independent or Gilbert bursts), order-preserving
    jitter, stalls of the radio (what is sent in one arrives after it), blackouts; over TCP a loss is a delay for all behind it."""

    def __init__(self, sim, r, owd=.015, rate=None, longest_queue=.3, loss=0, burst=0, jitter=.001, cross=0, bulk=0, stalls=(), down=False, tcp=False,
                 police=None, bucket=12000):
        self.sim, self.draw, self.owd, self.rate, self.longest_queue, self.loss = sim, r, owd, rate, longest_queue, loss
        self.burst, self.jitter, self.cross, self.bulk, self.stalls, self.down = burst, jitter, cross, bulk, list(stalls), down
        self.tcp = tcp
        self.busy = 0.0
        self.last = 0.0
        self.last_time = 0.0
        self.bad = False
        self.flip = 0.0
        self.flow = 0.0
        self.stall = 0
        self.police, self.bucket, self.tokens, self.token_time = police, bucket, bucket, 0.0

    def fluid(self, t):
        """What others put into the queue since the last packet: a constant share, or a bulk TCP flow that fills it and halves."""
        dt = t - self.last_time
        self.last_time = t
        R = at(self.rate, t)
        if not R or dt <= 0:
            return
        c = at(self.cross, t)
        q = max(0.0, self.busy - t)
        mx = at(self.longest_queue, t)
        if c:
            self.busy = max(self.busy, t - dt) + c * dt / R * self.draw.uniform(.7, 1.3)
            self.busy = min(self.busy, t + mx)
        if at(self.bulk, t):
            rtt = .04 + q
            if self.flow == 0:
                self.flow = 14600 * 8
            self.flow += 12000 * dt / rtt * (8 if self.flow < R * mx * .6 else 2.5)
            self.busy = max(self.busy, t - dt) + self.flow / rtt * dt / R
            if self.busy > t + mx:
                self.busy = t + mx
                self.flow *= .7 if not hasattr(self, 'cut') or t - self.cut > rtt else 1
                self.cut = t
        else:
            self.flow = 0

    def send(self, size):
        t = self.sim.now
        if at(self.down, t):
            return None
        self.fluid(t)
        R = at(self.rate, t)
        d = t
        P = at(self.police, t)
        if P:  # a token bucket: what is too much is dropped at once, nothing waits
            self.tokens = min(self.bucket, self.tokens + (t - self.token_time) * P / 8)
            self.token_time = t
            if self.tokens < size:
                return None
            self.tokens -= size
        if R:
            if self.busy - t > at(self.longest_queue, t):
                return None
            self.busy = max(self.busy, t) + (size + 28) * 8 / R
            d = self.busy
        p = at(self.loss, t)
        if p:
            if self.burst:  # Gilbert: 60 % lost in the bad state
                if t >= self.flip:
                    self.bad = not self.bad
                    self.flip = t + self.draw.expovariate(1 / (self.burst if self.bad else self.burst * (.6 / p - 1)))
                p = .6 if self.bad else 0
            if self.draw.random() < p:
                if not self.tcp:
                    return None
                d += self.draw.uniform(1.1, 1.6) * 2 * at(self.owd, t) + .01
        j = at(self.jitter, t)
        a = d + at(self.owd, t) + abs(self.draw.gauss(0, j))
        while self.stall < len(self.stalls) and self.stalls[self.stall][1] < t - 1:
            self.stall += 1
        for x, y in self.stalls[self.stall:self.stall + 3]:
            if x <= d < y:
                a = max(a, y + at(self.owd, t) + self.draw.uniform(0, .004))
                break
        self.last = a = max(a, self.last + 1e-5) if a > self.last - 3 else a
        return a

    def peek(self):
        """Delay that a small packet would see now, None if it would not arrive."""
        t = self.sim.now
        if at(self.down, t):
            return None
        self.fluid(t)
        d = max(0.0, self.busy - t) if at(self.rate, t) else 0.0
        for x, y in self.stalls[self.stall:self.stall + 3]:
            if x <= t + d < y:
                d = y - t
        return d + at(self.owd, t) + abs(self.draw.gauss(0, at(self.jitter, t)))


class Congestion:
    """The estimate of a sender: the trend of one-way delays, losses, and probes."""

    def __init__(self, leg, start=300e3, top=5e6, probes=(900e3, 1800e3), first_probe=.15):
        self.leg, self.sim, self.draw, self.estimate, self.top, self.probes = leg, leg.sim, leg.draw, start, top, probes
        self.first_probe = first_probe
        self.accumulated = self.smoothed = 0.0
        self.window = deque(maxlen=20)
        self.groups = 0
        self.threshold = 12.5
        self.overused = 0.0
        self.trend_before = 0.0
        self.group = None
        self.last_time = 0.0
        self.acknowledged = None
        self.link = None
        self.link_deviation = .15
        self.state = 'inc'
        self.decreased = -9.0
        self.last_feedback = 0.0
        self.losses = deque()
        self.loss_cut = 0.0
        self.before = None
        self.probed_at = 0.0
        self.round_trip = .05
        self.arrived_bytes = 0.0
        self.arrival_begin = None
        self.arrival_last = 0.0
        self.target = self.estimate
        for i, p in enumerate(probes):
            self.sim.schedule(first_probe + .08 * i, self.probe, p, True)
        self.sim.schedule(.5, self.tick)

    def probe(self, rate, first=False):
        if not self.leg.pads():
            return
        self.probed_at = self.sim.now
        n = max(6, int(rate * .015 / 9600))
        got = []
        for i in range(n):
            self.sim.schedule(self.sim.now + i * 9600 / rate, self.leg.pad, got)
        self.sim.schedule(self.sim.now + .2 + self.round_trip * 1.5 + n * 9600 / rate, self.probed, got, n, rate, first)

    def probed(self, got, n, rate, first):
        if len(got) < .8 * n or got[-1] <= got[0]:
            return
        res = min(rate, (len(got) - 1) * 9600 / (got[-1] - got[0]))
        if res < .9 * rate:
            res *= .95
        if res > self.estimate:
            self.estimate = min(self.top, res)
            self.link = None
        if first and res > .7 * rate and (rate < self.top):
            self.sim.schedule(self.sim.now + .01, self.probe, min(self.top, rate * 2), True)

    def tick(self):
        t = self.sim.now
        self.sim.schedule(t + .25, self.tick)
        sent = self.leg.rate_now()
        if t - self.last_feedback > 1.2 + self.round_trip and sent:
            self.estimate = max(100e3, self.estimate * .95)
            self.target = self.estimate * .6
        if t > 5 and t - self.last_feedback < 1:
            alr = sent < .6 * self.estimate
            if self.before and t - self.decreased > 1.5 and (t - self.decreased < 8) and (self.estimate < .66 * self.before) and alr:
                self.probe(.85 * self.before)
                self.before = None
            elif ((alr or (self.leg.probing and self.leg.wants_more())) and t - self.probed_at > 5 and self.estimate < self.top
                  and self.estimate < 1.4 * self.leg.most_wanted()):
                self.probe(min(2 * self.estimate, self.top))

    def feedback(self, arr, lost):
        t = self.sim.now
        dt = min(.3, t - self.last_feedback) if self.last_feedback else .06
        self.last_feedback = t
        for snd, a, sz in arr:  # what arrives, by arrival time; a gap starts a new window
            if self.arrival_begin is None or a - self.arrival_last > .15:
                self.arrival_begin = a
                self.arrived_bytes = 0.0
            self.arrival_last = a
            self.arrived_bytes += sz
            if a - self.arrival_begin >= .12:
                x = self.arrived_bytes * 8 / (a - self.arrival_begin)
                self.acknowledged = x if self.acknowledged is None else self.acknowledged + (x - self.acknowledged) * min(1, (a - self.arrival_begin) / .3)
                self.arrival_begin = a
                self.arrived_bytes = 0.0
        for snd, a, sz in arr:  # groups of 5 ms
            g = self.group
            if g is not None and snd - g[0] > .005 and (a - g[2] <= .005) and (a - g[2] < snd - g[1]) and (a - g[3] < .1):
                g[1] = snd
                g[2] = a
            elif g is None or snd - g[0] > .005:
                if g is not None and self.last_group is not None:
                    d = (g[2] - self.last_group[2] - (g[1] - self.last_group[1])) * 1000
                    self.groups += 1
                    self.accumulated += d
                    self.smoothed = .9 * self.smoothed + .1 * self.accumulated
                    self.window.append((g[2] * 1000, self.smoothed))
                self.last_group = g
                self.group = [snd, snd, a, a]
            else:
                g[1] = snd
                g[2] = a
        sig = 'normal'
        if len(self.window) > 5 and arr:
            k = len(self.window)
            mx = sum(x for x, _ in self.window) / k
            my = sum(y for _, y in self.window) / k
            den = sum((x - mx)**2 for x, _ in self.window)
            slope = sum((x - mx) * (y - my) for x, y in self.window) / den if den else 0
            tr = slope * min(self.groups, 60) * 4
            if tr > self.threshold:
                self.overused += dt
                if self.overused > .09 and tr >= self.trend_before:
                    sig = 'over'
            else:
                self.overused = 0.0
                if tr < -self.threshold:
                    sig = 'under'
            if abs(tr) < self.threshold + 15:
                self.threshold = min(600,
                                     max(6, self.threshold + (.039 if abs(tr) < self.threshold else .0087) * (abs(tr) - self.threshold) * min(100, dt * 1000)))
            self.trend_before = tr
        ack = self.acknowledged or self.estimate
        if sig == 'over' and t - self.decreased > .2 + self.round_trip:
            new = .85 * ack
            if new < self.estimate:
                self.before = self.estimate if self.before is None or t - self.decreased > 5 else self.before
                self.estimate = max(50e3, new)
                self.link = ack if self.link is None else self.link * .95 + ack * .05 if abs(ack - self.link) < 3 * self.link_deviation * self.link else ack
            self.decreased = t
            self.state = 'hold'
            self.overused = 0.0
        elif sig == 'under':
            self.state = 'hold'
        elif sig == 'normal':
            if self.link and ack > self.link * (1 + 3 * self.link_deviation):
                self.link = None
            if self.estimate < 1.5 * ack + 10e3:
                if self.link:
                    self.estimate += max(4e3, 9600 / (self.round_trip + .1)) * dt
                else:
                    self.estimate = max(self.estimate * 1.08**dt, self.estimate + 1000 * dt)
        self.losses.append((t, len(arr), lost))
        while self.losses[0][0] < t - 1.0:
            self.losses.popleft()
        n = sum(x[1] for x in self.losses)
        l = sum(x[2] for x in self.losses)
        L = l / max(1, n + l)
        if n + l > 20 and L > .1 and (t - self.loss_cut > .3 + self.round_trip):
            self.estimate = max(50e3, self.estimate * (1 - .5 * L))
            self.loss_cut = t
            self.losses.clear()
            self.losses.append((t, 0, 0))
        self.estimate = min(self.estimate, self.top)
        self.target = self.estimate


class Direction:
    """One sender side: pacer, path, feedback."""

    def __init__(self, c, path, back, gcc=None):
        self.call, self.sim, self.draw, self.path, self.back = c, c.sim, c.draw, path, back
        self.pacer_free = 0.0
        self.arrivals = []
        self.lost = 0
        self.bytes_sent = self.packets_sent = self.bytes_received = self.packets_received = 0
        self.window = deque()
        self.window_bytes = 0
        self.videos = []
        self.audios = []
        self.last_received = 0.0
        self.probing = False  # a router tries for more though it is not idle
        self.congestion = Congestion(self, **gcc or {})
        self.sim.schedule(.06, self.feed_back)

    def pads(self):
        return any(at(v.active, self.sim.now) for v in self.videos)

    def wants_more(self):
        return any(v.starved for v in self.videos if at(v.active, self.sim.now))

    def most_wanted(self):
        return sum(v.most for v in self.videos if at(v.active, self.sim.now)) + 40e3 * len(self.audios)

    def rate_now(self):
        t = self.sim.now
        while self.window and self.window[0][0] < t - .5:
            self.window_bytes -= self.window.popleft()[1]
        return self.window_bytes * 16

    def emit(self, rx, pk, size, paced=True):
        """Put a packet into the pacer; rx.arrive(pk) at the far end. Returns its pacer delay."""
        t = self.sim.now
        when = max(t, self.pacer_free) if paced else t
        if paced:
            self.pacer_free = when + size * 8 / max(60e3, 2.5 * self.congestion.target)
        if when <= t:
            self.out(rx, pk, size)
        else:
            self.sim.schedule(when, self.out, rx, pk, size)
        return when - t

    def out(self, rx, pk, size):
        t = self.sim.now
        w = size + 22
        self.bytes_sent += w
        self.packets_sent += 1
        self.window.append((t, w))
        self.window_bytes += w
        a = self.path.send(w)
        if a is None:
            self.lost += 1
            return
        self.sim.schedule(a, self.land, rx, pk, w, t)

    def land(self, rx, pk, w, snd):
        self.bytes_received += w
        self.packets_received += 1
        t = self.sim.now
        self.last_received = t
        self.arrivals.append((snd, t, w))
        if pk is not None:
            rx.arrive(pk)

    def pad(self, got):
        w = 1200
        self.bytes_sent += w
        self.packets_sent += 1
        a = self.path.send(w)
        if a is not None:
            got.append(a)
            self.sim.schedule(a, self.pad_arrives)

    def pad_arrives(self):
        self.bytes_received += 1200
        self.packets_received += 1

    def feed_back(self):
        self.sim.schedule(self.sim.now + .06 * self.draw.uniform(.8, 1.2), self.feed_back)
        if not self.arrivals and (not self.lost):
            return
        d = self.back.peek()
        if d is None:
            self.arrivals = [x for x in self.arrivals if x[1] > self.sim.now - .5]
            return
        if self.arrivals:
            self.control(d)
            self.sim.schedule(self.sim.now + d, self.congestion.feedback, self.arrivals, self.lost)
            self.arrivals = []
            self.lost = 0

    def control(self, d, size=66):
        """RTCP of the far end counts on the other leg."""
        o = self.call.down if self is self.call.up else self.call.up
        o.bytes_sent += size
        o.packets_sent += 1

        def land():
            o.bytes_received += size
            o.packets_received += 1
            o.last_received = self.sim.now

        self.sim.schedule(self.sim.now + d, land)

    def rtcp(self, f, *a):
        """Something small from the far end back to this sender."""
        d = self.back.peek()
        if d is not None and self.draw.random() > at(self.back.loss, self.sim.now) * (not self.back.tcp):
            self.control(d)
            self.sim.schedule(self.sim.now + d, f, *a)
