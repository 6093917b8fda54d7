# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A video stream: a camera, an encoder that adapts, and a receiver with frame buffer, decoder and renderer.

The encoder follows libwebrtc: a simulcast layer without bandwidth is not encoded; a single encoding steps
its size down when the estimate is below `LADDER` for 2 s and up again with hysteresis
(`BitrateConstraint`, `QualityScaler`), and down when it encodes for more than 85 % of the time
(`OveruseFrameDetector`); a frame is dropped before encoding if the encoder is occupied or the pacer's
queue is long. The receiver waits for whole frames in order, asks for a key frame (PLI, RFC 4585, section
6.3.1) where one does not come, and counts freezes (longer than the average by 150 ms and by three times)
and pauses (longer than 5 s) as W3C webrtc-stats defines `freezeCount` and `pauseCount`.
"""
import math
from collections import deque
from typing import NamedTuple

from stream import Stream

#: The least bitrate of each step of the size, and the size's factor.
LADDER = [(500e3, 1), (300e3, .75), (150e3, .5), (90e3, .375), (0, .25)]
#: How long an encoder's pictures are better than they need be before libwebrtc takes a step up, in seconds, by how many
#: it has taken: as recorded of Chromium 156 (`Lab/PeerToPeer`).
CAUTION = [12, 9, 7, 7]
#: The most bytes of video in a packet.
PAYLOAD = 1130
#: Encode and decode times are given for frames of so many pixels.
FULL_SIZE = 1280 * 720


class FramePacket(NamedTuple):
    """What an RTP packet of video carries: a part of this frame."""
    frame: int
    packets: int
    is_key: bool
    captured: float
    width: int
    height: int

    @property
    def media_time(self):
        return self.captured


class ReceivedFrame:
    """A frame of which a packet came."""
    __slots__ = ('packet', 'count', 'begun', 'complete')

    def __init__(self, packet, time):
        self.packet = packet
        self.count = 0
        self.begun = time
        #: When its last packet came; `None` until it does.
        self.complete = None


def count_last_second(times, now):
    """How many of the times lie in the last second; removes those that do not."""
    while times and times[0] < now - 1:
        times.popleft()
    return len(times)


class Camera:
    """A source of frames, which simulcast layers share."""

    def __init__(self, width, height, fps):
        self.width, self.height, self.fps = width, height, fps
        self.is_on = True
        #: How much of its bitrate the content needs, `0...1`.
        self.complexity = 1.0
        #: The `rid` of the layer that counts frames; `None` without simulcast.
        self.leading_rid = None
        self.frames = 0
        self.times = deque()

    def count(self, time):
        """Counts a frame."""
        self.frames += 1
        self.times.append(time)


class VideoStream(Stream):
    """A video stream, or a layer of simulcast, with both of its ends."""
    kind = 'video'
    header = 24

    def __init__(self, flow, ssrc, mid, camera, maximum=2.5e6, rid=None, scale=1, encode_ms=6.0, minimum=30e3,
                 adapts=True, is_screen=False, starts_small=False):
        super().__init__(flow, ssrc, mid)
        self.camera = camera
        #: The rate that the encoder may take, and that the estimate is asked to reach.
        self.maximum = self.demand = maximum
        #: Without it the layer is off.
        self.minimum = minimum
        self.rid = rid
        #: `scaleResolutionDownBy`.
        self.scale = scale
        #: The time that a frame of 1280x720 takes to encode.
        self.encode_ms = encode_ms
        #: Whether the size follows bandwidth and processor.
        self.adapts = adapts
        #: Whether the encoder drops its first frames until they fit what there is to start with, and its size comes back
        #: only step by step, as libwebrtc's does. Its bitrate is bounded by what the content needs at that size.
        self.starts_small = starts_small
        self.is_screen = is_screen
        #: Whether what a screen shows stands still.
        self.is_still = False
        self.is_active = True
        self.is_key_frame_due = True
        self.target = min(maximum, 300e3)
        #: The layers that a server forwards one of; `None` peer-to-peer.
        self.layers = None
        self.wanted_layer = self.forwarded_layer = 0

        self.bandwidth_step, self.processor_step = (2 if starts_small else 0), 0
        self.limitation = 'none'
        self.limitation_durations = dict(none=0.0, cpu=0.0, bandwidth=0.0, other=0.0)
        self.size_changes = 0
        self.frames_encoded = self.key_frames_encoded = self.huge_frames = 0
        self.encode_time = self.send_delay = self.qp_sent = 0.0
        self.plis_received = 0
        self.sent_width = self.sent_height = None
        self.encoded_times = deque()
        self._captured = 0
        self._frame = 0
        self._encoder_free = 0.0
        self._step_count = 0.0
        self._steps_up = 0
        self._last_encoded = -1

        #: The time that a frame of 1280x720 takes to decode.
        self.decode_ms = 4.0
        #: Whether the decoder understands the stream.
        self.is_decodable = True
        #: Whether the decoder works on several frames at a time, as hardware does: its delay is no load.
        self.is_pipelined = False
        #: The name of a hardware decoder; `None` for libvpx.
        self.hardware_decoder = None
        self.frames_received = self.frames_decoded = self.frames_dropped = self.key_frames_decoded = 0
        self.frames_of_many_packets = 0
        self.assembly_time = self.decode_time = self.processing_delay = self.qp_received = 0.0
        self.frame_delay = self.squared_frame_delay = 0.0
        self.freezes = self.pauses = 0
        self.freeze_time = self.pause_time = 0.0
        self.buffer_delay = self.buffer_target = 0.0
        self.buffer_emitted = 0
        self.plis_sent = 0
        self.received_width = self.received_height = None
        self.rendered_times = deque()
        self._frames = {}
        self._next = None
        self._lateness = deque(maxlen=90)
        self._jitter_delay = .02
        self._decoder_free = 0.0
        self._last_rendered = None
        self._intervals = deque(maxlen=30)
        self._last_pli = -9

        now = flow.clock.now
        flow.clock.at(now + flow.random.random() * .03, self._capture)
        flow.clock.at(now + 1, self._adapt)
        flow.clock.at(now + .2, self._watch)

    # The sender.

    @property
    def size(self):
        """Width and height that the encoder takes."""
        step = min(4, max(self.bandwidth_step, self.processor_step)) if self.adapts else 0
        factor = LADDER[step][1]
        return (int(self.camera.width * factor / self.scale) & ~1,
                int(self.camera.height * factor / self.scale) & ~1)

    def _capture(self):
        now = self.flow.clock.now
        camera = self.camera
        self.flow.clock.at(now + 1 / max(.5, camera.fps) * self.flow.random.uniform(.97, 1.03), self._capture)
        if not camera.is_on or not self.is_present:
            return
        if self.rid is None or self.rid == camera.leading_rid:
            camera.count(now)
        self._captured += 1
        is_repeated = self.is_still and self._captured % max(1, int(camera.fps))
        if self.is_active and self.target >= self.minimum and not is_repeated:
            self._encode(now)

    def _encode(self, now):
        width, height = self.size
        pixels = width * height
        taken = self.encode_ms * (.25 + .75 * pixels / FULL_SIZE) * self.flow.random.uniform(.85, 1.2)
        if self._encoder_free > now + .03 or self.flow.paced_until - now > .5:
            return
        self._encoder_free = max(self._encoder_free, now) + taken / 1000
        is_key = self.is_key_frame_due or self._frame == 0
        if (self.sent_width, self.sent_height) != (width, height):
            if self.sent_width and self._last_encoded > 0:
                self.size_changes += 1
            is_key = True
            self.sent_width, self.sent_height = width, height
        self.is_key_frame_due = False
        self.frames_encoded += 1
        self.encode_time += taken / 1000
        self.encoded_times.append(now)
        self._last_encoded = now
        size = self._frame_size(is_key, pixels, min(max(1, self.camera.fps), 1000 / taken))
        self.qp_sent += max(8, min(63, 60 - 9 * math.log(max(2, size * 8 * 100 / pixels))))
        packets = max(1, -(-size // PAYLOAD))
        packet = FramePacket(self._frame, packets, is_key, now, width, height)
        self._frame += 1
        self.flow.pace(self, now + taken / 1000, size // packets, packet)

    def _frame_size(self, is_key, pixels, fps):
        spread = self.flow.random.lognormvariate(-.03, .25)
        rate = min(self.target, self.maximum) * self.camera.complexity
        if self.starts_small:
            needed = self.maximum * self.camera.complexity * (pixels / FULL_SIZE) ** .75
            rate = min(self.target, self.maximum, needed)
        size = rate / 8 / fps * spread
        if self.is_still:
            size = 900
        if is_key:
            size = min(max(size * 4, pixels * .035), max(size * 8, 16000))
            self.key_frames_encoded += 1
        elif size > self.target / 8 / fps * 2.5:
            self.huge_frames += 1
        return max(200, int(size))

    def _adapt(self):
        self.flow.clock.at(self.flow.clock.now + 1, self._adapt)
        if not self.is_present:
            return
        self.limitation_durations[self.limitation] += 1
        if self.adapts and self.rid is None and self.is_active and self.target >= self.minimum:
            self._adapt_to_bandwidth()
        width, height = self.size
        load = self.encode_ms * (.25 + .75 * width * height / FULL_SIZE) * self.camera.fps / 1000
        if self.adapts and load > .85 and self.processor_step < 4:
            self.processor_step += 1
        elif self.adapts and self.processor_step and load < .3:
            self.processor_step -= 1
        if self.processor_step > self.bandwidth_step or (not self.adapts and load > .85):
            self.limitation = 'cpu'
        elif self.bandwidth_step or self.flow.has_starved_layer(self):
            self.limitation = 'bandwidth'
        else:
            self.limitation = 'none'

    def _adapt_to_bandwidth(self):
        step = self.bandwidth_step
        if self.target < LADDER[step][0] * .95:
            self._step_count += 1
        elif step and self.target > LADDER[step - 1][0] * 1.3:
            self._step_count -= 1
        else:
            self._step_count = 0
        if self._step_count >= 2:
            self.bandwidth_step = min(4, step + 1)
            self._step_count = 0
        patience = CAUTION[min(self._steps_up, len(CAUTION) - 1)] if self.starts_small else 3
        if self._step_count <= -patience:
            self._steps_up += 1
            self.bandwidth_step -= 1
            self._step_count = 0

    def _receive_pli(self):
        self.plis_received += 1
        self.is_key_frame_due = True

    # The receiver.

    def arrive(self, time, packet):
        """A packet reaches the frame buffer."""
        frame = self._frames.get(packet.frame)
        if frame is None:
            frame = self._frames[packet.frame] = ReceivedFrame(packet, time)
        frame.count += 1
        if frame.count == packet.packets and frame.complete is None:
            frame.complete = time
            self.frames_received += 1
            if packet.packets > 1:
                self.assembly_time += time - frame.begun
                self.frames_of_many_packets += 1
            self._decode_what_can_be(time)

    def _decode_what_can_be(self, now):
        if not self.is_decodable:
            self._discard([key for key, frame in self._frames.items() if frame.packet.captured < now - 3])
            return
        while self._has_next() or self._skip_to_key_frame():
            frame = self._frames.pop(self._next)
            self._next += 1
            self._decode(now, frame)

    def _has_next(self):
        return (self._next is not None and self._next in self._frames
                and self._frames[self._next].complete is not None)

    def _skip_to_key_frame(self):
        complete = [key for key, frame in self._frames.items()
                    if frame.packet.is_key and frame.complete is not None]
        keys = [key for key in complete if self._next is None or key > self._next]
        if not keys:
            return False
        self._next = max(keys)
        skipped = [key for key in self._frames if key < self._next]
        self.frames_dropped += sum(self._frames[key].complete is not None for key in skipped)
        self._discard(skipped)
        return True

    def _discard(self, keys):
        for key in keys:
            del self._frames[key]

    def _decode(self, now, frame):
        packet = frame.packet
        self._lateness.append(frame.complete - packet.captured)
        least = min(self._lateness)
        late = min(.15, sorted(self._lateness)[int(len(self._lateness) * .95)] - least)
        self._jitter_delay = max(self._jitter_delay * .995, late, .012)
        due = max(now, packet.captured + least + self._jitter_delay)
        share = .25 + .75 * packet.width * packet.height / FULL_SIZE
        taken = self.decode_ms * share / 1000 * self.flow.random.uniform(.85, 1.25)
        self.buffer_emitted += 1
        if self._decoder_free > due + .12 and not packet.is_key and not self.is_pipelined:
            self.frames_dropped += 1
            self.buffer_delay += max(0, self._decoder_free - frame.begun)
            return
        if self.is_pipelined:
            begins, done = due, due + taken
        else:
            self._decoder_free = max(self._decoder_free, due) + taken
            begins, done = self._decoder_free - taken, self._decoder_free
        self.buffer_delay += begins - frame.begun
        self.buffer_target += self._jitter_delay
        self.flow.clock.at(done, self._render, done, taken, frame)

    def _render(self, now, taken, frame):
        if not self.is_present:
            return
        self.frames_decoded += 1
        self.key_frames_decoded += frame.packet.is_key
        self.decode_time += taken
        self.processing_delay += now - frame.begun
        self.received_width, self.received_height = frame.packet.width, frame.packet.height
        self.rendered_times.append(now)
        self.qp_received += 25
        if self._last_rendered is not None:
            self._count_interval(now - self._last_rendered)
        self._last_rendered = now

    def _count_interval(self, interval):
        self.frame_delay += interval
        self.squared_frame_delay += interval * interval
        average = sum(self._intervals) / len(self._intervals) if self._intervals else None
        if interval > 5:
            self.pauses += 1
            self.pause_time += interval
        elif average and len(self._intervals) >= 10 and interval > max(3 * average, average + .15):
            self.freezes += 1
            self.freeze_time += interval
        if interval < 5:
            self._intervals.append(interval)

    def _watch(self):
        """Asks for a key frame where a frame should have come and did not."""
        now = self.flow.clock.now
        self.flow.clock.at(now + .2, self._watch)
        if not self.is_present or self.first_sequence is None:
            return
        is_stuck = (
            not self.is_decodable
            or any(frame.complete is not None and now - frame.complete > .6
                   for frame in self._frames.values())
            or (self._next is None and self.frames_received == 0))
        is_receiving = self.last_arrival is not None and now - self.last_arrival < 1
        if is_stuck and is_receiving and now - self._last_pli > (1.0 if self.is_decodable else .9):
            self._last_pli = now
            self.plis_sent += 1
            if not self.flow.back.is_down:
                self.flow.clock.at(now + self.flow.back.delay(now), self._receive_pli)
        if self._next is not None:
            self._discard([key for key in self._frames if key < self._next])
