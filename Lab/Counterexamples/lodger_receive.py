# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Receivers of the set lodger: loss and jitter of RTP, NACK and PLI, a video jitter buffer with its decoder, and a NetEq for audio."""
import math
from collections import deque


class Rtp:
    """One received SSRC: counters, RFC 3550's jitter, and what is missing."""

    def __init__(self, stream):
        """Of what `stream` sends."""
        self.stream, self.kind = stream, stream.kind
        self.base = self.highest = None
        self.packets = self.bytes = self.headers = self.rtxPackets = self.rtxBytes = self.nacks = self.plis = self.discarded = 0
        self.jitter, self.transit, self.last = 0.0, None, None
        self.missing, self.broken, self.asked = {}, False, -9.0
        self.mark = (0, 0)

    def on(self, packet, now):
        """Counts a packet that arrives."""
        self.last = now
        seq = packet.seq
        if packet.rtx:
            self.rtxPackets += 1
            self.rtxBytes += packet.size - 28
            self.missing.pop(seq, None)
            return
        self.packets += 1
        self.bytes += packet.size - 28
        self.headers += 28
        if self.highest is None:
            self.base, self.highest = seq, seq
        elif seq > self.highest:
            if self.kind == 'video':
                for lost in range(max(self.highest + 1, seq - 400), seq):
                    self.missing[lost] = [now, -9.0, 0]
            self.highest = seq
        else:
            self.missing.pop(seq, None)
        transit = now - packet.captured
        if self.transit is not None:
            moved = abs(transit - self.transit)
            if self.kind == 'audio' or packet.index == 0:
                self.jitter += (min(moved, 2) - self.jitter) / 16
        self.transit = transit if self.kind == 'audio' or packet.index == 0 else self.transit

    def lost(self):
        """Packets lost so far; repaired ones count as lost."""
        return 0 if self.highest is None else max(0, self.highest - self.base + 1 - self.packets)

    def fraction(self):
        """The share lost since the last report."""
        expected = 0 if self.highest is None else self.highest - self.base + 1
        before, self.mark = self.mark, (expected, self.lost())
        span = expected - before[0]
        return min(1.0, max(0.0, (self.mark[1] - before[1]) / span)) if span > 0 else 0.0

    def wanted(self, now, rtt):
        """Sequence numbers to ask for again."""
        ask, pause = [], max(0.02, rtt)
        for seq, state in list(self.missing.items()):
            if state[2] >= 10 or now - state[0] > 1.5 + 2 * rtt:
                del self.missing[seq]
                self.broken = True
            elif now - state[1] >= pause and now - state[0] >= 0.01:
                state[1], state[2] = now, state[2] + 1
                ask.append(seq)
        self.nacks += len(ask)
        return ask

    def needs_key(self, now, rtt):
        """Whether a key frame is to be asked for now."""
        if self.broken and now - self.asked > 0.4 + rtt:
            self.asked, self.broken = now, False
            self.plis += 1
            return True
        return False


