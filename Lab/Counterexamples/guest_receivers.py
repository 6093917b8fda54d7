# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What receives in the calls of `guest.py`: losses and repairs, jitter buffers of video and audio, decoders, and RTCP."""
import math
from bisect import insort
from collections import deque
from guest_network import route


class Received:
    """A stream as it is received: sequence numbers, loss, jitter, NACK, PLI. Without a decoder: what a router or the far end sees."""

    def __init__(self, simulation, receiver, source):
        self.simulation, self.receiver, self.source = simulation, receiver, source
        self.is_video = source.kind == 'video'
        self.track = None
        self.forward = None
        self.first = self.newest = None  # sequence numbers
        self.originals = 0
        self.packets = self.bytes = self.header_bytes = self.repairs = self.repaired_bytes = 0
        self.jitter = 0.0
        self.transit = None
        self.missing = {}  # sequence number: when it was found, when it was asked for, how often
        self.nacks = self.plis = 0
        self.last_packet = None
        self.last_pli = -9
        self.gave_up = False
        self.reported_lost = self.reported_newest = 0
        self.sender_report = None
        self.sender_reports = 0

    def lost(self):
        return 0 if self.newest is None else self.newest - self.first + 1 - self.originals

    def packet(self, packet, now):
        self.count(packet, now)
        sequence = packet.sequence
        if self.newest is None:
            self.newest = self.first = sequence
        elif sequence > self.newest:
            if self.is_video:
                self.find_missing(sequence, now)
            self.newest = sequence
        else:
            self.missing.pop(sequence, None)
        if sequence >= self.first:
            self.media(packet, now)

    def count(self, packet, now):
        self.bytes += packet.size
        self.header_bytes += 24
        self.packets += 1
        self.last_packet = now
        if packet.is_repair:
            self.repairs += 1
            self.repaired_bytes += packet.size
            return
        transit = now - packet.captured
        if self.transit is not None:
            self.jitter += (abs(transit - self.transit) - self.jitter) / 16
        self.transit = transit
        self.originals += 1

    def find_missing(self, sequence, now):
        if sequence - self.newest > 600:
            self.gave_up = True
            self.missing.clear()
        else:
            for number in range(self.newest + 1, sequence):
                self.missing[number] = [now, -9, 0]

    def media(self, packet, now):
        if self.forward:
            self.forward(packet, now)

    def tick(self, now, step):
        if self.missing and step % 2 == 0:
            self.nack(now)
        if self.gave_up and self.forward and step % 10 == 0:
            self.pli(now)
            self.gave_up = False

    def nack(self, now):
        """Asks for what is missing, up to ten times and for 2 s."""
        asked = []
        round_trip = self.receiver.round_trip()
        for sequence, times in list(self.missing.items()):
            if now - times[1] <= round_trip + .01:
                continue
            if times[2] >= 10 or now - times[0] > 2:
                del self.missing[sequence]
                self.gave_up = True
                continue
            times[1] = now
            times[2] += 1
            asked.append(sequence)
        if asked:
            self.nacks += 1
            arrival = route(self.receiver.return_path, now, 50 + 2 * len(asked))
            self.receiver.bytes_sent += 60
            if arrival:
                self.simulation.at(arrival, self.source.nacked, asked)

    def pli(self, now):
        if now - self.last_pli < max(.3, self.receiver.round_trip()):
            return
        self.last_pli = now
        self.plis += 1
        arrival = route(self.receiver.return_path, now, 50)
        self.receiver.bytes_sent += 50
        if arrival:
            self.simulation.at(arrival, self.source.plied)


class Frame:
    """A frame that is put together from its packets."""
    __slots__ = ('count', 'parts', 'is_key', 'arrived', 'captured', 'width', 'height')

    def __init__(self, packet, now):
        self.count, self.is_key, self.captured, self.width, self.height = packet.count, packet.is_key, packet.captured, packet.width, packet.height
        self.arrived = now
        self.parts = set()

    def is_complete(self):
        return len(self.parts) == self.count


