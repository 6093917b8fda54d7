# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A call of `visitor.py`: its tracks over a path in both directions, connectivity checks, and RTCP."""
import random
from stranger_call import NATIVE
from stranger_network import at
from visitor_network import Direction, Network, Sim
from visitor_receivers import FarVideo, ReceivedAudio, ReceivedVideo, Receiver
from visitor_report import report
from visitor_senders import ForwardedVideo, SentAudio, SentVideo, Speech, router


class Call:
    """One peer connection, and what is true of it."""

    def __init__(self, seed, name, title, engine='Chrome', topology='sfu', interval=1, length=120, up=None, down=None, sends='av', receives=1, simulcast=None,
                 audio_only=False, sent_audio=None, sent_video=None, screen=None, remote_video=None, remote_audio=None, received_video=None,
                 received_audio=None, congestion=None, router_congestion=None, intent=None, codec=None, relay=None):
        self.name, self.title, self.engine, self.topology, self.interval = name, title, engine, topology, interval
        self.length, self.seed = length, seed
        self.draw = random.Random(f'held2/{seed}/{name}')  # the author's key: seed 1 gives the calls as they were handed over
        self.sim = Sim()
        r = self.draw
        self.spans = []
        self.lines = []
        self.hooks = []
        self.intent = intent
        self.relay = relay
        self.firefox, self.safari, self.native, self.chrome = engine == 'Firefox', engine == 'Safari', engine == NATIVE, engine == 'Chrome'
        self.codec = codec or ('H264' if self.safari or self.native else 'VP8')
        owd = r.uniform(.007, .024)
        mk = lambda o: Network(self.sim, r, **{**dict(owd=owd, jitter=r.uniform(.0006, .0018), rate=r.choice((20e6, 40e6)), longest_queue=.2), **(o or {})})
        self.up_path, self.down_path = mk(up), mk(down)
        b = self.base = r.randrange(10**8, 2 * 10**9)
        if audio_only:
            sends = 'a' if 'a' in sends else ''
        nv = 1 if topology == 'p2p' else max(1, receives)
        self.up = Direction(self, self.up_path, self.down_path, {**dict(top=5e6), **(congestion or {})})
        p2p = topology == 'p2p'
        far = dict(top=4e6 if p2p else 3.2e6 * nv, start=300e3 if p2p else 1e6, probes=(900e3, 1800e3) if p2p else (2e6, 4e6))
        self.down = Direction(self, self.down_path, self.up_path, {**far, **(router_congestion or {})})
        self.tx = []
        self.rx = []
        self.reports = {}
        self.gone = set()
        if 'a' in sends:
            a = SentAudio(self.up, **sent_audio or {})
            a.ssrc = b + 1
            a.rx = Receiver(self.up, a, 48000, False)
            self.tx.append(a)
        if 'v' in sends:
            s_ = simulcast if simulcast is not None else topology == 'sfu' and self.chrome
            v = SentVideo(self.up, b + 10, **{**dict(mode='sim' if s_ else 'single'), **(sent_video or {})})
            self.tx.append(v)
        if screen:
            self.tx.append(SentVideo(self.up, b + 30, screen=True, **{**dict(size=(1920, 1080), fps=15, most=1.5e6), **screen}))
        for v in self.tx:
            if isinstance(v, SentVideo):
                for l in v.layers:
                    l.rx = FarVideo(self.up, v.stream(l))
        for k in range(receives):
            o = dict(remote_audio(k) if callable(remote_audio) else remote_audio or {})
            no = o.pop('none', False)
            if not no:
                a = SentAudio(self.down, talk=Speech(r, .5 / receives + .08), **o)
                x = ReceivedAudio(self.down, a, **received_audio(k) if callable(received_audio) else received_audio or {})
                a.rx = x
                x.ssrc = b + 1000 + 20 * k
                x.publisher = k
                x.kind = 'audio'
                self.rx.append(x)
            if audio_only:
                continue
            o = dict(remote_video(k) if callable(remote_video) else remote_video or {})
            q = received_video(k) if callable(received_video) else received_video or {}
            if topology == 'p2p':
                v = SentVideo(self.down, 7000 + k, **o)
                x = ReceivedVideo(self.down, v.stream(v.layers[0]), **q)
                v.layers[0].rx = x
                x.source = v.layers[0]
            else:
                v = ForwardedVideo(self.down, **o)
                x = ReceivedVideo(self.down, v, **q)
                v.rx = x
                x.source = v
            x.video_source = v
            x.ssrc = b + 1010 + 20 * k
            x.publisher = k
            x.kind = 'video'
            x.screen = getattr(v, 'screen', False)
            self.rx.append(x)
        if topology == 'sfu':
            router(self, self.down)
        mid = 0
        for x in self.tx + self.rx:
            x.mid = str(mid)
            mid += 1
        self.pair = 0
        self.pair_changes = 1
        self.rtt = self.total_rtt = at(self.up_path.owd, 0) + at(self.down_path.owd, 0)
        self.responses = 1
        self.before_bytes_sent = self.before_bytes_received = self.before_packets_sent = self.before_packets_received = 0
        self.last_response = 0.0
        self.ice = 'connected'
        self.schedule = None
        self.playout = None
        self.played = dict(syn=0.0, ev=0, d=0.0, n=0.0)
        self.hash = {}
        self.sim.schedule(1.0, self.ping)
        self.sim.schedule(.1, self.watch)
        for x in self.rx:
            x.last_report = None
            self.sim.schedule(r.uniform(.4, 1.2), self.sender_report, x)
        for l in self.streams():
            self.reports[l] = dict(n=0, tot=0.0, ts=None)
            l.reported = 0, 0
            self.sim.schedule(r.uniform(.8, 2.5), self.receiver_report, l)

    def streams(self):
        return [l for v in self.tx for l in ([v] if isinstance(v, SentAudio) else v.layers)]

    def span(self, roles, begin, end, cause, side='none', ok=(), sides=(), settle=None, track=None, note='', most=None):
        """What is true of a while: who shows it, the cause and its side, what else is right, the seconds until it can be known, and the worst severity."""
        self.spans.append(
            dict(begin=begin, end=end, roles=roles, cause=cause, side=side, ok=list(ok), sides=list(sides), track=track, note=note, most=most,
                 settle=max(4, 2 * self.interval) if settle is None else settle))
        return self

    def calm(self, begin, end, ok=(), settle=None, note='', most=None):
        """A while in which nothing is wrong, and more may be said without a mistake."""
        return self.span((), begin, end, 'none', ok=ok, settle=settle, note=note, most=most)

    def trouble(self, roles, begin, end, cause, side='local', ok=(), sides=None, settle=None, track=None, note='', tail=0, tok=()):
        """Peer to peer no one can tell own from remote network: unclear is the strict side, the true one is accepted. `tail`: seconds in which it climbs
        back; `tok`: what else is right in them."""
        if self.topology == 'p2p' and side in ('local', 'remote') and cause in ('bandwidth', 'packetLoss', 'latency', 'jitter'):
            side, sides = 'bothOrUnclear', sides or (side,)
        self.span(roles, begin, end, cause, side, ok, ('bothOrUnclear',) if sides is None else sides, settle, track, note)
        if tail and end < self.length:
            self.calm(end, min(self.length, end + tail), ok=('recovering', cause, *tok), note='climbs back')
        return self

    def ping(self):
        t = self.sim.now
        self.sim.schedule(t + self.draw.uniform(2.2, 2.7), self.ping)
        d = self.up_path.peek()
        if d is None:
            return

        def back():
            e = self.down_path.peek()
            if e is not None:
                self.sim.schedule(self.sim.now + e, done)

        def done():
            x = self.sim.now - t + .0005
            self.responses += 1
            self.rtt = x
            self.total_rtt += x
            self.last_response = self.sim.now
            self.up.congestion.round_trip = self.down.congestion.round_trip = x

        self.sim.schedule(t + d, back)

    def watch(self):
        t = self.sim.now
        self.sim.schedule(t + .1, self.watch)
        quiet = t - max(self.last_response, self.down.last_received, .1)
        self.ice = 'failed' if quiet > 17 else 'disconnected' if quiet > 5.5 else 'connected'
        for h in self.hooks:
            if t - .1 < h[0] <= t:
                h[1](self)
        if self.playout:
            self.playout(self, t)

    def receiver_report(self, l):
        t = self.sim.now
        self.sim.schedule(t + (5.0 if l.rid is None and isinstance(l, SentAudio) else 1.0) * self.draw.uniform(.75, 1.25), self.receiver_report, l)
        x = l.rx
        if x.received == 0:
            return
        exp = x.highest - x.first + 1
        lost = x.lost_count()
        pe, pl = l.reported
        d = self.down_path.peek()
        if exp == pe or d is None:
            return
        fr = max(0, lost - pl) / max(1, exp - pe)
        l.reported = exp, lost
        u = self.up_path.peek()
        if u is None:
            return

        def come():
            q = self.reports.setdefault(l, dict(n=0, tot=0.0, ts=None))
            q.update(n=q['n'] + 1, lost=lost, j=x.jitter_seen, fr=fr, rtt=u + d + .001, ts=self.sim.now, recv=x.received)
            q['tot'] += q['rtt']

        self.up.control(d, 60)
        self.sim.schedule(t + d, come)

    no_sender_reports = False

    def sender_report(self, x):
        t = self.sim.now
        self.sim.schedule(t + (5.0 if x.kind == 'audio' else 1.0) * self.draw.uniform(.8, 1.2), self.sender_report, x)
        s = x.tx if x.kind == 'audio' else x.source
        if not s.packets or at(self.no_sender_reports, t) or (not isinstance(s, ForwardedVideo) and (not at(
            (s if x.kind == 'audio' else x.video_source).active, t))):
            return
        p, b = s.packets, s.bytes
        d = self.down_path.peek()
        if d is not None:
            self.up.control(d, 80)
            self.sim.schedule(t + d, lambda: setattr(x, 'last_report', (self.sim.now, p, b, x.last_report[3] + 1 if x.last_report else 1, t)))

    def run(self):
        t = self.interval * self.draw.uniform(.4, 1.0)
        ts = []
        if self.schedule:
            ts = self.schedule(self.draw, self.length)
        else:
            while t < self.length:
                ts.append((t, None))
                t += self.interval * (1 + self.draw.uniform(-.01, .012))
        for t, how in ts:
            self.sim.schedule(t, self.report, how)
        self.sim.run(self.length)
        return self

    def id(self, s):
        if not self.firefox:
            return s
        return self.hash.setdefault(s, '%08x' % self.draw.randrange(2**32))

    def report(self, how=None):
        report(self, how)


