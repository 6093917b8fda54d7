# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What sends in the calls of `visitor.py`: microphones, cameras with their encoders, and a selective forwarder."""
import math
from collections import deque
from stranger_network import at


class Speech:
    """The level of a microphone: talk and pauses."""

    def __init__(self, r, share=.45, level=.05, floor=.0008):
        self.draw, self.share, self.level, self.floor, self.on, self.until = r, share, level, floor, False, 0.0

    def step(self, t):
        if t >= self.until:
            self.on = self.draw.random() < self.share
            self.until = t + self.draw.uniform(.5, 3.5)
        return self.level * math.exp(self.draw.gauss(0, .5)) if self.on else self.floor * math.exp(self.draw.gauss(0, .25))


class SentAudio:
    """A microphone and its stream."""
    rid = None
    kind = 'audio'

    def __init__(self, leg, rate=32000, dtx=False, mode='on', talk=None, lost_before=0, active=True):
        self.leg, self.sim, self.draw, self.rate, self.dtx, self.mode = leg, leg.sim, leg.draw, rate, dtx, mode
        self.talk, self.lost_before, self.active = talk or Speech(leg.draw), lost_before, active
        self.seq = leg.draw.randrange(1000)
        self.packets = self.bytes = 0
        self.loudness = 0.0
        self.energy = 0.0
        self.duration = 0.0
        self.quiet = 0
        self.rx = None
        self.pacing = 0.0
        leg.audios.append(self)
        self.sim.schedule(leg.draw.uniform(.1, .3), self.tick)

    def nack(self, q):
        pass

    def pli(self):
        pass

    def tick(self):
        t = self.sim.now
        self.sim.schedule(t + .02, self.tick)
        m = at(self.mode, t)
        if m == 'gone':
            return
        l = self.talk.step(t) if m == 'on' else 0.0
        self.loudness = l
        self.energy += l * l * .02
        self.duration += .02
        if not at(self.active, t):
            return
        size = max(3, int(self.rate / 400 * self.draw.uniform(.8, 1.2) * (1 if l > .003 else .5 if m == 'on' else .06)))
        self.quiet = self.quiet + 1 if l < .003 else 0
        sil = self.dtx and self.quiet > 10
        if sil and self.quiet % 20 and (self.quiet != 11):
            return
        if sil:
            size = 3
        self.packets += 1
        self.bytes += size
        self.seq += 1
        if self.lost_before and self.draw.random() < at(self.lost_before, t):
            return
        self.pacing += self.leg.emit(self.rx, (self.seq, t, size, l, 0, 1, 0, 0, 0, 0, 0, self.quiet > 10 and self.dtx), size + 12, False) + .0003


class Layer:
    """One RTP stream of a video sender."""

    def __init__(self, ssrc, rid=None, scale=1.0, most=0.0, mn=0.0):
        self.ssrc, self.rid, self.scale, self.most, self.least = ssrc, rid, scale, most, mn
        self.zero()
        self.on = False
        self.target = 0.0
        self.width = self.height = 0
        self.rx = None
        self.recent = deque()
        self.seq = 0
        self.frame_id = 0
        self.debt = 0.0
        self.history = {}
        self.needs_key = True

    def zero(self):
        self.packets = self.bytes = self.encoded = self.keys = self.qp = self.repairs = 0
        self.repaired_bytes = self.nacks = self.plis = self.huge = 0
        self.encode_time = self.pacing = self.target_bytes = 0.0

    def rate_shown(self, t):
        while self.recent and self.recent[0] < t - 1:
            self.recent.popleft()
        return len(self.recent)


SCALES = [1, .75, .5, .375, .25]