class VideoIn(Rtp):
    """Frames, the buffer, the decoder, freezes."""

    def __init__(self, stream, decode=0.004):
        """`decode` is the time of a frame of 720p."""
        super().__init__(stream)
        self.frames, self.decoded, self.keys, self.drops, self.received, self.qp = {}, None, 0, 0, 0, 0
        self.count = 0
        self.decode, self.busy, self.speed, self.undecodable, self.begun, self.multi = decode, 0.0, 1.0, False, None, 0
        self.bufferDelay = self.decodeTime = self.processing = self.between = self.squares = self.assembly = self.targetDelay = 0.0
        self.emitted = self.freezes = self.pauses = 0
        self.freezeTime = self.pauseTime = 0.0
        self.width = self.height = 0
        self.rendered, self.stamps, self.recent, self.peak = None, deque(), deque(maxlen=30), 0.01
        self.least, self.older, self.turned = 9e9, 9e9, 0.0
        self.progress = 0.0

    def on(self, packet, now):
        """Adds a packet to its frame."""
        super().on(packet, now)
        frame = packet.frame
        if self.begun is None:
            self.begun = self.progress = now
        if self.decoded is not None and frame.number <= self.decoded:
            return
        state = self.frames.get(frame.number)
        if state is None:
            state = self.frames[frame.number] = [set(), now, None, frame]
            if len(self.frames) > 400:
                self.frames.pop(min(self.frames))
        if packet.index not in state[0]:
            state[0].add(packet.index)
            if len(state[0]) == frame.count:
                state[2] = now
                self.received += 1
                if frame.count > 1:
                    self.multi += 1
                    self.assembly += now - state[1]
                transit = now - frame.captured
                if now - self.turned > 4:
                    self.older, self.least, self.turned = self.least, transit, now
                self.least = min(self.least, transit)
                over = transit - min(self.least, self.older)
                self.peak = self.peak + 0.12 * (min(over, 1.5) - self.peak) if over > self.peak else self.peak * 0.996

    def wakes(self, now):
        """Whether there is anything to do."""
        return self.frames or now - self.progress > 0.3

    def tick(self, now, rtt):
        """Decodes what is due; asks for a key frame where nothing can be decoded."""
        while self.frames:
            number = self._next()
            if number is None:
                break
            state = self.frames[number]
            frame = state[3]
            delay = min(1.2, 0.012 + 0.8 * self.peak + self.decode)
            release = max(state[2], frame.captured + min(self.least, self.older) + delay)
            if release > now:
                break
            for old in [n for n in self.frames if n < number]:
                if self.frames[old][2] is not None:
                    self.drops += 1
                del self.frames[old]
            del self.frames[number]
            self._decode(frame, state, max(release, now - 0.01), delay)
        stuck = now - self.progress
        flowing = self.last is not None and now - self.last < 0.5
        if flowing and (self.decoded is None and stuck > 0.3 or stuck > 3 or self.undecodable and stuck > 0.3) and now - self.asked > (0.5 if self.decoded is None else 1.0) + rtt:
            self.broken = True

    def _next(self):
        """The frame to decode next, if it is complete."""
        after = None if self.decoded is None else self.frames.get(self.decoded + 1)
        if after is not None and after[2] is not None:
            return self.decoded + 1
        for number in sorted(self.frames):
            state = self.frames[number]
            if state[3].key and state[2] is not None:
                return number
        return None

    def _decode(self, frame, state, now, delay):
        """Hands a frame to the decoder and screen."""
        self.decoded = frame.number
        if frame.poison or self.undecodable:
            self.undecodable = not frame.key or frame.poison
            self.drops += 1
            if self.undecodable:
                return
        self.progress = now
        spent = frame.width * frame.height / 921600 * self.decode / self.speed * (1 + 0.2 * math.sin(frame.number))
        self.bufferDelay += now - state[1]
        self.targetDelay += delay
        self.emitted += 1
        if self.busy > now + 0.09:
            self.drops += 1
            return
        self.busy = max(self.busy, now) + spent
        self.count += 1
        self.keys += frame.key
        self.qp += frame.qp
        self.decodeTime += spent
        self.processing += self.busy - state[1]
        self.width, self.height = frame.width, frame.height
        shown = self.busy
        self.stamps.append(shown)
        if self.rendered is not None:
            gap = shown - self.rendered
            self.between += gap
            self.squares += gap * gap
            average = sum(self.recent) / len(self.recent) if self.recent else 0.033
            if gap > 5:
                self.pauses += 1
                self.pauseTime += gap
            elif len(self.recent) >= 5 and gap > max(3 * average, average + 0.15):
                self.freezes += 1
                self.freezeTime += gap
            self.recent.append(min(gap, 1.0))
        self.rendered = shown

    def fps(self, now):
        """Frames shown in the last second."""
        while self.stamps and self.stamps[0] < now - 1:
            self.stamps.popleft()
        return sum(1 for s in self.stamps if s <= now)


