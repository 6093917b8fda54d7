# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Calls of the set `tenant`: one user's access, the others, perhaps an SFU between them, and the reports of that user."""
import gc
import random

from tenant_link import Link, Sim, Transport
from tenant_receive import AudioReceiver, Forwarder, Receiver, VideoReceiver
from tenant_report import write
from tenant_send import Audio, Camera, Stream

SIMULCAST = (('q', 0.25, 150e3, 30e3), ('h', 0.5, 500e3, 150e3), ('f', 1, 1000e3, 450e3))


class Peer:
    """A peer connection as it is reported: its streams in both directions, its candidate pairs and their checks."""

    def __init__(self, call, name, out, into, pairs):
        self.call, self.name, self.out, self.into = call, name, out, into
        self.sources, self.receivers, self.mids = [], [], 0
        self.pairs, self.pair, self.zero = pairs, 0, [0, 0, 0, 0]
        self.sentChecks = self.answers = 0
        self.rtt, self.total, self.answered, self.state = None, 0.0, call.sim.now, 'connected'
        call.sim.at(call.sim.now + 0.05, self.check)
        call.sim.every(2.5, self.check)
        for k, p in enumerate(pairs[1:], 1):
            call.sim.at(p[0], self.select, k)

    def select(self, k):
        """The counters of a new pair begin at zero."""
        self.pair, self.zero = k, self.counts()
        self.sentChecks = self.answers = 0
        self.total, self.answered = 0.0, self.call.sim.now
        self.check()

    def counts(self):
        o, i = self.out, self.into
        return [o.packets if o else 0, o.bytes if o else 0, i.got if i else o.rtcp(), i.gotBytes if i else o.rtcp() * 60]

    def check(self):
        """A STUN request on the pair and its answer; the state follows from the last one."""
        now, c = self.call.sim.now, self.call
        self.sentChecks += 1
        there = c.up.send(now, 120)
        if there:
            c.sim.at(there, self.bounce, now, self.pair)
        silent = now - self.answered
        self.state = 'connected' if silent < 6 else 'disconnected' if silent < 22 else 'failed'
        if self.out and self.state != 'connected':
            self.out.writable = False

    def bounce(self, sent, pair):
        back = self.call.down.send(self.call.sim.now, 120)
        if back and back - sent < 8:
            self.call.sim.at(back, self.answer, back - sent, pair)

    def answer(self, rtt, pair):
        if pair == self.pair:
            self.answers, self.rtt, self.answered, self.state = self.answers + 1, rtt, self.call.sim.now, 'connected'
            self.total += rtt
            if self.out:
                self.out.writable = True

    def mid(self):
        self.mids += 1
        return str(self.mids - 1)


