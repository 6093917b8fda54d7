# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""One direction of an access path.

A drop-tail queue in front of a bottleneck, as nearly all access routers have; other flows that keep the
queue standing; propagation; jitter that keeps the order of packets; random loss and bursts (the two-state
model of Gilbert and Elliott); stalls; a path MTU; and TCP in between (to a TURN server, RFC 8656),
where a lost segment delays what comes after it (head-of-line blocking) and nothing is ever missing.
"""
import math

#: IPv4 (20), UDP (8) and SRTP's authentication tag (10) around an RTP packet, in bytes.
PACKET_OVERHEAD = 38
#: How long a delay that wanders resembles itself, in seconds.
WANDER_TIME_CONSTANT = .12
#: What other flows may fill beyond `queue_limit`, in seconds: they, too, stand in the queue.
QUEUE_OF_OTHERS = .6


class Link:
    """One direction of an access path. Times are seconds, rates bits per second."""

    def __init__(self, random, propagation):
        self._random = random
        self.capacity = 50e6
        self.propagation = propagation
        #: Standard deviation of the delay that each packet has of its own.
        self.jitter = .001
        #: Standard deviation of a delay that wanders slowly, as that of a radio scheduler.
        self.wander = 0.0
        #: A packet that would wait longer is dropped.
        self.queue_limit = .25
        #: Probability that a packet is lost, independent of others.
        self.loss = 0.0
        #: Loss in bursts: probabilities of good to bad, of bad to good, of loss while bad; `None` if none.
        self.burst_loss = None
        self.is_down = False
        #: The largest packet that passes, in bytes with its overhead; `None` if all do.
        self.mtu = None
        self.is_tcp = False
        #: The wait that other flows cause, as a function of time; `None` if there are none.
        self.other_queue = None
        #: Probability that a packet is lost because other flows fill the queue.
        self.other_loss = 0.0
        #: Nothing is delivered before.
        self.stalled_until = 0.0
        self._busy_until = 0.0
        self._last_arrival = 0.0
        self._blocked_until = 0.0
        self._is_bad = False
        self._wandered = 0.0
        self._wandered_at = 0.0

    def _others(self, time):
        return self.other_queue(time) if self.other_queue else 0.0

    def _wander_at(self, time):
        if not self.wander:
            return 0.0
        passed = time - self._wandered_at
        if passed > .005:
            kept = math.exp(-passed / WANDER_TIME_CONSTANT)
            self._wandered = self._wandered * kept + self._random.gauss(
                0, self.wander) * math.sqrt(1 - kept * kept)
            self._wandered_at = time
        return abs(self._wandered) * 1.6

    def delay(self, time):
        """The delay of a small packet (RTCP, STUN) that is sent at `time`, without adding it to the queue."""
        queue = max(0.0, self._busy_until - time) + self._others(time)
        wandered = abs(self._wandered) if self.wander else 0
        return (max(queue, self.stalled_until - time, 0) + self.propagation
                + abs(self._random.gauss(0, self.jitter)) + wandered)

    def send(self, time, size):
        """When a packet of `size` bytes, without its overhead, arrives; `None` if it is lost."""
        size += PACKET_OVERHEAD
        if self.is_down or (self.mtu and size > self.mtu):
            return None
        is_lost = self._is_lost()
        is_full = (max(0.0, self._busy_until - time) + self._others(time)
                   > self.queue_limit + (QUEUE_OF_OTHERS if self.other_queue else 0))
        is_lost = is_lost or is_full
        if is_lost and not self.is_tcp:
            return None
        if not is_full:
            self._busy_until = max(self._busy_until, time) + size * 8 / self.capacity
        arrival = (max(self._busy_until, self.stalled_until) + self._others(time) + self.propagation
                   + abs(self._random.gauss(0, self.jitter)) + self._wander_at(time))
        if self.is_tcp and is_lost:
            resent = arrival + 2 * self.propagation + .06 + self._random.random() * .22
            self._blocked_until = max(self._blocked_until, resent)
        arrival = max(arrival, self._last_arrival + 1e-5, self._blocked_until if self.is_tcp else 0)
        self._last_arrival = arrival
        return arrival

    def _is_lost(self):
        is_lost = bool(self.loss) and self._random.random() < self.loss
        if self.burst_loss:
            begins, ends, loss = self.burst_loss
            if self._is_bad:
                self._is_bad = self._random.random() >= ends
            else:
                self._is_bad = self._random.random() < begins
            if self._is_bad and self._random.random() < loss:
                is_lost = True
        if self.other_queue and self.other_loss and self._random.random() < self.other_loss:
            is_lost = True
        return is_lost