class AudioIn(Rtp):
    """NetEq: a target from the spread of delays, expansion where nothing is there, acceleration where too much is."""

    def __init__(self, stream, fec=True):
        """`fec` is whether a loss before a packet that is there can be filled."""
        super().__init__(stream)
        self.fec, self.buffer, self.next, self.clock = fec, {}, None, None
        self.spread, self.target, self.judged = deque(maxlen=250), 0.04, 0.0
        self.samples = self.concealed = self.silent = self.events = self.inserted = self.removed = self.emitted = 0
        self.bufferDelay = self.targetDelay = self.energy = self.duration = self.level = 0.0
        self.fecPackets = self.fecSpare = 0
        self.expanding, self.calm, self.late = 0, False, 0.0
        self.held = False

    def on(self, packet, now):
        """Buffers a packet, or discards it where it is too late."""
        super().on(packet, now)
        self.spread.append(now - packet.captured)
        if self.next is None:
            self.next, self.clock = packet.seq, now + 0.04
        if packet.seq < self.next:
            self.discarded += 1
            return
        self.buffer[packet.seq] = (now, packet.note, packet.captured)
        if len(self.buffer) > 150:
            self.next = max(self.buffer) - 5
            self.buffer = {s: b for s, b in self.buffer.items() if s >= self.next}

    def wakes(self, now):
        """Whether there is anything to do."""
        return self.clock is not None and self.clock <= now

    def tick(self, now, _rtt):
        """Plays out what is due."""
        if self.held and self.clock is not None:
            self.clock = max(self.clock, now)
        if self.clock is None or self.held:
            return
        if now - self.judged > 0.5 and len(self.spread) > 10:
            self.judged = now
            ordered = sorted(self.spread)
            self.target = min(0.6, max(0.04, ordered[int(len(ordered) * 0.97)] - ordered[int(len(ordered) * 0.02)] + 0.02))
        while self.clock <= now:
            self._play(self.clock)
            self.clock += 0.02

    def _refills(self, now):
        """Whether a little is buffered before playout goes on after a gap."""
        arrived, note, _ = self.buffer[self.next]
        return self.expanding > 1 and len(self.buffer) * 0.02 < min(0.06, self.target * 0.5) and not self.calm and now - arrived < 0.05 and not note[1]

    def _play(self, now):
        """Twenty milliseconds of playout."""
        self.samples += 960
        self.duration += 0.02
        if self.buffer and self.next not in self.buffer:
            gap = min(self.buffer) - self.next
            if gap > 40 or 0 < gap <= self.expanding:  # what is missing has been concealed
                self.next += gap
        if self.calm and self.next in self.buffer and not self.buffer[self.next][1][1] and now - self.buffer[self.next][0] < 0.035:
            self.level = 0.0003  # speech begins again: a little is buffered first
        elif self.next in self.buffer and not self._refills(now):
            arrived, note, _ = self.buffer.pop(self.next)
            self.next += 1
            self.expanding, self.calm, self.level = 0, note[1], note[0]
            self.bufferDelay += max(0.0, now - arrived) * 960
            self.targetDelay += self.target * 960
            self.emitted += 960
            depth = len(self.buffer) * 0.02
            if depth > self.target + 0.04 and self.next in self.buffer:
                self.removed += 240
                self.late += 0.25
                if self.late >= 1:
                    arrived = self.buffer.pop(self.next)[0]
                    self.bufferDelay += max(0.0, now - arrived) * 960
                    self.targetDelay += self.target * 960
                    self.emitted += 960
                    self.next, self.late = self.next + 1, 0.0
            elif depth < self.target * 0.4 and not self.calm and self.late > -1:
                self.inserted += 120
                self.late -= 0.125
                if self.late <= -1:
                    self.clock, self.late = self.clock + 0.02, 0.0
        elif self.calm and not self.buffer:
            self.level = 0.0003
        else:
            ahead = None if self.next in self.buffer else self.buffer.get(self.next + 1)
            if ahead and (self.fec or ahead[1][2]):
                self.fecPackets += 1
                self.next += 1
                self.emitted += 960
                self.bufferDelay += self.target * 960
                self.targetDelay += self.target * 960
            else:
                self.events += self.expanding == 0
                self.expanding += 1
                self.concealed += 960
                if self.expanding > 12:
                    self.silent += 960
                    self.level = 0.0
                else:
                    self.level *= 0.85
                if self.buffer and min(self.buffer) > self.next:
                    self.next += 1
                    self.expanding = max(1, self.expanding)
        self.energy += self.level ** 2 * 0.02