class SentVideo:
    """A camera or screen, its encoder with quality scaler and CPU budget, and its streams."""
    kind = 'video'
    temporal = 1

    def __init__(self, leg, ssrc, most=1.8e6, size=(1280, 720), fps=30, mode='single', source=None, content=1.0, active=True, present=True, load=1.0,
                 encode=.007, screen=False, need=1.0, lost_before=0):
        self.leg, self.sim, self.draw, self.most, self.size, self.frame_rate = leg, leg.sim, leg.draw, most, size, fps
        self.mode, self.source, self.content, self.active, self.present, self.load = mode, source, content, active, present, load
        self.encode_cost, self.screen, self.need, self.lost_before = encode, screen, need, lost_before
        self.layers = [Layer(ssrc, 'q', 4, 150e3, 30e3),
                       Layer(ssrc + 2, 'h', 2, 500e3, 150e3),
                       Layer(ssrc + 4, 'f', 1, most - 650e3, 600e3)] if mode == 'sim' else [Layer(ssrc, None, 1, most, 30e3)]
        if mode == 'sim':
            self.temporal = 3
        self.quality_steps = self.cpu_steps = 0
        self.frames = 0
        self.limited = dict(none=0.0, cpu=0.0, bandwidth=0.0, other=0.0)
        self.reason = 'none'
        self.changes = 0
        self.qps = []
        self.qp_time = 0.0
        self.busy = 0.0
        self.usage = .3
        self.used = 0.0
        self.last_key = -9.0
        self.captured = deque()
        self.starved = False
        self.began = None
        self.cut = 0.0
        leg.videos.append(self)
        self.sim.schedule(leg.draw.uniform(.1, .25), self.capture)
        self.sim.schedule(.5, self.adapt)

    def nack(self, qs, l=None):
        for l, x in qs:
            pk = l.history.get(x)
            if pk and self.leg.pacer_free - self.sim.now < .6 and (self.leg.rate_now() < 1.15 * self.leg.congestion.target + 40e3):
                l.repairs += 1
                l.repaired_bytes += pk[2]
                l.packets += 1
                l.bytes += pk[2]
                self.leg.emit(l.rx, pk[:10] + (1,) + pk[11:], pk[2] + 14)

    def stream(self, l):
        class T:
            pass

        T.nack = staticmethod(lambda q: (setattr(l, 'nacks', l.nacks + 1), self.nack([(l, x) for x in q])))

        def pli():
            l.plis += 1
            if not at(self.deaf, self.sim.now):
                l.needs_key = True

        T.pli = staticmethod(pli)
        return T

    deaf = False

    def capture(self):
        t = self.sim.now
        sf = at(self.source, t) if self.source is not None else self.frame_rate
        if sf <= 0 or not at(self.present, t):
            self.sim.schedule(t + .05, self.capture)
            self.captured.clear()
            return
        self.sim.schedule(t + max(.01, self.draw.gauss(1, .04) / sf), self.capture)
        self.frames += 1
        self.captured.append(t)
        while self.captured[0] < t - 1:
            self.captured.popleft()
        if not at(self.active, t):
            return
        if self.began is None:
            self.began = t
            self.start(t)
        self.allocate(t)
        if self.leg.pacer_free - t > .35:  # pacer is full: encoder paused
            return
        if self.busy > t + .6 / max(1, sf):  # encoder still busy: frame dropped before it
            return
        cost = 0.0
        for l in self.layers:
            if not l.on:
                continue
            if self.screen and l.target < .25 * self.most and (self.draw.random() > max(.2, l.target / (.25 * self.most))):
                continue
            cost += self.frame(l, t, sf)
        self.busy = max(t, self.busy) + cost
        self.used += cost

    def start(self, t):
        if self.mode != 'sim' and (not self.screen):
            e = self.leg.congestion.estimate
            while self.quality_steps < 3 and e < 6e5 * SCALES[self.quality_steps]**2:
                self.quality_steps += 1

    def share(self, t):
        """This sender's part of the leg's target after audio and repairs."""
        act = [v for v in self.leg.videos if at(v.active, t) and at(v.present, t)]
        return max(20e3, (self.leg.congestion.target - 52e3 * len([a for a in self.leg.audios if at(a.active, t)])) * .95) * self.most / max(
            1, sum(v.most for v in act))

    def allocate(self, t):
        left = min(self.most, self.share(t))
        for k, l in enumerate(self.layers):
            if self.mode == 'sim':
                ok = (left >= l.least * (1 if l.on else 1.25) or k == 0) and (not (k == 2 and self.cpu_steps > 0))
                if ok and (not l.on):
                    l.needs_key = True
                l.on = ok
                l.target = min(l.most, left) if ok else 0.0
                left = max(0, left - l.target)
                sc = 1 / l.scale
            else:
                l.on = True
                l.target = left
                sc = SCALES[min(4, self.quality_steps + self.cpu_steps)]
            l.width, l.height = int(self.size[0] * sc) // 2 * 2, int(self.size[1] * sc) // 2 * 2

    def frame(self, l, t, sf):
        fps = min(30, max(1.0, sf))
        bpp0 = .045 * self.need * at(self.content, t)
        px = l.width * l.height
        per = l.target / 8 / fps
        full = max(bpp0 * px / 8 * 2.2, 60)
        key = l.needs_key and t - self.last_key > .3 or l.keys == 0
        want = min(per, full) * math.exp(self.draw.gauss(0, .12))
        if key:
            want = max(want * 4.5, px * .012)
            l.needs_key = False
            self.last_key = t
        size = int(max(80, want - min(l.debt, want * .4)))
        l.debt = max(0.0, min(l.debt * .98 + (size - per if size > per else -(per - size) * .5), per * 12))
        if l.debt > per * 8 and (not key):
            l.debt -= per  # rate control drops a frame
            return .001
        qp = int(max(6, min(127, 38 * (bpp0 * px / max(1, size * 8 if not key else per * 8))**.85))) if self.need else 20
        if l is self.layers[-1] or self.mode != 'sim':
            self.qps.append(qp)
        n = -(-size // 1120)
        l.frame_id += 1
        l.encoded += 1
        l.keys += key
        l.qp += qp
        l.target_bytes += per
        l.huge += size > 2.5 * per
        l.recent.append(t)
        lost = self.lost_before and at(self.lost_before, t)
        for i in range(n):
            sz = size // n
            l.seq += 1
            pk = l.seq, t, sz, l.frame_id, i, n, int(key), l.width, l.height, self.temporal, 0, qp
            l.history[l.seq] = pk
            l.history.pop(l.seq - 600, None)
            l.packets += 1
            l.bytes += sz
            if lost and self.draw.random() < lost:
                continue
            l.pacing += self.leg.emit(l.rx, pk, sz + 12) + .002
        e = self.encode_cost * at(self.load, t) * (px / 921600 + .06) * self.draw.uniform(.85, 1.25) * (1.6 if key else 1)
        l.encode_time += e
        return e

    def adapt(self):
        t = self.sim.now
        self.sim.schedule(t + .5, self.adapt)
        if self.began is None or not at(self.active, t):
            self.qps.clear()
            self.reason = 'none' if self.began is None else self.reason
            return
        u = self.used / .5
        self.used = 0.0
        self.usage += (min(u, 1.2) - self.usage) * .2
        if self.usage > .82 and t - self.cut > 4 and (self.cpu_steps < 2):
            self.cpu_steps += 1
            self.cut = t
            self.changes += 1
            self.usage = .6
        elif self.cpu_steps and self.usage < .4 and (t - self.cut > 12):
            self.cpu_steps -= 1
            self.cut = t
            self.changes += 1
        self.qp_time += .5
        if self.mode != 'sim' and (not self.screen) and self.qps and (self.qp_time >= (2.0 if self.quality_steps == 0 or t > 12 else 1.5)):
            a = sum(self.qps) / len(self.qps)
            if a > 92 and self.quality_steps < 4:
                self.quality_steps += 1
                self.changes += 1
                self.qp_time = 0.0
                self.qps.clear()
                self.layers[0].debt = 0
            elif a < 30 and self.quality_steps and (self.qp_time >= 3):
                self.quality_steps -= 1
                self.changes += 1
                self.qp_time = 0.0
                self.qps.clear()
            elif self.qp_time >= 4:
                self.qps = self.qps[-30:]
        sim = self.mode == 'sim' and (not self.layers[2].on)
        self.starved = self.quality_steps > 0 or sim or self.leg.congestion.estimate < self.most
        self.reason = 'cpu' if self.cpu_steps else 'bandwidth' if self.quality_steps or (sim and self.leg.congestion.estimate < 1.5e6) else 'none'
        self.limited[self.reason] += .5


class ForwardedVideo:
    """What a selective forwarder sends of a remote camera (three layers) or screen (one)."""
    kind = 'video'
    next_free = 0.0
    RATES = (150e3, 4), (500e3, 2), (1500e3, 1)

    def __init__(self, leg, size=(1280, 720), fps=30, top=2, source=None, active=True, content=1.0, screen=False, lost_before=0, deaf=False, stopgap=False,
                 temporal=3):
        self.leg, self.sim, self.draw, self.size, self.frame_rate, self.top = leg, leg.sim, leg.draw, size, fps, top
        self.source, self.active, self.content, self.screen, self.lost_before, self.deaf = source, active, content, screen, lost_before, deaf
        self.stopgap, self.temporal = stopgap, temporal
        self.layer = None
        self.goal = 0
        self.packets = self.bytes = 0
        self.seq = 1000
        self.frame_id = 0
        self.history = {}
        self.rx = None
        self.key_at = None
        self.starved = False
        self.needed_for = 0.0
        self.was = True
        self.last_key = -9
        leg.videos.append(self)
        self.sim.schedule(leg.draw.uniform(.1, .4), self.capture)

    @property
    def most(self):
        return 1.2e6 if self.screen else self.RATES[at(self.top, self.sim.now)][0]

    def nack(self, q):
        for x in q:
            pk = self.history.get(x)
            if pk and self.leg.rate_now() < 1.5 * self.leg.congestion.target:
                self.leg.out(self.rx, pk[:10] + (1,) + pk[11:], pk[2] + 14)

    def pli(self):
        if not at(self.deaf, self.sim.now) and self.key_at is None and (self.sim.now - self.last_key > .5):
            self.key_at = self.sim.now + self.draw.uniform(.08, .22)

    def capture(self):
        t = self.sim.now
        sf = at(self.source, t) if self.source is not None else self.frame_rate
        on = at(self.active, t) and self.goal >= 0
        if sf <= 0 or not on:
            self.sim.schedule(t + .05, self.capture)
            self.was = False
            return
        self.sim.schedule(t + max(.01, self.draw.gauss(1, .03) / sf), self.capture)
        if self.layer is None:
            self.layer = self.goal
            self.key_at = t
        if not self.was and on:
            self.key_at = t
            self.was = True
            self.layer = self.goal
        if self.goal != self.layer and self.key_at is None:
            self.key_at = t + (.3 if self.stopgap else self.draw.uniform(.06, .2))
        if self.stopgap and self.goal != self.layer and (t < self.key_at):
            return
        key = self.key_at is not None and t >= self.key_at
        if key:
            self.key_at = None
            self.layer = self.goal
            self.last_key = t
        rate, sc = (1.2e6, 1) if self.screen else self.RATES[self.layer]
        w, h = self.size[0] // sc, self.size[1] // sc
        size = int(max(90, rate / 8 / max(1.0, min(30, self.frame_rate)) * at(self.content, t) * math.exp(self.draw.gauss(-.03, .15)) * (4.5 if key else 1)))
        n = -(-size // 1120)
        self.frame_id += 1
        lost = at(self.lost_before, t) if self.lost_before else 0
        for i in range(n):
            self.seq += 1
            sz = size // n
            pk = self.seq, t, sz, self.frame_id, i, n, int(key), w, h, self.temporal, 0, 30
            self.packets += 1
            self.bytes += sz
            self.next_free = max(t, self.next_free) + .0008
            if lost and self.draw.random() < lost:  # on the publisher's own uplink; the router has it a round trip later
                if self.draw.random() > lost * 1.5:
                    self.sim.schedule(t + self.draw.uniform(.09, .2), self.history.__setitem__, self.seq, pk)
                continue
            self.history[self.seq] = pk
            self.history.pop(self.seq - 800, None)
            self.sim.schedule(self.next_free, self.leg.out, self.rx, pk, sz + 12)


def router(call, leg):
    """Layer choice on a leg: down at once, up after five seconds of room."""

    def step():
        t = call.sim.now
        call.sim.schedule(t + .25, step)
        vs = [v for v in leg.videos if isinstance(v, ForwardedVideo)]
        act = [v for v in vs if at(v.active, t)]
        left = leg.congestion.target * .97 - 45e3 * len(leg.audios) - sum(v.most for v in act if v.screen) * .5
        cam = [v for v in act if not v.screen]
        g = {v: 0 for v in cam}
        for v in cam:
            if left >= 150e3 * (.85 if v.goal >= 0 else 1.1):
                left -= 150e3
            else:
                g[v] = -1
        for lev in (1, 2):
            for v in cam:
                cost = ForwardedVideo.RATES[lev][0] - ForwardedVideo.RATES[lev - 1][0]
                if at(v.top, t) >= lev and g[v] == lev - 1 and (left >= cost):
                    g[v] = lev
                    left -= cost
        for v in cam:
            if g[v] < v.goal or v.layer is None:
                v.goal = g[v]
                v.needed_for = 0
            elif g[v] > v.goal:
                if not v.starved and v.goal >= 0:
                    v.goal = g[v]
                v.needed_for += .25
                if v.needed_for > (5 if t > 8 else .5) or v.goal < 0:
                    v.goal += 1
                    v.needed_for = 0
            else:
                v.needed_for = 0
            if v.goal > at(v.top, t):
                v.goal = at(v.top, t)
            v.starved = v.goal < at(v.top, t)

    leg.probing = True
    call.sim.schedule(.05, step)
