# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Senders of the set lodger: shares, pacer, repairs, padding; a router that chooses layers is one too. And the far end, which reports back."""
import heapq
from collections import deque

from lodger_gcc import Estimator
from lodger_media import Packet
from lodger_receive import AudioIn, Rtp, VideoIn


class Sender:
    """Sends tracks through a path and listens to what comes back through another."""

    def __init__(self, rng, path, back, start=300e3, ceiling=4e6, follows=True, relay=False):
        """A `relay` sends others' tracks; one that does not follow ignores its own estimate."""
        self.rng, self.path, self.back, self.follows, self.relay = rng, path, back, follows, relay
        self.gcc = Estimator(start, ceiling)
        self.tracks, self.queue, self.queuedBytes, self.flight, self.reports = [], deque(), 0, deque(), deque()
        self.pending, self.serial, self.inbox, self.bytes, self.packets = [], 0, deque(), 0, 0
        self.spare, self.spared = 25.0, 0.0  # repairs that may be sent
        self.shared, self.reported, self.credit, self.sent, self.lowered, self.paused, self.cut = 0.0, 0.0, 0.0, deque([(0.0, 0)]), -9.0, False, False

    def _limited(self, now):
        """Whether much less is sent than may be."""
        while len(self.sent) > 1 and self.sent[1][0] < now - 1:
            self.sent.popleft()
        rate = (self.bytes - self.sent[0][1]) * 8 / max(0.3, now - self.sent[0][0])
        return rate < 0.75 * self.gcc.rate

    def tick(self, now, step):
        """All that is due within a step."""
        gcc = self.gcc
        while self.reports and self.reports[0][0] <= now:
            gcc.feedback(now, self.reports.popleft()[1], self._limited(now))
        if self.flight and now - self.flight[0][0] > 1:
            gcc.silent(now)
        if now >= self.shared:
            self.shared = now + 0.1
            self.sent.append((now, self.bytes))
            if self.relay:
                self._choose(now)
            else:
                self._share()
            self._pad(now)
        if self.paused:
            return
        queued = self.queuedBytes * 8 / max(gcc.rate, 60e3) if self.follows else 0.0
        for track in self.tracks:
            for packet in track.tick(now, 9.0 if self.cut else queued):
                if self.cut:
                    continue
                self._climb(track, packet, now) if track.uplink else self._enqueue(packet, now)
        while self.pending and self.pending[0][0] <= now:
            when, _, packet = heapq.heappop(self.pending)
            self._enqueue(packet, max(when, now - 0.01))
        self._pace(now, step)

    def _enqueue(self, packet, now):
        """Audio leaves at once, video through the pacer."""
        packet.queued = now
        if packet.frame is None:
            self._transmit(packet, now)
        else:
            self.queue.append(packet)
            self.queuedBytes += packet.size

    def _climb(self, track, packet, now):
        """A participant's own uplink to the router, which asks for video again."""
        link, when = track.uplink, now
        arrival = link.send(packet.size, now)
        for _ in range(link.retries if packet.frame else 0):
            if arrival is not None or link.down or link.mtu:
                break
            when += 2.4 * link.delay + 0.03
            arrival = when + link.delay if link.rng.random() > max(link.loss, link.burst[2] * 0.5 if link.burst else 0) else None
        if arrival is None:
            packet.stream.history.pop(packet.seq, None)
        else:
            self.serial += 1
            heapq.heappush(self.pending, (arrival, self.serial, packet))

    def _pace(self, now, step):
        """Sends what the pacer lets out."""
        rate = max(self.gcc.rate * 2.5, 250e3) if self.follows else 30e6
        if self.queuedBytes * 8 / rate > 1.2:
            rate = self.queuedBytes * 8 / 1.2
        self.credit = min(rate * step * 1.5, self.credit + rate * step) if self.queue else 0.0
        when = now
        while self.queue and self.credit > 0:
            packet = self.queue.popleft()
            self.queuedBytes -= packet.size
            self.credit -= packet.size * 8
            self._transmit(packet, when)
            when = min(now + step, when + packet.size * 8 / rate)
        if self.queue and self.credit <= 0 and self.credit < -12000:
            self.credit = -12000.0

    def _transmit(self, packet, now):
        """Puts a packet on the path."""
        stream, size = packet.stream, packet.size
        arrival = self.path.send(size, now)
        self.flight.append((now, arrival, size, False))
        self.bytes += size
        self.packets += 1
        stream.packets += 1
        stream.bytes += size - 28
        stream.headers += 28
        stream.sendDelay += max(0.0, now - packet.queued)
        if packet.rtx:
            stream.rtxPackets += 1
            stream.rtxBytes += size - 28
        if arrival is not None:
            self.inbox.append((arrival, packet))

    def _pad(self, now):
        """Probes with padding."""
        wanted = sum(t.levels[min(t.wanted, len(t.levels) - 1)][3] if self.relay else t.wants() for t in self.tracks if t.kind == 'video' and not (self.relay and t.wanted < 0)) * 1.1 + 64e3
        short = self.relay and any(t.kind == 'video' and t.level < min(t.wanted, len(t.levels) - 1) for t in self.tracks)
        rate = self.gcc.wish(now, short or self._limited(now), wanted) if wanted > 70e3 else None
        if not rate or self.paused or self.cut:
            return
        when = now
        for _ in range(max(5, int(rate * 0.015 / 9600))):
            self.flight.append((when, self.path.send(1200, when), 1200, True))
            self.bytes += 1200
            self.packets += 1
            when += 9600 / rate

    def _share(self):
        """Divides the estimate among the tracks."""
        rate = self.gcc.rate - 36e3 * sum(t.kind == 'audio' and t.attached for t in self.tracks)
        videos = sorted((t for t in self.tracks if t.kind == 'video'), key=lambda t: t.wants())
        for k, track in enumerate(videos):
            part = max(20e3, rate / (len(videos) - k))
            track.allocate(part)
            rate -= min(part, track.wants())

    def _choose(self, now):
        """A router's rule: lowest layers for all, then better ones in order while the estimate allows; a pause where nothing else helps."""
        videos = [t for t in self.tracks if t.kind == 'video' and t.attached]
        budget = self.gcc.rate * 0.92 - 34e3 * min(3, len(videos))
        levels = {}
        for track in videos:
            cost = track.levels[0][3]
            levels[track] = -1 if self.follows and budget < cost * 0.8 else 0
            budget -= cost if levels[track] == 0 else 0
        for track in videos:
            while levels[track] >= 0 and levels[track] < min(track.wanted, len(track.levels) - 1):
                more = track.levels[levels[track] + 1][3] - track.levels[levels[track]][3]
                margin = 1.0 if track.level > levels[track] else 1.25
                if self.follows and (budget < more * margin or margin > 1 and now - self.lowered < 4):
                    break
                levels[track] += 1
                budget -= more
        for track in videos:
            if track.wanted < 0:
                levels[track] = -1
            if levels[track] != track.level:
                if levels[track] < track.level:
                    self.lowered = now
                    self.queue = deque(p for p in self.queue if p.stream is not track.streams[0])
                    self.queuedBytes = sum(p.size for p in self.queue)
                track.level = levels[track]
                if track.level >= 0:
                    track.width, track.height, track.rate, track.streams[0].most = track.levels[track.level]
                    track.streams[0].wantKey = True
                track.unseen = track.level < 0
            track.streams[0].target = min(track.streams[0].most, track.limit or 9e9)

    def acknowledge(self, now):
        """The far end's transport feedback, ten times a second."""
        if now < self.reported:
            return
        self.reported = now + 0.1
        items, lost, flight = [], [], self.flight
        taken = 0
        for item in flight:
            if item[1] is None:
                lost.append(item)
            elif item[1] <= now:
                items += lost
                items.append(item)
                taken += len(lost) + 1
                lost = []
            else:
                break
        if not items:
            return
        when = self.back.quiet(90, now)
        if when is not None:
            for _ in range(taken):
                flight.popleft()
            self.reports.append((when, items))

    def repair(self, stream, seqs, now):
        """Sends again what was asked for."""
        stream.nacks += len(seqs)
        self.spare = min(25.0, self.spare + (now - self.spared) * max(20.0, self.gcc.rate / 9600 * 0.25))
        self.spared = now
        for seq in seqs:
            old = stream.history.get(seq)
            if old is not None and self.spare >= 1:
                self.spare -= 1
                packet = Packet(stream, seq, old.size, old.captured, old.frame, old.index, None, True)
                packet.queued = now
                self.queue.appendleft(packet)
                self.queuedBytes += packet.size


