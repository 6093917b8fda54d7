# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The path of the calls of `stranger.py`, in steps of 100 ms: a bottleneck with its queue, losses, delay, the estimate of a sender, and the reports
of the far end."""

STEP = .1  # seconds
T0 = 1_793_500_000_000  # Unix ms of each call's beginning


def at(x, t):
    """What a figure is at a second: figures are values or functions of the second."""
    return x(t) if callable(x) else x


def between(a, b, on, off=0):
    """A function of the second: one value from a to b, another outside."""
    return lambda t: on(t) if callable(on) and a <= t < b else on if a <= t < b else at(off, t)


def share_of(r, n, p):
    """How many of n happen, each with the probability p."""
    if n <= 0 or p <= 0:
        return 0
    if p >= 1:
        return n
    return sum(r.random() < p for _ in range(int(n)))


class Network:
    """One direction of a path: a bottleneck with a drop-tail queue, random loss or bursts that lose half, delay variation, blackouts."""

    def __init__(self, r, owd=.016, rate=None, longest_queue=.35, loss=0, burst=0, jitter=.0015, cross=0, other=0, spike=0, down=False):
        self.draw, self.owd, self.rate, self.longest_queue, self.loss = r, owd, rate, longest_queue, loss
        self.burst, self.jitter, self.cross, self.other, self.spike = burst, jitter, cross, other, spike
        self.down = down
        self.queue = 0.0
        self.next_burst = None
        self.burst_end = -1.0
        self.queueing = 0.0
        self.held = 0.0
        self.delay = at(owd, 0)
        self.dead = False
        self.spread = at(jitter, 0)
        self.before = self.delay
        self.variation = 0.0

    def step(self, t, bits):
        self.dead = bool(at(self.down, t))
        if self.dead:
            self.queue = 0
            return 1.0
        rate = at(self.rate, t)
        over = 0.0
        if rate:
            c = max(0, at(self.cross, t) * STEP * self.draw.gauss(1, .15))
            tot = bits + c
            self.queue = max(0.0, self.queue + tot - rate * STEP)
            most = rate * at(self.longest_queue, t)
            if self.queue > most:
                over = min(1.0, (self.queue - most) / max(1.0, tot))
                self.queue = most
            self.queueing = self.queue / rate
        else:
            self.queue = 0.0
            self.queueing = 0.0
        self.queueing += max(0.0, at(self.other, t))
        p = at(self.loss, t)
        if self.burst and p > 0:  # each burst loses half of what is sent
            gap = self.burst * .5 / p  # mean distance from burst to burst
            if self.next_burst is None:
                self.next_burst = t + gap * self.draw.uniform(0, .6)
            if t >= self.next_burst:
                self.burst_end = t + max(STEP, self.burst * self.draw.uniform(.6, 1.4))
                self.next_burst += gap * self.draw.uniform(.6, 1.4)
            p = .5 if t < self.burst_end else 0.0
        elif self.burst:
            self.next_burst = None
        self.held = at(self.spike, t)
        self.spread = at(self.jitter, t)
        self.before = self.delay
        self.delay = at(self.owd, t) + self.queueing + self.held + abs(self.draw.gauss(0, self.spread))
        self.variation = abs(self.delay - self.before)
        return 1 - (1 - over) * (1 - p)


class Congestion:
    """Delay- and loss-based sender side estimate."""

    def __init__(self, r, top=4.5e6, start=300e3, probe=True, slow=1.08):
        self.draw, self.top, self.estimate, self.probe, self.slow = r, top * r.uniform(.9, 1.15), start, probe, slow
        self.queued_before = 0.0
        self.overuse = 0
        self.decreased = -9
        self.acknowledged = 0.0
        self.window = []
        self.link = None
        self.cut = 0
        self.quiet = 0
        self.begin = None
        self.fast_until = -1

    def step(self, t, net, sent, loss, want, no_feedback=False):
        if self.begin is None:
            self.begin = t
        self.acknowledged += (sent * (1 - loss) / STEP - self.acknowledged) * .2
        if net.dead or no_feedback:  # the estimate decays, afterwards probes
            self.quiet += STEP
            if self.quiet > .8:
                self.estimate = max(110e3, self.estimate * .955)
            return
        if self.quiet > 2:
            self.fast_until = t + 14
            self.link = None
        self.quiet = 0
        q = net.queueing + net.held
        dq = q - self.queued_before
        self.queued_before = q
        self.overuse = self.overuse + 1 if q > .03 and dq > .004 else max(0, self.overuse - 1) if dq > -.002 and q > .06 else 0
        self.window = (self.window + [(sent, loss)])[-10:]
        lately = sum(a * b for a, b in self.window) / max(1, sum(a for a, _ in self.window))
        if (self.overuse >= 2 or (net.held > .1 and self.overuse >= 1)) and t - self.decreased > .5:
            self.estimate = max(60e3, min(self.estimate, .85 * max(self.acknowledged, 50e3)))
            self.link = self.acknowledged
            self.decreased = t
            self.overuse = 0
        elif lately > .1 and t - self.cut > .5:
            self.estimate = max(60e3, self.estimate * (1 - .5 * lately))
            self.cut = t
            self.link = None
        elif lately < .02 or (lately < .06 and self.draw.random() < .3):
            if q < .05 or (dq <= 0 and q < .12):
                if self.probe and t - self.begin < 5 and self.decreased < 0:
                    self.estimate *= 2.6 ** STEP if self.estimate > 1e6 else 3.5 ** STEP
                elif t - self.decreased > .6:
                    if self.link and self.estimate < 1.15 * self.link:
                        self.estimate += 45e3 * STEP
                    elif t < self.fast_until:
                        self.estimate *= 1.28 ** STEP
                    else:
                        self.link = None
                        if self.estimate < max(1.5 * self.acknowledged + 20e3, self.estimate * (.5 if self.estimate < want * 1.2 else 0)):
                            self.estimate *= self.slow ** STEP
        self.estimate = min(self.estimate, self.top)


class ReceiverReports:
    """What the far end's receiver reports tell: only as often as they come."""

    def __init__(self, r, every):
        self.draw, self.interval, self.next, self.n, self.total = r, every, r.uniform(.3, every), 0, 0.0
        self.when, self.lost, self.reported, self.jitter_seen, self.rtt = None, 0, 0, .002, .03
        self.fraction = 0.0
        self.expected_before = self.lost_before = 0
        self.received = 0

    def step(self, t, exp, rtt, up, down):
        j = .0006 + 1.1 * up.spread + .4 * up.variation
        self.jitter_seen += (j - self.jitter_seen) * .12
        if t < self.next:
            return
        self.next = t + self.interval * self.draw.uniform(.6, 1.3)
        if up.dead or down.dead or exp == 0:
            return
        self.n += 1
        self.rtt = rtt
        self.total += rtt
        self.when = t
        self.fraction = (self.lost - self.lost_before) / max(1, exp - self.expected_before)
        self.fraction = max(0, min(1, self.fraction))
        self.lost_before = self.lost
        self.expected_before = exp
        self.reported = self.lost
        self.received = exp - self.lost
