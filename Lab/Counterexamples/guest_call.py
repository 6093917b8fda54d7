# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A call of `guest.py`: between two peers, of a publisher to a router, or of a subscriber of several publishers; and what is true of it."""
import random
from guest_media import Camera, Layer, Microphone, Stream, Voice
from guest_network import Link, Simulation
from guest_receivers import Received, ReceivedAudio, ReceivedVideo, Receiver
from guest_report import Connection
from guest_router import Allocation, ForwardedAudio, ForwardedVideo
from guest_transport import Transport

SIMULCAST = ((4, 50e3, 150e3, 'q'), (2, 150e3, 500e3, 'h'), (1, 500e3, 1.6e6, 'f'))  # divisor, least, most, rid
FORWARDED_RATES = {3: [150e3, 500e3, 1.4e6], 2: [150e3, 500e3], 1: [900e3]}
SIMULCAST_RATE = 2.25e6
SINGLE_RATE = 1.8e6
NEVER = 1e9


class Publisher:
    """A remote participant of a call over a router: links, what it sends, and what the router makes of it."""


class Call:
    """One peer connection, and what is true of it."""

    def __init__(self, name, seed, length, interval, engine, topology):
        self.name, self.length, self.interval, self.engine, self.topology = name, length, interval, engine, topology
        self.simulation = Simulation(seed)
        self.random = random.Random(seed * 7 + 1)
        self.start = 1_795_200_000_000 + self.random.randrange(10 ** 9)
        self.ssrc = self.random.randrange(10 ** 8, 4 * 10 ** 9)
        self.truth = ''
        self.expect = []
        self.intent = None
        self.skipped = set()  # the numbers of reports that are missing
        self.late = {}  # and the seconds by which others are late
        self.connection = None
        self.publishers = []

    # Parts

    def next_ssrc(self):
        self.ssrc += 1013
        return self.ssrc % 4_294_000_000

    def track(self):
        """An identifier of a track: a random UUID."""
        bits = self.random.getrandbits
        return '%08x-%04x-4%03x-%04x-%012x' % (bits(32), bits(16), bits(12), bits(16), bits(48))

    def link(self, **options):
        propagation = self.random.uniform(.008, .018)
        loss = self.random.uniform(0, .0012)
        jitter = self.random.uniform(.0006, .002)
        return Link(self.simulation, propagation=propagation, loss=loss, jitter=jitter, **options)

    def add_microphone(self, transport, mid, voice=None, dtx=False):
        stream = Stream('audio', self.next_ssrc(), mid)
        microphone = Microphone(self.simulation, transport, stream, voice or Voice(self.simulation), dtx)
        microphone.source = mid + '1'
        microphone.track = self.track()
        return microphone

    def add_camera(self, transport, mid, layers, **options):
        """Layers are (divisor, least, most, rid)."""
        streams = [Layer(Stream('video', self.next_ssrc(), mid, rid), divisor, least, most) for divisor, least, most, rid in layers]
        camera = Camera(self.simulation, transport, streams, **options)
        camera.source = mid + '2'
        camera.track = self.track()
        return camera

    def received(self, kind, source, receiver=None):
        stream = kind(self.simulation, receiver, source)
        stream.track = self.track()
        return stream

    def connect(self, names, microphones=(), cameras=(), video_codec='video/VP8'):
        """The peer connection of which there are reports; its decoders are as slow as it says."""
        self.connection = Connection(self.simulation, self.random.choice(names), self.engine, self.transport, self.receiver, list(microphones), list(cameras),
                                     self.start, video_codec)
        for stream in self.receiver.streams:
            stream.connection = self.connection

    # Calls

    def peer_to_peer(self, video=True, dtx=False):
        simulation = self.simulation
        self.uplink, self.downlink, self.far_uplink, self.far_downlink = (self.link() for _ in range(4))
        there, back = [self.uplink, self.far_downlink], [self.far_uplink, self.downlink]
        rate = SINGLE_RATE if video else 60e3
        self.transport = Transport(simulation, there, back, highest=4e6, needed=lambda: rate)
        far_transport = Transport(simulation, back, there, highest=4e6, needed=lambda: rate)
        single = ((1, 30e3, SINGLE_RATE, None),)
        self.microphone = self.add_microphone(self.transport, '0', dtx=dtx)
        self.far_microphone = self.add_microphone(far_transport, '0', dtx=dtx)
        cameras = [self.add_camera(transport, '1', single) for transport in (self.transport, far_transport)] if video else []
        self.received_audio = self.received(ReceivedAudio, self.far_microphone.stream)
        received = [self.received_audio]
        far_received = [ReceivedAudio(simulation, None, self.microphone.stream)]
        if video:
            self.camera, far_camera = cameras
            received.append(self.received(ReceivedVideo, far_camera.layers[0].stream))
            far_received.append(ReceivedVideo(simulation, None, self.camera.layers[0].stream))
        self.receiver = Receiver(simulation, far_transport, received, there)
        Receiver(simulation, self.transport, far_received, back)
        self.connect(['pc1', 'call', 'PC_0', 'p'], [self.microphone], cameras[:1])

    def publish(self, simulcast=True, screen=False, video=True, svc=None, rate=None, voice=None, video_codec='video/VP8'):
        """Audio, and a camera or a screen or both, to a router."""
        simulation = self.simulation
        self.uplink, self.downlink = self.link(), self.link()
        needed = ((rate or (SIMULCAST_RATE if simulcast else SINGLE_RATE)) if video else 60e3) + (8e5 if screen else 0)
        self.transport = Transport(simulation, [self.uplink], [self.downlink], highest=5e6, needed=lambda: needed)
        self.microphone = self.add_microphone(self.transport, '0', voice)
        cameras = []
        if video:
            layers = SIMULCAST if simulcast and not svc else ((1, 30e3, rate or SINGLE_RATE, None),)
            self.camera = self.add_camera(self.transport, '1', layers, svc=svc, share=.6 if screen else 1)
            cameras.append(self.camera)
        if screen:
            self.screen = self.add_camera(self.transport, '2' if video else '1', ((1, 30e3, 1.2e6, None),), width=1920, height=1080, frame_rate=15,
                                          complexity=.35, is_screen=True, share=.5)
            self.screen.still = .9
            cameras.append(self.screen)
        far_transport = self.silent_transport([self.downlink], [self.uplink])
        far_received = [Received(simulation, None, self.microphone.stream)]
        far_received += [Received(simulation, None, layer.stream) for camera in cameras for layer in camera.layers]
        Receiver(simulation, self.transport, far_received, [self.downlink])
        for stream in far_received:
            stream.forward = lambda packet, now: None
        self.receiver = Receiver(simulation, far_transport, [], [self.uplink])
        self.connect(['publisher', 'PC_pub', 'send', 'pub-1'], [self.microphone], cameras, video_codec)
        for second in (1.5, 2.6, 8.0):
            self.at(second, self.viewers_ask_keys, far_received)

    def silent_transport(self, path, return_path, **options):
        """A transport that has nothing to send and so does not probe."""
        transport = Transport(self.simulation, path, return_path, **options)
        transport.probes_left = -9
        transport.next_probe = NEVER
        return transport

    def viewers_ask_keys(self, streams):
        """As viewers do when they come."""
        for stream in streams:
            if stream.is_video and stream.newest is not None:
                stream.pli(self.simulation.now)

    def subscribe(self, count=4, videos=None, layers=3, adapts=True, dtx=False, talk=None, rate=1.2e6):
        """Receives what `count` publishers send to a router, some without video; `talk` has the share of time that each speaks."""
        simulation = self.simulation
        self.uplink, self.downlink = self.link(), self.link()
        self.router = Transport(simulation, [self.downlink], [self.uplink], start=1e6, highest=9e6, needed=lambda: self.allocation.needed())
        self.router.congestion.lowest = 120e3
        self.receiver = Receiver(simulation, self.router, [], [self.uplink], audio_interval=2.5, sender_reports='all')
        talk = talk or [.7] + [.35] * count
        received = []
        for index in range(count):
            publisher = self.add_publisher(talk[index], dtx, layers if videos is None or index < videos else 0, rate)
            self.forward(publisher, received)
            self.publishers.append(publisher)
        for stream in received:
            self.receiver.add(stream)
        forwarded = [publisher.forwarded_video for publisher in self.publishers if publisher.camera]
        self.allocation = Allocation(simulation, self.router, forwarded, FORWARDED_RATES[layers], count, adapts)
        self.transport = self.silent_transport([self.uplink], [self.downlink], start=3e5)
        Receiver(simulation, self.transport, [], [self.downlink])
        self.transport.congestion.highest = 3e5
        self.connect(['subscriber', 'PC_sub', 'recv', 'sub-7'])

    def add_publisher(self, talk, dtx, layers, rate):
        """What a publisher sends, as far as the router."""
        simulation = self.simulation
        publisher = Publisher()
        publisher.uplink, publisher.downlink = self.link(capacity=20e6), self.link()
        publisher.transport = Transport(simulation, [publisher.uplink], [publisher.downlink], start=2e6, highest=4e6, needed=lambda: 1.2e6)
        publisher.transport.probes_left = 0
        publisher.voice = Voice(simulation, talk=talk)
        publisher.microphone = self.add_microphone(publisher.transport, 'x', publisher.voice, dtx)
        publisher.at_router = [Received(simulation, None, publisher.microphone.stream)]
        publisher.camera = None
        if layers:
            publisher.camera = self.add_camera(publisher.transport, 'x', SIMULCAST[:layers] if layers > 1 else ((1, 30e3, rate, None),), complexity=.9)
            if layers == 2:
                publisher.camera.layers = [layer._replace(divisor=layer.divisor / 2) for layer in publisher.camera.layers]
            publisher.at_router += [Received(simulation, None, layer.stream) for layer in publisher.camera.layers]
        Receiver(simulation, publisher.transport, publisher.at_router, [publisher.downlink], sender_reports='none')
        return publisher

    def forward(self, publisher, received):
        """What the router sends of a publisher, and how it is received; a `mid` is its number."""
        audio, *layers = publisher.at_router
        publisher.audio_stream = Stream('audio', self.next_ssrc(), str(len(received)))
        publisher.forwarded_audio = ForwardedAudio(self.router, publisher.audio_stream, audio)
        received.append(self.received(ReceivedAudio, publisher.audio_stream, self.receiver))
        if publisher.camera:
            publisher.video_stream = Stream('video', self.next_ssrc(), str(len(received)))
            publisher.forwarded_video = ForwardedVideo(self.simulation, self.router, publisher.video_stream, publisher.camera, layers)
            publisher.received_video = self.received(ReceivedVideo, publisher.video_stream, self.receiver)
            received.append(publisher.received_video)

    # Events

    def at(self, second, function, *arguments):
        self.simulation.at(second, function, *arguments)

    def change(self, second, things, **values):
        """Sets attributes of a thing, or of several."""
        def change():
            for thing in things if isinstance(things, (list, tuple)) else [things]:
                for name, value in values.items():
                    setattr(thing, name, value)
        self.at(second, change)

    def stall(self, links, begin, end, pause, shortest, longest):
        """Links that stand still again and again, with pauses between two times."""
        second = begin + self.random.uniform(.2, .8)
        while second < end:
            length = self.random.uniform(shortest, longest)
            self.change(second, links, stalled_until=second + length)
            second += length + self.random.uniform(*pause)

    def slow_encoder(self, begin, end, factor):
        self.change(begin, self.camera, cpu_factor=factor)
        self.change(end, self.camera, cpu_factor=1.0)

    # Truth

    def expects(self, begin, end, role, causes, side=None, track=None, at_least=None, tail=None):
        """Something that has to be said, by any of the causes; for `tail` seconds behind it, it may be said."""
        causes = causes if isinstance(causes, list) else [causes]
        if tail is None:
            tail = 10 if self.interval <= 2 else 2 * self.interval + 5
        expectation = {'from': begin, 'to': min(end, self.length), 'role': role, 'cause': causes}
        if side:
            expectation['side'] = [side]
        if track:
            expectation['track'] = track
        if at_least:
            expectation['atLeast'] = at_least
        self.expect.append(expectation)
        if tail and end < self.length - 1:
            self.allows(end, end + tail, role, ['none', 'recovering'] + causes)

    def allows(self, begin, end, role, causes):
        """What may be said."""
        self.expect.append({'from': begin, 'to': min(end, self.length), 'role': role, 'cause': causes})

    def run(self):
        """The manifest's entry of the call, and its lines."""
        lines = []
        first = None
        second = 1.0 if self.interval < 2 else float(self.interval)
        number = 0
        while second <= self.length + 1e-6:
            late = self.random.uniform(-.004, .012) + self.late.get(number, 0)
            self.simulation.run(round(second + late, 2))
            if number not in self.skipped:
                now = self.simulation.now
                first = now if first is None else first
                lines.append(self.line(now))
            second += self.interval
            number += 1
        length = lines[-1]['time'] / 1000 - lines[0]['time'] / 1000
        return dict(name=self.name, set='guest', engine=self.engine, topology=self.topology, interval=self.interval, hasIntent=bool(self.intent),
                    truth=self.truth, expect=self.expected(first, length)), lines

    def line(self, now):
        time = int(self.start + now * 1000 + self.random.uniform(0, 6))
        line = dict(time=time, pc=self.connection.name, stats=self.connection.report(now))
        if self.intent:
            line['intent'] = self.intent(now)
        return line

    def expected(self, first, length):
        """The expectations in seconds since the first report, as far as there are reports."""
        expect = []
        for expectation in self.expect:
            begin = round(max(0, expectation['from'] - first), 1)
            end = round(min(round(max(0, expectation['to'] - first), 1), length), 1)
            if end > begin:
                expect.append({**expectation, 'from': begin, 'to': end})
        return expect

    # Intents

    def publisher_intent(self, layers=None, is_muted=lambda now: False, has_camera=lambda now: True, rate=SINGLE_RATE, video=True):
        layers = layers or [dict(enabled=True, maximumBitrate=int(rate), maximumFrameRate=30, size=dict(width=1280, height=720))]
        routing = 'routed' if self.topology == 'sfu' else 'relayed'
        self.intent = lambda now: dict(
            role='publisher', routing=routing, audio=dict(enabled=True, muted=is_muted(now), discontinuous=False, maximumBitrate=32000),
            video=dict(enabled=video, cameraOn=has_camera(now), videoType='camera', preferredFrameRate=30, retransmission='ownSSRC', layers=layers))

    def simulcast_intent(self, **options):
        """With the layers of simulcast."""
        layers = [dict(rid=rid, enabled=True, maximumBitrate=int(most), maximumFrameRate=30, size=dict(width=1280 // divisor, height=720 // divisor))
                  for divisor, _, most, rid in SIMULCAST]
        self.publisher_intent(layers, **options)

    def subscriber_intent(self, rate, width=1280, height=720):
        wanted = dict(enabled=True, maximumBitrate=int(rate), size=dict(width=width, height=height))
        self.intent = lambda now: dict(role='subscriber', routing='routed', audio=dict(enabled=True, muted=False, maximumBitrate=32000),
                                       video=dict(enabled=True, cameraOn=True, videoType='camera', retransmission='ownSSRC', wantedLayer=wanted))