class End:
    """Where a sender's packets arrive: the receivers, and what they send back."""

    def __init__(self, sender, back, full, fec=True):
        """`full` has decoders; without, only RTP and RTCP are seen."""
        self.sender, self.back, self.full, self.fec = sender, back, full, fec
        self.streams, self.events, self.serial, self.rtt = {}, [], 0, 0.1
        self.bytes = self.packets = 0
        self.due, self.transit, self.passed, self.deaf = {}, 0.05, 0.05, False

    def expect(self, stream, now):
        """Makes the receiver of a stream that has been signalled."""
        self.streams[stream] = (VideoIn(stream) if stream.kind == 'video' else AudioIn(stream, self.fec)) if self.full else Rtp(stream)
        self.due[stream] = now + 0.2
        return self.streams[stream]

    def later(self, when, action, *values):
        """Does something at a time."""
        if when is not None:
            self.serial += 1
            heapq.heappush(self.events, (when, self.serial, action, values))

    def tick(self, now, hidden=False):
        """Takes what has arrived, plays, asks, and reports."""
        while self.events and self.events[0][0] <= now:
            _, _, action, values = heapq.heappop(self.events)
            action(*values, now)
        inbox, streams = self.sender.inbox, self.streams
        while inbox and inbox[0][0] <= now:
            arrival, packet = inbox.popleft()
            if self.deaf:
                continue
            stream = packet.stream
            receiver = streams.get(stream)
            if receiver is None:
                receiver = self.expect(stream, now)
            receiver.on(packet, arrival)
            self.bytes += packet.size
            self.packets += 1
            self.transit = arrival - packet.captured
            self.passed = arrival - packet.queued
        self.sender.acknowledge(now)
        for stream, receiver in streams.items():
            if self.full and receiver.wakes(now):
                receiver.tick(now, self.rtt)
            if receiver.missing:
                ask = receiver.wanted(now, self.rtt)
                if ask:
                    self.later(self.back.quiet(80, now), self.sender.repair, stream, ask)
            if receiver.broken and receiver.needs_key(now, self.rtt):
                self.later(self.back.quiet(60, now), self._key, stream)
            if now >= self.due[stream] and receiver.highest is not None and now - receiver.last < 7:
                self.due[stream] = now + (1.0 if stream.kind == 'video' else 4.8) * self.sender.rng.uniform(0.8, 1.2)
                fraction = receiver.fraction()
                when = self.back.quiet(70, now)
                if when is not None:
                    trip = when - now + min(self.passed, 4.0)
                    self.rtt = 0.7 * self.rtt + 0.3 * trip if abs(trip - self.rtt) < 0.5 else trip
                    self.later(when, self._report, stream, receiver.lost(), fraction, receiver.jitter, trip, receiver.packets)

    @staticmethod
    def _key(stream, _now):
        """A request for a key frame arrives."""
        stream.plis += 1
        stream.wantKey = True

    @staticmethod
    def _report(stream, lost, fraction, jitter, trip, packets, now):
        """A receiver report arrives."""
        old = stream.remote
        stream.remote = dict(time=now, lost=lost, fraction=fraction, jitter=jitter, trip=trip, packets=packets, total=(old['total'] if old else 0) + trip, number=(old['number'] if old else 0) + 1)
