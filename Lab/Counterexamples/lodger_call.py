# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A call of the set lodger: links, both directions, ICE, participants that come and go, and the times of the reports."""
import random

from lodger_gcc import Estimator
from lodger_link import Link, Path
from lodger_media import Audio, Stream, Video
from lodger_report import Reporter
from lodger_send import End, Sender

STEP = 0.01
LEVELS = [(320, 180, 15, 110e3), (640, 360, 25, 420e3), (1280, 720, 30, 1300e3)]


class Ice:
    """Checks of the selected pair, and the state that follows from their answers."""

    def __init__(self, rng, now):
        """A pair that works from now on."""
        self.rng, self.local, self.remote = rng, *(''.join(rng.choice('abcdefghijkLMNOPQRST0123456789') for _ in range(8)) for _ in range(2))
        self.sent = self.answered = self.received = 0
        self.trip, self.total, self.next, self.heard, self.state = None, 0.0, now, now, 'connected'
        self.base = (0, 0, 0, 0)
        self.port, self.remotePort = rng.randrange(40000, 65000), rng.randrange(10000, 60000)

    def tick(self, now, up, down, later):
        """Sends a check that is due."""
        silent = now - self.heard
        self.state = 'connected' if silent < 6.5 else 'disconnected' if silent < 16.5 else 'failed'
        if now < self.next or self.state == 'failed':
            return
        self.next = now + (2.5 if silent < 3 else 0.9) * self.rng.uniform(0.97, 1.03)
        self.sent += 1
        there = up.quiet(120, now)
        self.received += there is not None
        back = None if there is None else down.quiet(120, there)
        later(back, self._answer, now)

    def _answer(self, asked, now):
        """An answer has come."""
        self.answered += 1
        self.trip, self.heard = now - asked, now
        self.total += self.trip


