# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A call: two links, a flow in each direction that it has, its path (ICE), and the reports of one end.

The end whose reports are written publishes (`send`), subscribes (`recv`) or does both, peer-to-peer
(`p2p`) or with a server that forwards (`sfu`). Connectivity checks follow RFC 7675 (consent, each 2.5 s
here as in libwebrtc).
"""
import random
import uuid
from typing import NamedTuple

import intents
from audio import AudioStream
from clock import Clock
from engines import ENGINES
from flow import Flow
from link import Link
from report import Report
from truth import Problem, expectations, sentence
from video import Camera, VideoStream

#: The earliest time of a call, in milliseconds since 1970.
EPOCH = 1_797_000_000_000.0
#: The share of reports that are missing, as of a page that is busy.
MISSING_REPORTS = .01


class Encoding(NamedTuple):
    """A layer of simulcast that a camera is sent with."""
    rid: str
    scale: int
    maximum: float
    minimum: float


class Layer(NamedTuple):
    """A layer that a server can forward."""
    scale: int
    bitrate: float


SIMULCAST = [Encoding('q', 4, 150e3, 50e3), Encoding('h', 2, 500e3, 150e3), Encoding('f', 1, 1.7e6, 500e3)]


class CandidatePair:
    """The selected candidate pair, and what the counters were when it was selected."""

    def __init__(self, name, network, ufrag, bytes_before, packets_before):
        self.name, self.network, self.ufrag = name, network, ufrag
        self.bytes_before, self.packets_before = bytes_before, packets_before
        self.requests = self.responses = 0
        self.round_trip_time = self.total_round_trip_time = 0.0


class Call:
    """A call as a scenario describes it. Times are seconds of the call."""

    def __init__(self, seed, name, engine='chrome', topology='sfu', role='recv', interval=1, duration=90,
                 intent=False, svc=False, start_bitrate=300e3, propagation=.015, audio_report_interval=5.0):
        self.name, self.engine, self.topology, self.role = name, ENGINES[engine], topology, role
        #: Seconds between reports.
        self.interval = interval
        self.duration = duration
        #: Whether its reports come with what is wanted (`intent`) and what the other end says (`remote`).
        self.has_intent = intent
        self.svc = svc
        self.random = random.Random(f'{seed}/{name}')
        self.begin = EPOCH + self.random.randrange(10 ** 8)
        #: How much the far side's clock is ahead of this one's.
        self.remote_clock = random.Random(f'{seed}/{name}/clock').uniform(-.5, .5)
        self.clock = Clock()
        self.uplink = Link(self.random, propagation * self.random.uniform(.8, 1.2))
        self.downlink = Link(self.random, propagation * self.random.uniform(.8, 1.2))
        if self.engine.is_firefox:
            audio_report_interval = 1.2
        start = (start_bitrate, audio_report_interval)
        #: What this end sends and receives; `None` if nothing.
        self.sent = self.received = None
        if role in ('send', 'both'):
            self.sent = Flow(self.clock, self.random, self.uplink, self.downlink, *start)
        if role in ('recv', 'both'):
            self.received = Flow(self.clock, self.random, self.downlink, self.uplink, *start)
        self.pair = CandidatePair('P1', 'wifi', 'aB3d', (0, 0), (0, 0))
        self.pair_changes = 1
        self.candidate_type = 'host' if topology == 'sfu' else 'srflx'
        self.relay_protocol = None
        self.is_connected = True
        self.last_packet = 0.0
        #: Whether there is no report at a time, as of a page in the background.
        self.is_report_missing = lambda time: False
        #: What is wanted, and what the other end says, as functions of time; `None` for what is usual.
        self.intent = self.remote = None
        #: What the publisher says of itself, and what the server says of the publisher's uplink.
        self.publisher, self.publisher_uplink = None, intents.condition()
        self.camera_format = (1280, 720, 30)
        self.reports = []
        self.notes = []
        self._problems = []
        self._unscored = []
        self._stun_bytes = [0, 0]
        self._last_response = 0.0
        self._ssrc = self.random.randrange(10 ** 8, 3 * 10 ** 9)
        self._mids = 0
        self.clock.at(.01, self._check_connectivity)

    # What a scenario says.

    @property
    def now(self):
        return self.clock.now

    @property
    def links(self):
        return self.uplink, self.downlink

    def at(self, time, action):
        """Calls `action` at a time."""
        self.clock.at(time, action)

    def change(self, target, begins, ends=None, **values):
        """Sets attributes at a time, and sets them back at another."""
        before = {name: getattr(target, name) for name in values}
        self.clock.at(begins, self._set, target, values)
        if ends is not None:
            self.clock.at(ends, self._set, target, before)

    @staticmethod
    def _set(target, values):
        for name, value in values.items():
            setattr(target, name, value)

    def stall(self, link, duration):
        """Lets a link deliver nothing for a while, and then what has waited."""
        link.stalled_until = self.now + duration

    def microphone(self, **options):
        """Sends audio."""
        mid = self._next_mid()
        return self.sent.add(AudioStream(self.sent, self._next_ssrc(), mid, **options))

    def camera(self, maximum=2.5e6, width=1280, height=720, fps=30, mid=None, **options):
        """Sends video in one encoding."""
        camera = self._new_camera(width, height, fps)
        mid = mid or self._next_mid()
        return self.sent.add(VideoStream(self.sent, self._next_ssrc(), mid, camera, maximum, **options))

    def simulcast(self, encodings=None, width=1280, height=720, fps=30):
        """Sends video in several layers; returns them."""
        camera, mid, layers = self._new_camera(width, height, fps), self._next_mid(), []
        for encoding in encodings or SIMULCAST:
            camera.leading_rid = camera.leading_rid or encoding.rid
            layers.append(self.sent.add(VideoStream(
                self.sent, self._next_ssrc(), mid, camera, encoding.maximum, rid=encoding.rid,
                scale=encoding.scale, minimum=encoding.minimum, adapts=False)))
        return layers

    def remote_audio(self):
        """Receives audio."""
        return self.received.add(AudioStream(self.received, self._next_ssrc(), self._next_mid()))

    def remote_video(self, maximum=2.5e6, width=1280, height=720, fps=30, mid=None, layers=None,
                     is_screen=False):
        """Receives video, from a server in one of three layers."""
        ssrc, is_forwarded = self._next_ssrc(), self.topology == 'sfu'
        stream = self.received.add(VideoStream(
            self.received, ssrc, mid or self._next_mid(), Camera(width, height, fps), maximum,
            adapts=not is_forwarded, is_screen=is_screen))
        if is_forwarded:
            stream.layers = layers or [Layer(1, maximum), Layer(2, maximum / 4), Layer(4, maximum / 12)]
            self.received.forward = forward_layers
        return stream

    def remote_participants(self, count, maximum=450e3):
        """Receives audio and video of several participants; returns the video streams."""
        videos = []
        for _ in range(count):
            self.remote_audio()
            videos.append(self.remote_video(maximum, 640, 360))
        return videos

    def select_pair(self, network, ufrag):
        """ICE selects another candidate pair, after a restart or a change of network (RFC 8445)."""
        before = self.pair
        self.pair = CandidatePair(before.name + 'n', network, ufrag, self.bytes, self.packets)
        self.pair.requests = self.pair.responses = 1
        self.pair.round_trip_time = self.pair.total_round_trip_time = before.round_trip_time
        self.pair_changes += 1

    def wrong(self, begins, ends, cause, side, direction='both', also=(), also_side=(), mids=(), lead=None,
              trail=None, recovers=None, note=None):
        """Says what is wrong, and why someone could doubt it (`note`); see `truth.Problem`."""
        lead = 2 + self.interval if lead is None else lead
        trail = 4 + self.interval if trail is None else trail
        self._problems.append(Problem(begins, ends, cause, tuple(also), side, tuple(also_side), direction,
                                      tuple(mids), lead, trail, recovers))
        if note:
            self.notes.append(note)

    def unscored(self, begins, ends):
        """Says that any answer is fair for a while."""
        self._unscored.append((begins, ends))

    def _new_camera(self, width, height, fps):
        self.camera_format = (width, height, fps)
        return Camera(width, height, fps)

    def _next_ssrc(self):
        self._ssrc += 2 * self.random.randrange(3, 9999)
        return self._ssrc

    def _next_mid(self):
        self._mids += 1
        return str(self._mids - 1)

    # What its reports show.

    @property
    def outbound(self):
        """The streams that it sends."""
        return self.sent.streams if self.sent else []

    @property
    def inbound(self):
        """The streams that it receives."""
        return self.received.streams if self.received else []

    @property
    def bytes(self):
        """Bytes sent and received, with RTCP and STUN."""
        sent, received = self._stun_bytes
        if self.sent:
            sent += self.sent.bytes_sent
            received += self.sent.rtcp_bytes
        if self.received:
            sent += self.received.rtcp_bytes
            received += self.received.bytes_received
        return sent, received

    @property
    def packets(self):
        """Packets sent and received; those of RTCP and STUN by their usual sizes."""
        sent, received = (count // 100 for count in self._stun_bytes)
        if self.sent:
            sent += self.sent.packets_sent
            received += self.sent.rtcp_bytes // 90
        if self.received:
            sent += self.received.rtcp_bytes // 90
            received += self.received.packets_received
        return sent, received

    def identifier(self, key):
        """A random UUID that is always the same for the call and the key."""
        return str(uuid.UUID(int=random.Random(f'{self.name}{key}').getrandbits(128)))

    # Its path.

    def _check_connectivity(self):
        now = self.clock.now
        self.clock.at(now + 2.5 * self.random.uniform(.95, 1.05), self._check_connectivity)
        self.pair.requests += 1
        self._stun_bytes[0] += 140
        if not self.uplink.is_down and not self.downlink.is_down:
            delay = self.uplink.delay(now) + self.downlink.delay(now)
            self.clock.at(now + delay, self._receive_response, delay)

    def _receive_response(self, delay):
        self.pair.responses += 1
        self.pair.round_trip_time = delay
        self.pair.total_round_trip_time += delay
        self._last_response = self.clock.now
        self._stun_bytes[1] += 110

    # Its run.

    def run(self):
        """Lets the call happen."""
        if self.has_intent and not self.intent:
            intents.publish(self) if self.role == 'send' else intents.subscribe(self)
        number = 1
        while number * self.interval <= self.duration:
            time = max(.2, number * self.interval + self.random.uniform(-.03, .05))
            self.clock.at(time, self._report, number)
            number += 1
        self.clock.run(self.duration + .2)

    def _report(self, number):
        now = self.clock.now
        self.last_packet = max([stream.last_arrival or 0 for stream in self.inbound] + [self._last_response])
        self.is_connected = now - max(self._last_response, self.last_packet) <= 5
        if (self.random.random() < MISSING_REPORTS and number > 2) or self.is_report_missing(now):
            return
        timestamp = self.engine.timestamp(self.begin + now * 1000)
        report = dict(time=round(timestamp + self.random.uniform(.5, 9), 1), pc='PC_0',
                      stats=Report(self, timestamp).entries)
        if self.has_intent:
            report['intent'] = self.intent(now)
            if self.remote:
                report['remote'] = self.remote(now)
        self.reports.append(report)

    def entry(self):
        """Its entry of the manifest."""
        first_report = (self.reports[0]['time'] - self.begin) / 1000
        entry = dict(
            name=self.name, set='simulated', engine=self.engine.name, topology=self.topology, role=self.role,
            interval=self.interval, hasIntent=self.has_intent, truth=sentence(self._problems, self.duration),
            expect=expectations(self._problems, self._unscored, self.role, self.duration, first_report))
        if self.notes:
            entry['note'] = '; '.join(self.notes)
        return entry


def forward_layers(rest, streams):
    """A server forwards the largest layer that fits a fair share of the estimate, with hysteresis upwards."""
    left = len(streams)
    for stream in sorted(streams, key=lambda stream: -stream.wanted_layer):
        share = rest / left
        left -= 1
        number = stream.wanted_layer
        stream.demand = stream.layers[number].bitrate
        while number < len(stream.layers) - 1:
            needed = stream.layers[number].bitrate * (1.15 if number < stream.forwarded_layer else 1)
            if needed <= share:
                break
            number += 1
        if number != stream.forwarded_layer:
            stream.forwarded_layer = number
            stream.is_key_frame_due = True
        stream.scale, stream.maximum = stream.layers[number]
        stream.target = stream.maximum
        rest -= stream.target
