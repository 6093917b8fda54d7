# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What sends in the calls of `guest.py`: streams, microphones, and cameras with their encoders (simulcast, SVC, quality scaler, CPU budget)."""
import math
import random
from collections import deque, namedtuple
from guest_network import Packet

SCALES = (1, .75, .5, .375, .25, .1875)
AUDIO_RATE = 40e3  # of the estimate, what video does not get
CPU_BUDGET = .85

# A stream of a camera: the divisor of its size, and between which bit rates it is sent.
Layer = namedtuple('Layer', 'stream divisor least most')


class Stream:
    """An RTP stream that is sent, and its counters."""

    def __init__(self, kind, ssrc, mid, rid=None):
        self.kind, self.ssrc, self.mid, self.rid = kind, ssrc, mid, rid
        self.transport = None
        self.active = True
        self.is_screen = False
        self.packets = self.bytes = self.header_bytes = self.repairs = self.repaired_bytes = 0
        self.pacing = 0.0
        self.sequence = 0
        self.frame = 0
        self.sent = {}  # the newest packets by sequence number
        self.sent_order = deque()
        self.encoded = self.sent_frames = self.keys = 0
        self.encode_time = 0.0
        self.qp = 0
        self.width = self.height = 0
        self.recent_frames = deque()
        self.target = self.allocated = 0
        self.nacks = self.plis = 0
        self.report = None  # the newest receiver report
        self.reports = 0
        self.total_round_trip = 0.0
        self.drop = None  # whether a packet is lost for this stream alone
        self.is_dropped_behind_path = False
        self.ask_key = None

    def count_sent(self, packet, pacing):
        self.packets += 1
        self.bytes += packet.size
        self.header_bytes += 24
        self.pacing += pacing
        if packet.is_repair:
            self.repairs += 1
            self.repaired_bytes += packet.size

    def remember(self, packet):
        self.sent[packet.sequence] = packet
        self.sent_order.append(packet.sequence)
        if len(self.sent_order) > 800:
            self.sent.pop(self.sent_order.popleft(), None)

    def nacked(self, sequences):
        """Sends again what is not older than 1.2 s."""
        self.nacks += 1
        for sequence in sequences:
            packet = self.sent.get(sequence)
            if packet is not None and self.transport.simulation.now - packet.captured < 1.2:
                repair = packet.copy()
                repair.is_repair = True
                self.transport.put(repair, True)

    def plied(self):
        self.plis += 1
        if self.ask_key:
            self.ask_key()


class Voice:
    """The level at a microphone: speech, noise, mute, or a dead device."""

    def __init__(self, simulation, talk=.5, level=.09, noise=.0012):
        self.random = random.Random(simulation.random.random())
        self.talk, self.level, self.noise = talk, level, noise
        self.until = 0
        self.is_speaking = False
        self.loudness = 0.0
        self.energy = self.duration = 0.0
        self.muted = self.dead = False

    def step(self, now):
        """The level of the next 20 ms."""
        if now >= self.until:
            self.is_speaking = self.random.random() < self.talk
            self.until = now + (self.random.uniform(1.5, 6) if self.is_speaking else self.random.uniform(1, 4))
        if self.muted or self.dead:
            self.loudness = 0.0
        elif self.is_speaking:
            self.loudness = self.level * self.random.uniform(.2, 1.5)
        else:
            self.loudness = self.noise * self.random.uniform(.7, 1.4)
        self.energy += self.loudness ** 2 * .02
        self.duration += .02
        return self.loudness


class Microphone:
    """A voice, and the stream that has it: a packet each 20 ms, or each 400 ms in silence with DTX."""

    def __init__(self, simulation, transport, stream, voice, dtx=False, rate=32e3):
        self.simulation, self.transport, self.stream, self.voice, self.dtx, self.rate = simulation, transport, stream, voice, dtx, rate
        self.source = self.track = None
        self.is_on_hold = False
        self.last_dtx = 0
        self.quiet = 0
        stream.transport = transport
        stream.target = rate
        simulation.ticks.append(self.tick)

    def tick(self, now, step):
        if step & 1:
            return
        level = self.voice.step(now)
        if self.is_on_hold:
            return
        self.quiet = self.quiet + 1 if level < .004 else 0
        is_dtx = self.dtx and self.quiet > 10
        if is_dtx:
            if now - self.last_dtx < .4:
                return
            self.last_dtx = now
        self.transport.put(Packet(self.stream, self.stream.sequence, self.size(level, is_dtx), now, level=level, is_dtx=is_dtx), False)
        self.stream.sequence += 1

    def size(self, level, is_dtx):
        """Of a packet, bytes."""
        if is_dtx:
            return 4
        if level == 0:
            return 6
        return int(self.rate / 400 * (.72 + .5 * self.simulation.random.random()) * (1 if level > .004 else .75))