class Call:
    """One call and its recording."""

    def __init__(self, name, seed, engine='chrome', topology='sfu', others=1, interval=1, length=90, warm=8.0, video=True, listen=True, wanted=None,
                 dtx=None, start=300e3, camera=None, theirs=None, follows=True, red=False, fec=True, talk=None, relay=None):
        """`camera` and `theirs` are settings of videos; `wanted` the router's layer for the others, `relay` the protocol to a TURN server."""
        self.now, self.name, self.engine, self.topology, self.interval, self.length, self.warm = 0.0, name, engine, topology, interval, length, warm
        self.rng = rng = random.Random(f'lodger {name} {seed}')
        self.up, self.down = (Link(random.Random(rng.random()), delay=rng.uniform(0.008, 0.02), jitter=rng.uniform(0.0005, 0.0025)) for _ in range(2))
        self.farUp, self.farDown = (Link(random.Random(rng.random()), delay=rng.uniform(0.006, 0.016), jitter=rng.uniform(0.0003, 0.001)) for _ in range(2))
        direct = topology == 'p2p'
        self.direct, self.relay, self.red = direct, relay, red
        self.forth = Path(self.up, self.farDown) if direct else Path(self.up)
        self.back = Path(self.farUp, self.down) if direct else Path(self.down)
        self.sender = Sender(rng, self.forth, self.back, start)
        self.other = Sender(rng, self.back, self.forth, start if direct else 1.5e6, 4e6 if direct else 8e6, follows=follows or direct, relay=not direct)
        self.far, self.near = End(self.sender, self.back, False), End(self.other, self.forth, True, fec)
        self.mic = Audio(rng, '0', dtx=bool(dtx), red=red, talk=0.45 if talk is None else talk)
        self.cam = Video(rng, '1', **(camera or {})) if video else None
        self.sender.tracks = [self.mic] + ([self.cam] if self.cam else [])
        self.mids, self.gone, self.actions, self.serial = 2, set(), [], 0
        self.parts = []
        for k in range(others if listen else 0):
            self.join(video=video, wanted=(0 if others > 2 and k else 1 if others > 1 else 2) if wanted is None else wanted, dtx=(not direct) if dtx is None else dtx, settings=theirs)
        self.ice, self.changes = Ice(rng, 0.0), 1
        self.network, self.skips, self.shifts, self.sleeps = 'wifi', [], [], []
        self.reporter = Reporter(self)
        self.expect, self.extra, self.truth = [], {}, ''

    def join(self, video=True, wanted=1, dtx=True, settings=None, talk=0.3):
        """Adds a participant."""
        rng = self.rng
        if self.direct:
            audio, picture = '0', '1'
        else:
            audio, picture = str(self.mids), str(self.mids + 1)
            self.mids += 2
        part = [Audio(rng, audio, dtx=dtx, talk=talk if not self.direct else 0.45, red=self.red)]
        if video:
            settings = dict(settings or {})
            levels = settings.pop('levels', LEVELS)
            track = Video(rng, picture, **(settings if self.direct else {'most': levels[0][3], **settings}))
            track.levels, track.level, track.wanted, track.limit = levels, -1, wanted, None
            part.append(track)
        self.parts.append(part)
        self.other.tracks += part
        for track in part:
            self.near.expect(track.streams[0], self.now)
        return part

    def renew(self, tracks):
        """Renegotiates tracks: other streams with other ids, whose counters begin at zero."""
        for track in tracks:
            for k, old in enumerate(track.streams):
                new = Stream(self.rng, old.kind, old.mid, old.rid, old.scale, old.most, old.least)
                new.target, track.streams[k] = old.target, new
                self.gone.add(old)
                if track is not self.mic and track is not self.cam:
                    self.near.expect(new, self.now)

    def leave(self, part):
        """Ends a participant's streams."""
        for track in part:
            self.other.tracks.remove(track)
            self.gone |= set(track.streams)

    def at(self, time, action):
        """Does something at a second since the first report."""
        self.actions.append((time + self.warm, len(self.actions), action))
        return self

    def during(self, link, begin, end, **settings):
        """Gives a link settings for a while."""
        old = {name: getattr(link, name) for name in settings}
        link.at(begin + self.warm, **settings)
        if end is not None:
            link.at(end + self.warm, **old)
        return self

    def outage(self, begin, end):
        """Nothing passes in either direction of the own access."""
        return self.during(self.up, begin, end, down=True).during(self.down, begin, end, down=True)

    def repair(self, time, network=None, keep=0.0):
        """An ICE restart or a move to another access: another pair, and congestion control that begins again."""
        def move():
            self.ice, self.changes = Ice(self.rng, self.now), self.changes + 1
            self.ice.base = (self.sender.bytes, self.near.bytes, self.sender.packets, self.near.packets)
            self.network = network or self.network
            for sender in (self.sender, self.other):
                if keep:
                    sender.gcc.points.clear()
                    sender.gcc.group, sender.gcc.before, sender.gcc.known, sender.gcc.sum, sender.gcc.smooth = None, None, None, 0.0, 0.0
                else:
                    sender.gcc = Estimator(300e3 if sender is self.sender else 800e3, sender.gcc.ceiling)
                    sender.gcc.probes.clear()
                    sender.gcc.probes.extend([(self.now + 0.3, 900e3), (self.now + 0.4, 1.8e6)])
                sender.flight.clear()
        return self.at(time, move)

    def expects(self, begin, end, role, cause, **more):
        """Notes what is true in an interval."""
        cause = list(dict.fromkeys(cause.split()))
        self.expect.append({'from': round(max(0, begin), 1), 'to': round(min(end, self.length), 1), 'role': role, 'cause': cause, **more})
        return self

    def run(self):
        """The recording's lines."""
        self.actions.sort(key=lambda a: a[:2])
        lines, self.now, due = [], 0.0, self.warm
        end, rng = self.warm + self.length, self.rng
        links, elapsed = (self.up, self.down, self.farUp, self.farDown), []
        climbs = [t.uplink for t in self.other.tracks if t.uplink]
        steps = 0
        while self.now < end + 0.001:
            now = self.now
            for link in links:
                link.tick(now, STEP)
            for link in climbs:
                link.tick(now, STEP)
            while self.actions and self.actions[0][0] <= now:
                self.actions.pop(0)[2]()
                climbs = [t.uplink for t in self.other.tracks if t.uplink]
            asleep = any(a <= now - self.warm < b for a, b in self.sleeps)
            self.sender.paused = asleep
            self.sender.cut = self.ice.state == 'failed'
            self.near.deaf = asleep or self.sender.cut
            self.sender.tick(now, STEP)
            self.other.tick(now, STEP)
            self.far.tick(now)
            self.near.tick(now)
            self.ice.tick(now, self.forth, self.back, self.far.later)
            if now >= due - 1e-9:
                t = now - self.warm
                if not asleep and not any(a <= t < b for a, b in self.skips):
                    shift = sum(s for at, s in self.shifts if t >= at)
                    lines.append(self.reporter.line(now, t, shift))
                    elapsed.append(round(lines[-1].pop('true'), 3))
                due += self.interval
            steps += 1
            self.now = steps * STEP
        if self.shifts or self.sleeps:
            first = elapsed[0]
            self.extra['elapsed'] = [round(e - first, 3) for e in elapsed]
        entry = dict(name=f'lodger-{self.name}', set='lodger', engine=self.engine, topology=self.topology, interval=self.interval, hasIntent=False, truth=self.truth, expect=self.expect, **self.extra)
        return entry, lines