def new_path(call):
    """Another pair of candidates: its counters begin at zero."""
    call.pair += 1
    call.pair_changes += 1
    call.responses = 1
    call.total_rtt = call.rtt
    call.before_bytes_sent, call.before_bytes_received = call.up.bytes_sent, call.down.bytes_received
    call.before_packets_sent, call.before_packets_received = call.up.packets_sent, call.down.packets_received


def reroute(call):
    """A new network: the address pair changes and the estimates start anew."""
    new_path(call)
    for l in (call.up, call.down):
        g = l.congestion
        g.estimate = g.target = 300e3 if l is call.up or call.topology == 'p2p' else 1e6
        g.link = None
        g.window.clear()
        g.group = g.last_group = None
        g.smoothed = g.accumulated = 0.0
        g.groups = 0
        g.decreased = -9.0
        for i, p in enumerate(g.probes):
            call.sim.schedule(call.sim.now + .15 + .08 * i, g.probe, p, True)


def new_streams(call):
    """All streams with other SSRCs, counters from zero."""
    for l in call.streams():
        l.ssrc += 4001
        call.reports[l] = dict(n=0, tot=0.0, ts=None)
        l.reported = 0, 0
        l.rx.reset()
        if isinstance(l, SentAudio):
            l.packets = l.bytes = 0
            l.pacing = 0.0
        else:
            l.zero()
            l.needs_key = True
    for x in call.rx:
        fresh(x)


def fresh(x):
    """A received stream with another SSRC, counters from zero."""
    x.ssrc += 6003
    x.reset()
    x.zero()
    x.last_report = None
    if x.kind == 'audio':
        x.energy = x.duration = 0.0
        x.tx.packets = x.tx.bytes = 0
        x.next = None
        x.queue.clear()
        x.expanded = 0
    else:
        x.source.packets = x.source.bytes = 0
        x.next = None
        x.parts.clear()
        x.ready.clear()
        x.gaps.clear()
        x.last_frame = None
        if isinstance(x.source, ForwardedVideo):
            x.source.key_at = x.sim.now
        else:
            x.source.needs_key = True
