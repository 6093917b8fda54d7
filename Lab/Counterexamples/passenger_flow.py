# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""One direction of a transport in the set passenger: pacer, links, transport-wide feedback, probes, and the way back."""
from collections import deque

from passenger_gcc import Estimate


class Packet:
    """An RTP packet; `again` is one of RTX, `stream` None padding."""

    __slots__ = ('stream', 'seq', 'size', 'frame', 'k', 'count', 'key', 'at', 'again', 'level', 'quiet', 'red', 'picture', 'queued', 'qp')

    def __init__(self, stream, seq, size, **more):
        self.stream, self.seq, self.size, self.again, self.key, self.quiet, self.red, self.queued = stream, seq, size, False, False, False, 0, 0.0
        for name, value in more.items():
            setattr(self, name, value)

    def copy(self, stream, again=False):
        p = Packet(stream, self.seq, self.size)
        p.again, p.frame, p.k, p.count, p.at = again, self.frame, self.k, self.count, self.at
        if stream.kind == 'video':
            p.key, p.picture, p.qp = self.key, self.picture, self.qp
        else:
            p.level, p.quiet, p.red = self.level, self.quiet, self.red
        return p


class Flow:
    """From one end to another: what is sent is paced by the estimate, what arrives goes to its stream's sink."""

    def __init__(self, call, links, back, start, recent=True, paces=2.5, adapts=True):
        self.call, self.links, self.back, self.paces, self.adapts = call, links, back, paces, adapts
        self.estimate = Estimate(start, recent)
        self.line, self.urgent, self.pumping, self.free = deque(), deque(), False, 0.0
        self.records, self.told = {}, -1
        self.count = self.high = 0
        self.sent, self.got = [0, 0], [0, 0]           # packets, bytes
        self.window, self.wanted, self.trip, self.clusters, self.probing = deque(), 1e6, 0.1, 0, 0.0
        self.lately = -9.0                             # when much was lost
        self.heavy = 0                                 # bytes of the window
        self.padding = None                            # the stream that pads
        self.delays, self.minute = [0.0, 0], [0, 0]    # sum of the way's delay; packets and losses of this second
        call.later(0.1, self.report)
        call.later(0.3 if call.joins else 2.0, self.probe, (3, 6) if call.joins else (2,))

    @property
    def rate(self):
        return self.estimate.value

    def reset(self, start):
        """A new path: estimate and probes begin again."""
        self.estimate = Estimate(start, self.estimate.losses.recent)
        self.call.later(0.2, self.probe, (3, 6))

    def queued(self):
        return sum(p.size for p in self.line) * 8 / (self.paces * self.rate) if self.line else 0.0

    def push(self, packet, now):
        packet.queued = now
        if packet.stream.kind == 'audio':
            self.transmit(packet, now)
            return
        (self.urgent if packet.again else self.line).append(packet)
        if not self.pumping:
            self.pumping = True
            self.call.push(max(now, self.free), self.pump, None)

    def pump(self, _):
        now = self.call.now
        line = self.urgent or self.line
        if not line:
            self.pumping = False
            return
        packet = line.popleft()
        self.transmit(packet, now)
        self.free = now + packet.size * 8 / (self.paces * max(self.rate, 60e3))
        self.call.push(self.free, self.pump, None)

    def transmit(self, packet, now, cluster=0):
        stream = packet.stream
        if stream is not None:
            stream.sending(packet, now)
        self.sent[0] += 1
        self.sent[1] += packet.size + 28
        self.window.append((now, packet.size))
        self.heavy += packet.size
        record = [now, None, packet.size + 28, cluster]
        number, self.count = self.count, self.count + 1
        self.records[number] = record
        self.hop((0, packet, record, number))

    def hop(self, what):
        k, packet, record, number = what
        if k == len(self.links):
            self.arrive(packet, record, number)
            return
        arrival = self.links[k].send(self.call.now, packet.size + 28)
        self.minute[0] += k == 0
        if arrival is None:
            self.minute[1] += 1
            return
        self.call.push(arrival, self.hop, (k + 1, packet, record, number))

    def arrive(self, packet, record, number):
        now = self.call.now
        record[1] = now
        self.high = max(self.high, number)
        self.got[0] += 1
        self.got[1] += record[2]
        self.delays[0] += now - record[0]
        self.delays[1] += 1
        if packet.stream is not None:
            packet.stream.sink.arrive(packet)

    def lag(self):
        now = self.call.now
        return sum(link.lag(now) for link in self.links)

    def lag_back(self):
        now = self.call.now
        return sum(link.lag(now) for link in self.back)

    def returns(self):
        """Whether a packet of control that goes back now arrives."""
        return not any(link.dead or (link.loss and not link.tcp and self.call.rng.random() < link.loss) for link in self.back)

    def report(self, _):
        """Transport-wide feedback of the far end."""
        self.call.later(self.call.rng.uniform(0.05, 0.1), self.report)
        if self.told >= self.high or not self.returns():
            return
        lag = self.lag_back()
        found = []
        for number in range(self.told + 1, self.high + 1):
            record = self.records.pop(number, None)
            if record:
                found.append(tuple(record))
        self.told = self.high
        self.call.later(lag, self.learn, found)

    def learn(self, found):
        now = self.call.now
        got = [r for r in found if r[1] is not None]
        if got:
            trip = now - got[-1][0] - (now - got[-1][1] - self.lag_back())
            self.trip = 0.8 * self.trip + 0.2 * min(3, max(0.005, trip))
        if found and len(got) < 0.9 * len(found):
            self.lately = now
        if self.adapts:
            self.estimate.feedback(now, found, self.trip, self.limited(now))

    def limited(self, now):
        """Whether the application sends much less than it may (ALR)."""
        while self.window and self.window[0][0] < now - 0.5:
            self.heavy -= self.window.popleft()[1]
        return self.heavy * 16 < 0.65 * self.rate

    def probe(self, factors):
        """Bursts of padding at multiples of the estimate, again each 5 s while the application sends little."""
        now, rate = self.call.now, self.rate
        top = max(2 * self.wanted, 300e3)
        if factors and rate < top * 0.95:
            for k, factor in enumerate(factors):
                self.call.later(0.1 * k, self.burst, min(rate * factor, top))
        fell = now - self.estimate.fell < 8 and rate < 0.7 * self.estimate.before
        starved = now - self.estimate.fell > 4 and rate < 0.35 * self.wanted and now - self.lately > 3
        wait = 2.0 if starved else 5.0 if self.limited(now) else 1.0
        self.call.later(wait, self.probe, (3,) if starved else (2,) if self.limited(now) or (fell and self.call.rng.random() < 0.2) else ())

    def burst(self, rate):
        """15 ms of padding, but at least six packets."""
        self.clusters += 1
        number = max(6, int(rate * 0.015 / 8 / 1000) + 1)
        for k in range(number):
            self.call.later(k * 8000 / rate, self.pad, self.clusters)

    def pad(self, cluster):
        packet = Packet(None, 0, 980)
        if self.padding is not None:
            self.padding.padded(packet)
        self.transmit(packet, self.call.now, cluster)
