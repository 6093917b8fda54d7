# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A UDP path between two ends on this machine, with an emulated link in each direction."""

import heapq
import itertools
import random
import socket
import threading
import time


class Clock:
    """Seconds since the call's first report; below zero before."""

    def __init__(self):
        self.begin = None

    def start(self):
        self.begin = self.begin or time.monotonic()

    @property
    def now(self):
        return time.monotonic() - self.begin if self.begin else -1.0


class Conditions:
    """What a link does at the moment."""

    def __init__(
            self, capacity=20e6, queue=0.3, delay=0.015, jitter=0.0005, loss=0.0, cross_traffic=False):
        self.capacity, self.queue, self.delay = capacity, queue, delay
        self.jitter, self.loss, self.cross_traffic = jitter, loss, cross_traffic


class Link:
    """One direction: a bottleneck with a drop-tail queue, delay, ordered jitter, and random loss."""

    def __init__(self, conditions, seed):
        self.conditions = conditions
        self.random = random.Random(seed)
        self.busy_until = self.last_arrival = 0.0

    def arrival(self, size, sent, clock):
        """When a packet of that many bytes arrives, on the monotonic clock; `None` if it is lost."""
        now = self.conditions(clock.now)
        if self.random.random() < now.loss:
            return None
        begin = max(sent, self.busy_until)
        if begin - sent > now.queue:
            return None
        self.busy_until = begin + size * 8 / now.capacity
        arrival = self.busy_until + now.delay + abs(self.random.gauss(0, now.jitter))
        if now.cross_traffic:
            # Another flow fills the queue from 150 to 450 ms and starts over, as TCP does.
            arrival += 0.15 + 0.3 * (clock.now % 7) / 7
        self.last_arrival = max(self.last_arrival, arrival)
        return self.last_arrival


class Relay:
    """Stands at each end for the other one.

    What end A sends to the stand-in of B reaches B from the stand-in of A: both take it for a direct path.
    """

    ENDS = ("A", "B")

    def __init__(self, links, clock):
        self.links, self.clock = links, clock
        self.addresses, self.is_known = {}, {}
        self.under_way, self.order = [], itertools.count()
        self.changed = threading.Condition()
        self.sockets = {end: self._socket() for end in self.ENDS}
        for end in self.ENDS:
            threading.Thread(target=self._receive, args=(end,), daemon=True).start()
        threading.Thread(target=self._deliver, daemon=True).start()

    @staticmethod
    def _socket():
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        made.bind(("127.0.0.1", 0))
        return made

    def port(self, end):
        """The port that stands for an end."""
        return self.sockets[end].getsockname()[1]

    def close(self):
        for end in self.ENDS:
            self.sockets[end].close()

    def _other(self, end):
        return "B" if end == "A" else "A"

    def _receive(self, to):
        while True:
            try:
                packet, source = self.sockets[to].recvfrom(65536)
            except OSError:
                return
            self._note(self._other(to), packet, source)
            arrival = self.links[to].arrival(len(packet), time.monotonic(), self.clock)
            if arrival is None:
                continue
            with self.changed:
                heapq.heappush(self.under_way, (arrival, next(self.order), packet, to))
                self.changed.notify()

    def _note(self, end, packet, source):
        """Notes where an end is to be reached.

        ICE checks other pairs too, for some 15 s, from other sockets: what else is sent there is lost. An end is where
        its DTLS and its media come from (RFC 7983), and where its checks do while there is nothing else.
        """
        is_check = packet[:1] < b"\x04"
        if is_check and self.is_known.get(end):
            return
        self.addresses[end], self.is_known[end] = source, not is_check

    def _deliver(self):
        while True:
            with self.changed:
                while not self.under_way or self.under_way[0][0] > time.monotonic():
                    wait = self.under_way[0][0] - time.monotonic() if self.under_way else None
                    self.changed.wait(wait)
                _, _, packet, to = heapq.heappop(self.under_way)
            if to in self.addresses:
                try:
                    self.sockets[self._other(to)].sendto(packet, self.addresses[to])
                except OSError:
                    return