class ReceivedVideo(Received):
    """Video with its jitter buffer, decoder, and freezes; `connection` says how slow the decoders are."""

    def __init__(self, simulation, receiver, source, connection=None):
        super().__init__(simulation, receiver, source)
        self.connection = connection
        self.undecodable = False
        self.frames = {}
        self.next_frame = None
        self.needs_key = True
        self.complete = self.decoded = self.dropped = self.keys = self.multiple = 0
        self.width = self.height = 0
        self.qp = 0
        self.assembly = self.held = self.targets = self.decode_time = self.processing = 0.0
        self.emitted = 0
        self.between = self.between_squared = 0.0
        self.freezes = self.pauses = 0
        self.frozen = self.paused = 0.0
        self.least_delay = None
        self.buffer_delay = .01
        self.busy_until = 0.0
        self.began = None
        self.last_decoded = 0.0  # when a frame was last given to the decoder
        self.last_rendered = None
        self.intervals = deque(maxlen=30)
        self.recent_frames = deque()

    def media(self, packet, now):
        if self.began is None:
            self.began = self.last_decoded = now
        frame = self.frames.get(packet.frame)
        if frame is None:
            if self.next_frame is not None and packet.frame < self.next_frame:
                return
            frame = self.frames[packet.frame] = Frame(packet, now)
        if packet.index in frame.parts:
            return
        frame.parts.add(packet.index)
        if frame.is_complete():
            if len(self.frames) > 200:
                self.frames.pop(min(self.frames))
            self.completed(frame, now)
            self.decode_all(now)

    def completed(self, frame, now):
        self.complete += 1
        self.assembly += now - frame.arrived
        self.multiple += frame.count > 1
        delay = now - frame.captured
        self.least_delay = delay if self.least_delay is None else min(self.least_delay + 2e-5, delay)
        late = delay - self.least_delay
        self.buffer_delay = max(self.buffer_delay * .993, min(late, 1.0) * .7, .006)

    def decode_all(self, now):
        """Decodes what is complete and in order; after a hole continues with the next key frame."""
        while True:
            number = self.next_decodable()
            if number is None:
                return
            frame = self.frames.pop(number)
            self.next_frame = number + 1
            self.needs_key = False
            if not self.undecodable:
                self.decode(frame, now)
                continue
            self.needs_key = True
            if now - self.last_pli > 1:
                self.pli(now)

    def next_decodable(self):
        """The number of the frame that can be decoded next, if there is one."""
        frame = self.frames.get(self.next_frame) if self.next_frame is not None and not self.needs_key else None
        if frame and frame.is_complete():
            return self.next_frame
        for number in sorted(self.frames):
            frame = self.frames[number]
            if frame.is_key and frame.is_complete() and (self.next_frame is None or number >= self.next_frame):
                self.skip(number)
                return number
        return None

    def skip(self, number):
        """Discards what is before the frame."""
        for earlier in [other for other in self.frames if other < number]:
            self.dropped += self.frames.pop(earlier).is_complete()
        self.gave_up = False

    def decode(self, frame, now):
        self.last_decoded = now
        due = max(now, frame.captured + self.least_delay + self.buffer_delay)
        begin = max(due, self.busy_until)
        if begin - due > .15 and not frame.is_key:
            self.dropped += 1
            return
        factor = self.connection.decode_factor if self.connection else 1
        seconds = (frame.width * frame.height / 921600) ** .85 * .0036 * factor * self.simulation.random.uniform(.85, 1.3)
        self.busy_until = begin + seconds
        self.held += begin - frame.arrived
        self.targets += self.buffer_delay + .01
        self.emitted += 1
        self.decode_time += seconds
        self.processing += begin + seconds - frame.arrived
        self.simulation.at(self.busy_until, self.rendered, frame)

    def rendered(self, frame):
        now = self.simulation.now
        self.decoded += 1
        self.keys += frame.is_key
        self.width, self.height = frame.width, frame.height
        self.qp += 40
        self.recent_frames.append(now)
        if self.last_rendered is not None:
            self.count_interval(now - self.last_rendered)
        self.last_rendered = now

    def count_interval(self, interval):
        """Counts a freeze (three times the mean interval, or 150 ms more) or a pause (10 s)."""
        self.between += interval
        self.between_squared += interval * interval
        if len(self.intervals) >= 5:
            mean = sum(self.intervals) / len(self.intervals)
            if interval > 10:
                self.pauses += 1
                self.paused += interval
            elif interval > max(3 * mean, mean + .15):
                self.freezes += 1
                self.frozen += interval
        self.intervals.append(min(interval, 1))

    def shown_rate(self, now):
        """Frames of the last second."""
        while self.recent_frames and self.recent_frames[0] < now - 1:
            self.recent_frames.popleft()
        return len(self.recent_frames)

    def tick(self, now, step):
        super().tick(now, step)
        if step % 10:
            return
        self.shown_rate(now)
        if self.began is not None and self.last_packet is not None and now - self.last_packet <= .5:
            self.ask_key(now)

    def ask_key(self, now):
        """Asks for a key frame if nothing can be decoded without one."""
        since = now - self.last_decoded
        if self.gave_up and since < .25:
            self.gave_up = False
        if self.gave_up:
            self.pli(now)
        elif self.needs_key and since > .25 and now - self.last_pli > .6 and not self.undecodable:
            self.pli(now)
        elif since > 3 and now - self.last_pli > 1:
            self.pli(now)


