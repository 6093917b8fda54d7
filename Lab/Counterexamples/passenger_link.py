# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Links of the set passenger: a queue in bytes that drains at a rate, Gilbert losses, retries of the radio, stalls, a policer, a small MTU, TCP that delays instead of losing, and other people's TCP in the same queue."""
import math
from collections import deque

FOREVER = 1e9


class Policer:
    """A token bucket that drops what exceeds it, as cable operators and carriers do."""

    def __init__(self, rate, depth):
        self.rate, self.depth, self.tokens, self.at = rate, depth, depth, 0.0

    def passes(self, now, size):
        self.tokens = min(self.depth, self.tokens + (now - self.at) * self.rate / 8)
        self.at = now
        if self.tokens < size:
            return False
        self.tokens -= size
        return True


class Link:
    """One direction of an access or a path; `send` gives the time of arrival, or None."""

    def __init__(self, rng, rate, delay, queue=0.25, jitter=0.001, **more):
        self.rng, self.rate, self.delay, self.jitter = rng, rate, delay, jitter
        self.buffer = queue * rate / 8
        self.free = self.last = self.seen = 0.0
        self.waiting, self.held, self.hold = deque(), 0, 1.8     # what waits: (departure, bytes); bytes; seconds of it at most
        self.loss, self.burst, self.bad = 0.0, 1.0, False
        self.retry, self.reorder, self.doze, self.stalled, self.dead = 0.0, 0.0, 0.0, 0.0, False
        self.mtu, self.overhead, self.policer, self.tcp = 9999, 38, None, False
        self.drops = 0
        for name, value in more.items():
            setattr(self, name, value)

    def set(self, **values):
        if 'rate' in values and self.free > self.seen:
            self.free = self.seen + min(self.hold * 1.3, (self.free - self.seen) * self.rate / values['rate'])
        for name, value in values.items():
            setattr(self, name, value)

    def backlog(self, now):
        return max(0.0, self.free - now, self.stalled - now)

    def lag(self, now):
        """What a small packet takes now; feedback and checks feel the queue and take no place in it."""
        doze = self.doze * 0.5
        return self.backlog(now) + self.delay + doze + self.rng.expovariate(1 / self.jitter if self.jitter else 1e6)

    def loses(self):
        if not self.loss:
            return False
        if self.bad:
            self.bad = self.rng.random() > 1 / self.burst
        else:
            self.bad = self.rng.random() < self.loss / self.burst / (1 - self.loss)
        return self.bad

    def stall(self, until):
        """The radio is silent until then; what waits is sent afterwards."""
        self.stalled = max(self.stalled, until)

    def drowns(self, now, size):
        while self.waiting and self.waiting[0][0] <= now:
            self.held -= self.waiting.popleft()[1]
        return self.held + size > self.buffer * (2.5 if self.tcp else 1) or self.held * 8 / self.rate > self.hold

    def send(self, now, size):
        size += self.overhead
        self.seen = now
        if self.dead or size > self.mtu or (self.policer and not self.policer.passes(now, size)) or self.drowns(now, size):
            self.drops += 1
            return None
        start = max(now, self.free, self.stalled)
        if self.doze:
            start = max(start, math.ceil(now / self.doze) * self.doze)
        self.free = start + size * 8 / self.rate
        self.held += size
        self.waiting.append((self.free, size))
        wait = self.rng.expovariate(1 / self.jitter) if self.jitter else 0.0
        if self.retry and self.rng.random() < self.retry:
            wait += self.again()
        if self.loses():
            if not self.tcp:
                self.drops += 1
                return None
            wait += self.resend()
        arrival = self.free + self.delay + wait
        if self.reorder and self.rng.random() < self.reorder:
            return arrival + self.rng.uniform(0.003, 0.02)
        self.last = max(arrival, self.last)
        return self.last

    def again(self):
        """Retries of a radio frame; what is behind it waits too, since the order is kept."""
        wait = self.rng.uniform(0.004, 0.015)
        while self.rng.random() < 0.55 and wait < 0.12:
            wait += self.rng.uniform(0.004, 0.02)
        return wait

    def resend(self):
        """A lost segment of TCP: a fast retransmission, or its timer."""
        trip = 2 * self.delay + 0.02
        return trip * self.rng.uniform(1.1, 1.6) if self.rng.random() < 0.8 else max(0.22, 2 * trip) * self.rng.choice([1, 1, 1, 2])

    def push(self, now, size):
        """Bytes of others; false where the queue has no place for them."""
        self.drowns(now, 0)
        took = min(size, max(0.0, self.buffer - self.held))
        self.free = max(now, self.free) + took * 8 / self.rate
        self.held += took
        self.waiting.append((self.free, took))
        return took >= size - 1


class Others:
    """Greedy TCP of others through a link: slow start, then sawteeth that keep its queue filled."""

    def __init__(self, call, link, flows=2, cap=FOREVER, trip=0.03):
        self.call, self.link, self.flows, self.cap, self.trip = call, link, flows, cap, trip
        self.window, self.slow, self.held, self.on = 10.0 * flows, True, 0.0, True
        self.step(0)

    def step(self, _):
        if not self.on:
            return
        now = self.call.now
        trip = self.trip + self.link.backlog(now)
        rate = min(self.window * 1448 * 8 / trip, self.cap)
        if not self.link.push(now, rate * 0.02 / 8) and now > self.held:
            self.window, self.slow, self.held = max(2.0 * self.flows, self.window * 0.7), False, now + trip
        self.window += self.window * 0.02 / trip if self.slow else self.flows * 0.02 / trip * 2
        self.call.later(0.02, self.step)

    def stop(self):
        self.on = False
