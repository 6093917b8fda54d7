# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""An audio stream: a microphone, an Opus encoder, and a jitter buffer after libwebrtc's NetEq.

The encoder sends a packet each 20 ms, with discontinuous transmission one each 400 ms of silence (RFC
6716, section 2.1.9), and in-band FEC, which restores most packets whose next one came in time. The
buffer's target follows the 97th percentile of how late packets are; where a packet is missing its audio is
concealed, after 120 ms by silence (`silentConcealedSamples` of W3C webrtc-stats); what has queued beyond
the target is taken out, and below it samples are inserted.
"""
import math
from collections import deque
from typing import NamedTuple

from stream import Stream

PACKET_TIME = .02
#: Samples of a packet at 48 kHz.
PACKET_SAMPLES = 960
BITRATE = 32e3
#: The amplitude of speech; below `SILENCE` there is none.
SPEECH_LEVEL = .06
SILENCE = .004
COMFORT_NOISE_PAYLOAD = 8
COMFORT_NOISE_LEVEL = .0004
#: The chance that FEC restores a packet whose next one is there.
RESTORED = .8


class AudioPacket(NamedTuple):
    """What an RTP packet of audio carries."""
    index: int
    level: float
    is_comfort_noise: bool

    @property
    def media_time(self):
        return self.index * PACKET_TIME


class AudioStream(Stream):
    """An audio stream with both of its ends."""
    kind = 'audio'
    header = 20

    def __init__(self, flow, ssrc, mid, dtx=False, talk=None):
        super().__init__(flow, ssrc, mid)
        self.bitrate = BITRATE
        #: Discontinuous transmission.
        self.dtx = dtx
        #: The level as a function of time; `None` for sentences with pauses.
        self.talk = talk
        self.is_capturing = True
        self.is_muted = False
        self.is_sent = True
        self.level = self.source_energy = self.source_duration = 0.0
        self._silent_packets = 0
        self._index = 0

        self.target_delay = .04
        self.samples = self.concealed = self.silent_concealed = self.concealment_events = 0
        self.inserted = self.removed = self.restored_packets = self.discarded_packets = 0
        self.buffer_delay = self.buffer_target = 0.0
        self.buffer_emitted = 0
        self.played_level = self.played_energy = self.played_duration = 0.0
        self._buffer = {}
        self._next = None
        self._plays_from = 0.0
        self._lateness = deque(maxlen=100)
        self._long_lateness = deque(maxlen=500)
        self._is_in_pause = False
        self._last_played = 0
        self._concealed_packets = 0
        self._is_concealing = False

        self._phase = flow.random.random() * 10
        flow.clock.at(flow.clock.now + flow.random.random() * PACKET_TIME, self._tick)

    def _loudness(self, time):
        if self.is_muted:
            return 0.0
        if self.talk is not None:
            return self.talk(time)
        if (time + self._phase) % 7.3 < 5.2:
            return SPEECH_LEVEL * abs(math.sin(time * 9 + self._phase)) * (1 + .5 * math.sin(time * 2.1))
        return .0012 * (1 + .4 * math.sin(time * 13))

    # The sender.

    def _tick(self):
        now = self.flow.clock.now
        self.flow.clock.at(now + PACKET_TIME, self._tick)
        self._index += 1
        if self.is_present:
            self._play(now)
        if self.is_capturing:
            self._capture(now)

    def _capture(self, now):
        self.level = level = self._loudness(now)
        self.source_energy += level * level * PACKET_TIME
        self.source_duration += PACKET_TIME
        if not self.is_sent:
            return
        is_comfort_noise = self.dtx and level < SILENCE
        if is_comfort_noise:
            self._silent_packets += 1
            if self._silent_packets > 1 and self._silent_packets % 20:
                return
            payload = COMFORT_NOISE_PAYLOAD
        else:
            self._silent_packets = 0
            share = self.flow.random.uniform(.8, 1.15)
            payload = max(12, int(BITRATE / 8 * PACKET_TIME * share * (1 if level > SILENCE else .55)))
        self.flow.send(self, now, payload, AudioPacket(self._index, level, is_comfort_noise))

    # The receiver.

    def arrive(self, time, packet):
        """A packet reaches the jitter buffer."""
        self._lateness.append(time - packet.media_time)
        self._long_lateness.append(time - packet.media_time)
        if self._next is None:
            self._next = packet.index
            self._plays_from = time + .06
        if packet.index < self._next:
            self.discarded_packets += 1
            return
        self._buffer[packet.index] = (time, packet.level, packet.is_comfort_noise)

    def _play(self, now):
        """Takes 20 ms of audio out of the jitter buffer."""
        if self._next is None or now < self._plays_from:
            return
        self.samples += PACKET_SAMPLES
        self.played_duration += PACKET_TIME
        if self._index % 10 == 0 and self._lateness:
            self._follow_lateness()
        packet = self._buffer.pop(self._next, None)
        if packet is not None:
            self._play_packet(now, *packet)
        elif self._is_in_pause:
            self._play_pause(now)
        elif self._next + 1 in self._buffer and self.flow.random.random() < RESTORED:
            self.restored_packets += 1
            self._next += 1
            self._count_emitted(PACKET_SAMPLES * self.target_delay)
        else:
            self._conceal()

    def _follow_lateness(self):
        least = min(self._long_lateness)
        ordered = sorted(self._lateness)
        late = ordered[int(len(ordered) * .97) if len(ordered) < 100 else 97] - least
        wanted = min(.6, max(.04, late + .02))
        if wanted > self.target_delay:
            self.target_delay = wanted
        else:
            self.target_delay = self.target_delay * .97 + wanted * .03

    def _count_emitted(self, delay):
        self.buffer_emitted += PACKET_SAMPLES
        self.buffer_delay += delay
        self.buffer_target += self.target_delay * PACKET_SAMPLES

    def _play_pause(self, now):
        """Comfort noise, until its sender speaks."""
        begins = min(self._buffer) if self._buffer else None
        self.played_level = COMFORT_NOISE_LEVEL
        self.played_energy += COMFORT_NOISE_LEVEL ** 2 * PACKET_TIME
        self._next += 1
        if begins is not None and len(self._buffer) * PACKET_TIME > self.target_delay + .1:
            self._next = begins
        if begins is None and now - self._last_played > 1.5:
            self.concealed += PACKET_SAMPLES
            self.silent_concealed += PACKET_SAMPLES
        self._concealed_packets = 0

    def _conceal(self):
        self.concealed += PACKET_SAMPLES
        self._concealed_packets += 1
        if not self._is_concealing:
            self.concealment_events += 1
            self._is_concealing = True
        if self._concealed_packets > 6:
            self.silent_concealed += PACKET_SAMPLES
            self.played_level = 0.0
        else:
            self.played_energy += (self.played_level * .6) ** 2 * PACKET_TIME
            self.played_level *= .7
        if self._buffer:
            oldest = min(self._buffer)
            self._next = self._next + 1 if oldest - self._next <= 50 else oldest
        elif self._concealed_packets * PACKET_TIME > 5:
            self._next += 1

    def _play_packet(self, now, arrived, level, is_comfort_noise):
        self._is_concealing = False
        self._concealed_packets = 0
        self._is_in_pause = is_comfort_noise
        self._last_played = now
        delay = max(0.0, now - arrived)
        self._count_emitted(delay * PACKET_SAMPLES)
        self.played_level = level
        self.played_energy += level * level * PACKET_TIME
        self._next += 1
        self._stretch(now, delay)

    def _stretch(self, now, delay):
        """Plays faster what has queued, slower what runs short (time stretching)."""
        queued = (max(self._buffer) - self._next + 1) * PACKET_TIME if self._buffer else 0
        is_long = queued > max(self.target_delay + .06, .1)
        if is_long and self._index % 3 == 0 and self._next in self._buffer:
            arrived, _, _ = self._buffer.pop(self._next)
            self.removed += PACKET_SAMPLES
            self._next += 1
            self._count_emitted((now - arrived) * PACKET_SAMPLES)
        elif delay < .01 and self.target_delay > .06 and self._index % 5 == 0:
            self.inserted += PACKET_SAMPLES // 2