class ReceivedAudio(Received):
    """Audio with a jitter buffer in the manner of NetEq: a delay that follows the 95th percentile, compressed and stretched time, concealment."""

    def __init__(self, simulation, receiver, source, connection=None):
        super().__init__(simulation, receiver, source)
        self.connection = connection
        self.is_on_hold = False
        self.buffer = []  # (captured, is DTX, level, arrived)
        self.delay = None  # from capture to playout
        self.least_delay = None
        self.late = deque(maxlen=300)
        self.target = .04
        self.played_to = 0.0  # the time of capture of what is played next
        self.stretched = 0.0
        self.concealed_in_a_row = 0
        self.concealed = self.silent = self.events = self.inserted = self.removed = self.samples = 0
        self.held = self.targets = 0.0
        self.emitted = self.discarded = self.flushes = 0
        self.energy = self.loudness = self.duration = 0.0
        self.is_dtx = False
        self.has_begun = False

    def media(self, packet, now):
        delay = now - packet.captured
        if self.delay is None:
            self.buffer.clear()
            self.delay = delay + self.target
            self.has_begun = True
            self.played_to = packet.captured - .02
        if self.least_delay is None or delay < self.least_delay:
            self.least_delay = delay
        else:
            self.least_delay += 3e-5
        self.late.append(delay - self.least_delay)
        if packet.captured < self.played_to - .001:
            self.discarded += 1
        else:
            insort(self.buffer, (packet.captured, packet.is_dtx, packet.level, now))

    def resume(self):
        """Begins again after a hold."""
        self.delay = None
        self.stretched = 0
        self.concealed_in_a_row = 0

    def tick(self, now, step):
        """Plays 20 ms each second step."""
        if step & 1 or not self.has_begun or self.is_on_hold or self.delay is None:
            return
        if step % 50 == 0 and self.late:
            late = sorted(self.late)
            self.target = max(.04, math.ceil((late[int(.95 * (len(late) - 1))] + .02) / .02) * .02)
            self.target = min(self.target, 1.0)
        self.samples += 960
        self.duration += .02
        wanted = self.least_delay + self.target
        self.follow(wanted, step)
        due = now - self.delay
        if self.buffer and self.buffer[0][0] <= due + .012:
            self.play(now, due)
        elif self.is_dtx:  # comfort noise until the next packet
            self.loudness *= .9
            self.played_to = due
        elif due >= self.played_to - .011:  # else the delay was stretched, and the rest of the frame before is played
            self.conceal(now, wanted)

    def follow(self, wanted, step):
        """Compresses or stretches time towards the wanted delay."""
        if self.delay > wanted + .03 and self.buffer and step % 4 == 0:
            self.delay -= .01
            self.removed += 480
        elif self.delay < wanted - .015 and step % 4 == 0 and not self.stretched:
            self.delay += .01
            self.inserted += 480
        if self.buffer and self.stretched > 0 and self.buffer[0][0] > self.played_to + .001:
            gap = min(self.buffer[0][0] - self.played_to, self.stretched)
            self.delay -= gap
            self.played_to += gap
            self.stretched = 0

    def play(self, now, due):
        """Plays the next packet, and a second one in the same turn if time is compressed."""
        level, self.is_dtx = self.take(now)
        self.loudness = level
        self.energy += level * level * .02
        self.stretched = 0
        self.concealed_in_a_row = 0
        if self.buffer and self.buffer[0][0] < due - .014:
            self.take(now)
        if len(self.buffer) > 60:
            del self.buffer[:40]
            self.flushes += 1
            self.delay = now - self.buffer[0][0]

    def take(self, now):
        captured, is_dtx, level, arrived = self.buffer.pop(0)
        self.played_to = captured + .02
        self.held += (now - arrived) * 960
        self.targets += self.target * 960
        self.emitted += 960
        return level, is_dtx

    def conceal(self, now, wanted):
        self.concealed_in_a_row += 1
        self.concealed += 960
        self.loudness *= .7
        if self.concealed_in_a_row == 1:
            self.events += 1
        if self.concealed_in_a_row > 60 or self.loudness < .0004:
            self.silent += 960
            self.loudness = 0
        self.stretched += .02
        if self.buffer:  # a hole: continue behind it
            self.played_to = min(self.played_to + .02, self.buffer[0][0])
            return
        self.delay += .02  # nothing there: stretch
        if self.delay > wanted + 2:
            self.delay = wanted
            self.played_to = now - wanted


