# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Time, packets, and access networks of the calls of `guest.py`: each link is a queue with a capacity, losses, jitter, and stalls."""
import heapq
import math
import random

STEP = .01  # seconds between two ticks


class Simulation:
    """The clock: events at their times, and functions that are called each 10 ms."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.now = 0.0
        self.events = []
        self.scheduled = 0
        self.ticks = []
        self.step = 0

    def at(self, time, function, *arguments):
        self.scheduled += 1
        heapq.heappush(self.events, (time, self.scheduled, function, arguments))

    def run(self, until):
        """Continues to the given second."""
        while self.step * STEP < until - 1e-9:
            self.step += 1
            end = self.step * STEP
            while self.events and self.events[0][0] <= end:
                time, _, function, arguments = heapq.heappop(self.events)
                self.now = max(self.now, time)
                function(*arguments)
            self.now = end
            for tick in self.ticks:
                tick(end, self.step)


class Link:
    """One direction of an access network: a queue of limited length, then a delay that never reorders packets."""

    def __init__(self, simulation, capacity=40e6, propagation=.012, loss=.0004, jitter=.0012, queue=.25):
        self.random = simulation.random
        self.capacity, self.propagation, self.loss, self.jitter, self.queue = capacity, propagation, loss, jitter, queue
        self.busy_until = 0.0
        self.last_arrival = 0.0
        self.stalled_until = 0.0
        self.is_down = False
        self.bursts = None  # of losses: the probability that one begins, that it ends, and of a loss within it
        self.is_in_burst = False
        self.wobble = None  # a function of time: seconds of delay besides

    def send(self, time, size):
        """When a packet arrives, or None if it is lost."""
        if self.is_down:
            return None
        begin = max(time, self.busy_until, self.stalled_until)
        if begin - time > self.queue + max(0, self.stalled_until - time):
            return None
        self.busy_until = begin + (size + 28) * 8 / self.capacity
        if self.is_lost():
            return None
        arrival = self.busy_until + self.propagation
        if self.jitter:
            arrival += -math.log(1 - self.random.random()) * self.jitter
        if self.wobble:
            arrival += self.wobble(time)
        if arrival < self.last_arrival:
            arrival = self.last_arrival + 1e-5
        self.last_arrival = arrival
        return arrival

    def is_lost(self):
        """Whether the next packet is lost, in a burst or alone."""
        if self.bursts:
            begins, ends, loses = self.bursts
            self.is_in_burst = self.random.random() > ends if self.is_in_burst else self.random.random() < begins
            if self.is_in_burst and self.random.random() < loses:
                return True
        return bool(self.loss) and self.random.random() < self.loss


def route(path, time, size):
    """When a packet arrives that is sent over some links one after the other, or None if it is lost."""
    for link in path:
        time = link.send(time, size)
        if time is None:
            return None
    return time


class Packet:
    """An RTP packet: number `index` of the `count` packets of a frame."""
    __slots__ = ('stream', 'sequence', 'size', 'frame', 'index', 'count', 'is_key', 'captured', 'width', 'height', 'level', 'is_dtx', 'is_repair')

    def __init__(self, stream, sequence, size, captured, frame=0, index=0, count=1, is_key=False, width=0, height=0, level=0, is_dtx=False, is_repair=False):
        self.stream, self.sequence, self.size, self.captured = stream, sequence, size, captured
        self.frame, self.index, self.count, self.is_key, self.width, self.height = frame, index, count, is_key, width, height
        self.level, self.is_dtx, self.is_repair = level, is_dtx, is_repair

    def copy(self):
        return Packet(self.stream, self.sequence, self.size, self.captured, self.frame, self.index, self.count, self.is_key, self.width, self.height,
                      self.level, self.is_dtx, self.is_repair)