class Camera:
    """A camera or screen with its encoder: one to three streams (simulcast), or SVC in one."""

    def __init__(self, simulation, transport, layers, width=1280, height=720, frame_rate=30, complexity=1.0, is_screen=False, svc=None, share=1.0):
        self.simulation, self.transport, self.layers = simulation, transport, layers
        self.width, self.height, self.frame_rate, self.complexity = width, height, frame_rate, complexity
        self.is_screen, self.svc, self.share = is_screen, svc, share
        self.source = self.track = None
        self.scales = True
        self.on = True
        self.dead = False
        self.still = None  # the share of frames in which a screen does not change
        self.wanted = None  # the layers that a router takes, if it says so
        self.cpu_factor = 1.0
        self.frames = 0
        self.next_frame = simulation.random.random() / frame_rate
        self.recent_frames = deque()
        self.last_encoded = -9
        self.busy_until = 0.0
        self.usage = .3
        self.quality_step = self.cpu_step = 0
        self.last_quality_step = self.last_cpu_step = 0
        self.qps = deque()
        self.reason = 'none'
        self.durations = dict(none=0.0, cpu=0.0, bandwidth=0.0, other=0.0)
        self.size_changes = 0
        self.keys_asked = set(range(3))
        self.last_keys = {}
        for index, layer in enumerate(layers):
            layer.stream.transport = transport
            layer.stream.ask_key = lambda index=index: self.keys_asked.add(0 if self.svc else index)
        simulation.ticks.append(self.tick)

    def tick(self, now, step):
        if step % 10 == 0:
            self.durations[self.reason] += .1
        if step % 50 == 0:
            self.adapt(now)
        if now < self.next_frame:
            return
        self.next_frame = max(self.next_frame + 1 / self.frame_rate, now)
        if not self.on or self.dead:
            return
        self.frames += 1
        self.recent_frames.append(now)
        if self.transport.is_alive and self.is_encoded(now):
            self.encode(now)

    def is_encoded(self, now):
        """Whether the frame of now is encoded: not if nothing changes, the encoder is busy, or the pacer has too much."""
        self.shown_rate(now)
        if self.is_screen and self.still and self.simulation.random.random() < self.still and now - self.last_encoded < 1:
            return False
        self.last_encoded = now
        return now >= self.busy_until and self.transport.queue_delay() <= .45

    def shown_rate(self, now):
        """Frames of the last second."""
        while self.recent_frames and self.recent_frames[0] < now - 1:
            self.recent_frames.popleft()
        return len(self.recent_frames)

    def available(self):
        """The bit rate that the estimate leaves for this video."""
        return self.transport.congestion.estimate * self.share - AUDIO_RATE

    def encode(self, now):
        """Encodes a frame for each layer for which there is bit rate."""
        available = max(0, self.available())
        encode_time = 0
        for index, layer in enumerate(self.layers):
            stream = layer.stream
            rate = min(available, layer.most)
            least = layer.least if stream.allocated else layer.least * 1.2
            if rate < 25e3 or len(self.layers) > 1 and index and rate < least:
                stream.allocated = stream.target = 0
                continue
            available -= rate
            if stream.allocated == 0:
                self.keys_asked.add(index)
            stream.allocated = stream.target = rate
            encode_time += self.encode_layer(now, index, layer, rate)
        self.busy_until = now + encode_time
        self.usage += .03 * (min(1.5, encode_time * self.frame_rate) - self.usage)

    def encode_layer(self, now, index, layer, rate):
        """Encodes and sends a frame of a layer; the seconds that it takes."""
        stream = layer.stream
        draw = self.simulation.random
        scale = self.scale(layer, rate)
        width, height = self.resize(index, stream, scale)
        frame_rate = max(3, self.frame_rate)
        needed = self.complexity * 55 * (width * height) ** .75 * (frame_rate / 30) ** .6
        bits = min(rate, needed) / frame_rate * draw.lognormvariate(0, .18)
        is_key = index in self.keys_asked and now - self.last_keys.get(index, -9) > .3
        if is_key:
            self.keys_asked.discard(index)
            self.last_keys[index] = now
            bits *= 9 if self.is_screen else 4
            stream.keys += 1
        frames = 1 if not self.svc else 3 if scale == 1 else 2 if scale == .5 else 1
        self.count_qp(stream, needed, rate, frames)
        encode_time = (width * height / 921600) ** .8 * .0065 * self.cpu_factor * draw.uniform(.85, 1.25) * (2.2 if self.svc else 1)
        stream.encode_time += encode_time
        stream.encoded += frames
        stream.sent_frames += frames if self.wanted is None or index in self.wanted else 1
        stream.recent_frames.append(now)
        while stream.recent_frames[0] < now - 1:
            stream.recent_frames.popleft()
        if self.wanted is None or index in self.wanted:
            self.send(stream, now, max(60, int(bits / 8)), is_key, width, height)
        return encode_time

    def scale(self, layer, rate):
        """The factor by which a layer's width and height are smaller than the source's."""
        if self.svc:
            return 1 if rate > .55 * layer.most else .5 if rate > .18 * layer.most else .25
        if len(self.layers) == 1:
            return SCALES[min(5, self.quality_step + self.cpu_step)] / layer.divisor
        return SCALES[min(5, self.cpu_step)] / layer.divisor

    def resize(self, index, stream, scale):
        size = max(2, int(self.width * scale) // 2 * 2), max(2, int(self.height * scale) // 2 * 2)
        if size != (stream.width, stream.height) and stream.width:
            self.size_changes += 0 if self.svc else 1
            self.keys_asked.add(index)
        stream.width, stream.height = size
        return size

    def count_qp(self, stream, needed, rate, frames):
        qp = max(8, min(126, 34 * (needed / max(rate, 1)) ** .85)) if rate < needed else 18 + 14 * needed / rate
        stream.qp += int(qp) * frames
        self.qps.append(qp)
        if len(self.qps) > 90:
            self.qps.popleft()

    def send(self, stream, now, size, is_key, width, height):
        """Sends a frame in packets of up to 1150 bytes."""
        count = max(1, math.ceil(size / 1150))
        stream.frame += 1
        for index in range(count):
            packet = Packet(stream, stream.sequence, size // count + 8, now, stream.frame, index, count, is_key, width, height)
            stream.sequence += 1
            stream.remember(packet)
            self.transport.put(packet, True)

    def adapt(self, now):
        """Takes steps down and up in size for the CPU and for quality, and says what limits."""
        if self.usage > CPU_BUDGET and now - self.last_cpu_step > 4 and self.cpu_step < 3:
            self.cpu_step += 1
            self.last_cpu_step = now
            self.usage *= .7
        elif self.usage < .4 and self.cpu_step and now - self.last_cpu_step > 12:
            self.cpu_step -= 1
            self.last_cpu_step = now
        if len(self.layers) == 1 and not self.svc and not self.is_screen and self.scales and self.on and len(self.qps) > 20:
            self.adapt_quality(now)
        self.reason = 'cpu' if self.cpu_step else 'bandwidth' if self.is_limited_by_bandwidth() and self.on else 'none'

    def adapt_quality(self, now):
        step = self.quality_step
        if sum(self.qps) / len(self.qps) > 92 and now - self.last_quality_step > 2 and step < 4:
            step += 1
        elif step and now - self.last_quality_step > 4:
            larger = SCALES[step - 1]
            needed = self.complexity * 55 * (self.width * self.height * larger * larger) ** .75
            if self.available() > .5 * min(needed, self.layers[0].most):
                step -= 1
        if step != self.quality_step:
            self.quality_step = step
            self.last_quality_step = now
            self.qps.clear()

    def is_limited_by_bandwidth(self):
        first = self.layers[0].stream
        if self.svc:
            return first.width and first.width < self.width
        if len(self.layers) > 1:
            return any(not layer.stream.allocated for layer in self.layers)
        return self.quality_step > 0