class Receiver:
    """The receiving half of a transport: hands packets to their streams, sends receiver reports, takes sender reports."""

    def __init__(self, simulation, transport, streams, return_path, video_interval=1.0, audio_interval=5.0, sender_reports='some'):
        self.simulation, self.transport, self.streams, self.return_path = simulation, transport, streams, return_path
        self.video_steps, self.audio_steps = int(100 * video_interval), int(100 * audio_interval)
        self.sender_reports = sender_reports  # none, some (of audio each fourth), or all
        self.by_source = {stream.source: stream for stream in streams}
        self.bytes_sent = 0
        self.bytes = self.packets = 0
        self.last_packet = 0.0
        self.phase = simulation.random.randrange(100)
        transport.receiver = self
        for stream in streams:
            stream.receiver = self
        simulation.ticks.append(self.tick)

    def add(self, stream):
        self.streams.append(stream)
        self.by_source[stream.source] = stream

    def round_trip(self):
        return max(.02, self.transport.round_trip)

    def padding(self, size):
        self.bytes += size
        self.packets += 1

    def packet(self, packet):
        self.bytes += packet.size + 32
        self.packets += 1
        self.last_packet = self.simulation.now
        stream = self.by_source.get(packet.stream)
        if stream:
            stream.packet(packet, self.simulation.now)

    def tick(self, now, step):
        for stream in self.streams:
            stream.tick(now, step)
        is_video_due = (step + self.phase) % self.video_steps == 0
        is_audio_due = (step + self.phase) % self.audio_steps == 7
        if is_video_due or is_audio_due:
            for stream in self.streams:
                if stream.newest is not None and (is_video_due if stream.is_video else is_audio_due):
                    self.send_report(stream, now)
        if self.sender_reports != 'none' and (step + self.phase) % 100 == 50:
            self.take_sender_reports(now, step)

    def send_report(self, stream, now):
        count = stream.newest - stream.reported_newest if stream.reported_newest else stream.newest - stream.first + 1
        lost = stream.lost()
        share = max(0, (lost - stream.reported_lost) / count) if count > 0 else 0
        stream.reported_lost, stream.reported_newest = lost, stream.newest
        arrival = route(self.return_path, now, 60)
        self.bytes_sent += 60
        if arrival:
            self.simulation.at(arrival, self.got_report, stream.source, lost, share, stream.jitter, arrival - now, stream.originals)

    def got_report(self, source, lost, share, jitter, return_delay, received):
        """The sender gets a receiver report."""
        round_trip = self.transport.one_way_delay + return_delay + self.simulation.random.uniform(0, .003)
        source.reports += 1
        source.total_round_trip += round_trip
        source.report = dict(time=self.simulation.now, lost=lost, share=share, jitter=jitter, round_trip=round_trip, received=received)

    def take_sender_reports(self, now, step):
        for index, stream in enumerate(self.streams):
            if not stream.is_video and (step // 100 + index) % 4 and self.sender_reports != 'all':
                continue
            source = stream.source
            if not source.packets:
                continue
            arrival = route(self.transport.path, now, 60)
            self.transport.bytes += 60
            if arrival:
                sent = source.packets - source.repairs, source.bytes - source.repaired_bytes
                self.simulation.at(arrival, self.got_sender_report, stream, *sent, now)

    def got_sender_report(self, stream, packets, size, sent):
        stream.sender_reports += 1
        stream.sender_report = (self.simulation.now, packets, size, sent)
        self.bytes += 60
        self.last_packet = self.simulation.now