class Call:
    """Builds all of it from the arguments of a scenario and runs it. See `tenant.py` for what the arguments are."""

    def __init__(self, seed, name, engine='chrome', topology='sfu', length=120, interval=1, start=-9, up=None, down=None, send=None, remotes=(), pcs=2, pairs=(), times=None, clock=None,
                 receive=None, via='host', jitter=0.01):
        self.rng, self.engine, self.topology, self.length, self.interval = random.Random(f'tenant {seed} {name}'), engine, topology, length, interval
        self.sim, self.lines, self.elapsed, self.clock, self.via = Sim(start), [], [], clock or (lambda t: 0.0), via
        self.epoch = 1790000000000 + self.rng.randrange(10 ** 9)
        self.up, self.down = self.link(up), self.link(down)
        self.send, self.receive = send or {}, receive or {}
        pairs = [(start, 'wifi' if via == 'host' else via), *pairs]
        self.connect(topology == 'p2p' or pcs == 1, pairs, remotes)
        self.publish()
        (self.meet if topology == 'p2p' else self.subscribe)(remotes)
        self.plan(times, jitter)

    def link(self, arguments):
        return Link(self.sim, self.rng, **(arguments or {}))

    def high(self, spec):
        """Chrome does not estimate beyond what is configured; with audio alone it stays at its beginning."""
        video = spec.get('video', spec.get('screen'))
        if video is None:
            return 300e3
        return 1.2 * sum(x[2] for x in video.get('layers', [(0, 0, 1700e3)])) + 100e3

    def transport(self, fwd, back, high):
        return Transport(self.sim, self.rng, fwd, back, high, 300e3)

    def connect(self, one, pairs, remotes):
        out = self.transport(self.up, self.down, self.high(self.send)) if self.send else None
        into = None
        if remotes:
            high = self.high(remotes[0]) if self.topology == 'p2p' else 1.3 * sum(self.high(r) for r in remotes)
            into = self.transport(self.down, self.up, high)
        self.out, self.into = out, into
        if one:
            self.peers = [Peer(self, 'peer', out, into, pairs)]
            self.publisher = self.subscriber = self.peers[0]
        else:
            self.publisher = Peer(self, 'publisher', out, None, pairs) if out else None
            self.subscriber = Peer(self, 'subscriber', None, into, pairs) if into else None
            self.peers = [p for p in (self.publisher, self.subscriber) if p]

    def maker(self, spec, transport):
        """The sources of one participant."""
        made = []
        if 'audio' in spec:
            made.append(Audio(self.sim, self.rng, transport, **spec['audio']))
        for kind in ('video', 'screen'):
            if kind in spec:
                made.append(Camera(self.sim, self.rng, transport, label=kind, **spec[kind]))
        return made

    def publish(self):
        for source in self.maker(self.send, self.out) if self.out else []:
            source.mid = self.publisher.mid()
            self.publisher.sources.append(source)
            for s in [source.stream] if isinstance(source, Audio) else source.streams:
                if self.topology == 'p2p':
                    (AudioReceiver if s.kind == 'audio' else VideoReceiver)(self.sim, self.rng, s, report=self.reporting(s.kind))
                else:
                    Receiver(self.sim, self.rng, s)
                    if s.kind == 'video':  # others come and need a key frame
                        self.sim.every(lambda: self.rng.uniform(15, 60), s.plied)

    def reporting(self, kind):
        """Audio is reported every five seconds by libwebrtc when it does not send reports itself."""
        return None if kind == 'video' else lambda: self.rng.uniform(2.5, 5.0)

    def receiver(self, stream, mid, **other):
        if stream.kind == 'audio':
            r = AudioReceiver(self.sim, self.rng, stream)
        else:
            r = VideoReceiver(self.sim, self.rng, stream, **{**self.receive, **other})
        r.mid, r.track = mid, f'{{{self.rng.randrange(16 ** 8):08x}-track-{mid}}}' if self.engine == 'firefox' else f'{self.rng.randrange(16 ** 8):08x}-{mid}'
        self.subscriber.receivers.append(r)
        return r

    def meet(self, remotes):
        """Peer to peer: what the other sends comes over our `down`."""
        for r in remotes:
            for k, source in enumerate(self.maker(r, self.into)):
                mid = self.publisher.sources[k].mid if k < len(self.publisher.sources) else self.publisher.mid()
                self.receiver(source.stream if isinstance(source, Audio) else source.streams[0], mid).content = getattr(source, 'content', None)

    def subscribe(self, remotes):
        """Through an SFU: each participant has an access of its own, and the SFU forwards over our `down`."""
        self.forwarders = []
        for r in remotes:
            transport = self.transport(self.link(r.get('up')), self.link(r.get('down')), self.high(r))
            for source in self.maker({k: v for k, v in r.items() if k in ('audio', 'video', 'screen')}, transport):
                if isinstance(source, Audio):
                    self.forwardAudio(source.stream, r)
                else:
                    self.forwardVideo(source, r)
        if self.forwarders:
            self.sim.every(1.0, self.allot)

    def forwardAudio(self, stream, r):
        out = Stream(self.sim, self.rng, 'audio', self.into)
        at = Receiver(self.sim, self.rng, stream)
        stopped = r.get('audioStopped', ())
        at.media = lambda p: None if any(a <= self.sim.now < b for a, b in stopped) else out.relay(p.copy(p.seq))
        self.receiver(out, self.subscriber.mid())

    def forwardVideo(self, source, r):
        out = Stream(self.sim, self.rng, 'video', self.into)
        f = Forwarder(self.sim, self.rng, source.streams, out, r.get('limit', 9), r.get('stopped', ()), r.get('blind', False))
        f.dumb = r.get('dumb', False)
        for k, s in enumerate(source.streams):
            at = Receiver(self.sim, self.rng, s)
            at.media = lambda p, k=k: f.push(k, p)
        self.forwarders.append(f)
        self.receiver(out, self.subscriber.mid(), **r.get('decoder', {})).content = source.content

    def allot(self):
        """The SFU divides what it believes our downlink to carry, in the order of the participants."""
        left = max(0.0, self.into.target * 0.95 - 45e3 * sum(r.stream.kind == 'audio' for r in self.subscriber.receivers))
        for f in self.forwarders:
            left = f.choose(1e9 if f.dumb else left, self.sim.now)

    def plan(self, times, jitter):
        """The reports; the first one is at second 0."""
        k = 0
        while times is None and k * self.interval <= self.length or times is not None and k < len(times):
            t = times[k] if times is not None else k * self.interval + (self.rng.uniform(0, jitter) if k else 0.0)
            self.sim.at(t + 1e-4, self.line, t)
            k += 1

    def line(self, t):
        for peer in self.peers:
            at = self.epoch + (t + self.clock(t)) * 1000
            self.lines.append(dict(time=round(at), pc=peer.name, stats=write(self, peer, at, t)))
            self.elapsed.append(round(t, 3))

    def run(self):
        gc.disable()  # nothing to find while it runs, only time to lose
        self.sim.run(self.length + 0.5)
        self.sim.heap.clear()
        gc.enable()
        return self
