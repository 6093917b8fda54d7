# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Links of the set lodger: one FIFO queue each, with loss, bursts, jitter, stalls, a policer, other traffic, a small MTU, TCP, and outages."""
import math


class Link:
    """One direction of an access or path; packets are offered in the order of time."""

    def __init__(self, rng, **settings):
        """Begins with the settings given; those not given are a good wired link."""
        self.rng, self.changes = rng, []
        self.rate, self.delay, self.queue, self.loss = 60e6, 0.012, 0.35, 0.0
        self.burst = None  # (mean seconds between, mean seconds long, loss within)
        self.jitter = 0.0005  # mean of an exponential delay of each packet
        self.retry = None  # (probability, mean seconds): a packet that the radio repeats
        self.wander = None  # (seconds, time constant): delay that drifts
        self.stall = None  # (mean seconds between, seconds from, to): nothing leaves meanwhile
        self.policer = None  # (bits per second, bytes of burst)
        self.mtu = None
        self.reliable = False  # TCP: a loss delays what comes after it
        self.cross = None  # share of the rate that other traffic takes at most
        self.down = False
        self.retries = 3  # how often a router asks for a packet of video again
        self.apply(settings)
        self.busy = self.last = self.clock = 0.0
        self.bad = (0.0, 0.0)
        self.still = (0.0, 0.0)
        self.tokens, self.filled = 0.0, 0.0
        self.drift, self.load, self.bent = 0.0, 0.3, 0.0

    def apply(self, settings):
        """Sets members by name."""
        for name, value in settings.items():
            if not hasattr(self, name):
                raise AttributeError(name)
            setattr(self, name, value)

    def at(self, time, **settings):
        """Changes settings at a time of the call."""
        self.changes.append((time, settings))
        self.changes.sort(key=lambda change: change[0])
        return self

    def tick(self, now, step):
        """Moves what goes on without packets: changes, drift, and other traffic."""
        while self.changes and self.changes[0][0] <= now:
            self.apply(self.changes.pop(0)[1])
        if self.wander:
            size, constant = self.wander
            pull = step / constant
            self.drift += -self.drift * pull + size * math.sqrt(2 * pull) * self.rng.gauss(0, 1)
        else:
            self.drift = 0.0
        if self.cross:
            backlog = max(0.0, self.busy - now)
            if backlog > self.queue * 0.93:
                if now > self.bent:  # the other flow sees its loss and slows down
                    self.load, self.bent = self.load * 0.62, now + 0.25
            else:
                self.load = min(self.cross * 1.15, self.load + step * 0.22)
            self.busy = max(now, self.busy) + min(self.load * step, max(0.0, self.queue - backlog))
        else:
            self.load = 0.3

    def _bursting(self, now):
        """Whether a burst of loss is going on."""
        between, length, share = self.burst
        if now > self.bad[1]:
            begin = max(now, self.bad[1]) + self.rng.expovariate(1 / between)
            self.bad = (begin, begin + length * self.rng.uniform(0.5, 1.5))
        return share if self.bad[0] <= now <= self.bad[1] else 0.0

    def send(self, size, now):
        """When a packet arrives at the other end, or None."""
        if self.down or self.mtu and size > self.mtu:
            return None
        rng = self.rng
        if self.policer:
            rate, burst = self.policer
            self.tokens = min(burst, self.tokens + (now - self.filled) * rate / 8)
            self.filled = now
            if self.tokens < size:
                return None
            self.tokens -= size
        start = self.busy if self.busy > now else now
        if start - now > self.queue:
            return None
        if self.stall:
            between, least, most = self.stall
            if now > self.still[1]:
                begin = now + rng.expovariate(1 / between) if self.still[1] else now + rng.uniform(0, between)
                self.still = (begin, begin + rng.uniform(least, most))
            if self.still[0] <= start < self.still[1]:
                start = self.still[1]
        self.busy = start + size * 8 / self.rate
        lost = self.loss and rng.random() < self.loss
        if self.burst and rng.random() < self._bursting(now):
            lost = True
        if lost and not self.reliable:
            return None
        extra = rng.expovariate(1 / self.jitter) if self.jitter else 0.0
        if self.retry and rng.random() < self.retry[0]:
            extra += rng.expovariate(1 / self.retry[1])
        if lost:  # repeated by TCP after its timeout, and all behind it wait
            extra += max(0.2, 4 * self.delay) * rng.uniform(0.9, 1.4)
        arrival = self.busy + max(0.001, self.delay + self.drift) + extra
        if arrival < self.last:
            arrival = self.last
        self.last = arrival
        return arrival


class Path:
    """Links in a row."""

    def __init__(self, *links):
        """Takes the links from the sender on."""
        self.links = links

    def send(self, size, now):
        """When a packet arrives at the end, or None."""
        for link in self.links:
            now = link.send(size, now)
            if now is None:
                return None
        return now

    def quiet(self, size, now):
        """As send, but without a place in the queue: for rare small packets of control."""
        for link in self.links:
            if link.down or link.loss and link.rng.random() < min(link.loss, 0.5) and not link.reliable:
                return None
            if link.still[0] <= now < link.still[1]:
                now = link.still[1]
            now = max(max(now, link.busy) + max(0.001, link.delay + link.drift), link.last)  # nothing overtakes
            if link.jitter:
                now += link.rng.expovariate(1 / link.jitter)
        return now
