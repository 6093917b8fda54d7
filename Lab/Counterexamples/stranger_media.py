# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The tracks of the calls of `stranger.py`: microphones and cameras with their encoders, what a router forwards, and what receivers make of it."""
import math
from stranger_network import STEP, ReceiverReports, at, share_of

LADDER = [(1, 1.0), (.75, .62), (.5, .34), (.375, .2), (.25, .1)]  # scale, share of the rate that full size needs


class Speech:
    """Turns of talk and silence, as a level."""

    def __init__(self, r, on=.55, level=.06):
        self.draw, self.on, self.level, self.talks, self.until = r, on, level, False, 0.0

    def step(self, t):
        if t >= self.until:
            self.talks = self.draw.random() < self.on
            self.until = t + self.draw.uniform(.6, 3.2)
        return self.level * math.exp(self.draw.gauss(0, .55)) if self.talks else .0009 * math.exp(self.draw.gauss(0, .3))


class SentAudio:
    """A microphone and its encoder."""
    kind = 'audio'

    def __init__(self, r, ssrc, rate=32000, dtx=False, speech=None, mode=lambda t: 'on'):
        self.draw, self.ssrc, self.rate, self.dtx, self.speech = r, ssrc, rate, dtx, speech or Speech(r)
        self.mode = mode
        self.loudness = 0.0
        self.energy = 0.0
        self.duration = 0.0
        self.due = 0.0
        self.n = dict(packets=0, bytes=0, rtx=0, rtx_bytes=0, nack=0)
        self.reports = ReceiverReports(r, 5.0)
        self.state = 'on'
        self.pacing = 0.0

    def produce(self, t, target):
        m = self.state = at(self.mode, t)  # on, muted, dead (digital zero), gone (no samples at all), off (not sent)
        l = 0.0 if m in ('muted', 'dead') else self.speech.step(t) if m == 'on' else 0.0
        if m != 'gone':
            self.loudness = l
            self.energy += l * l * STEP
            self.duration += STEP
        if m in ('gone', 'off'):
            return [(self, 0, 0, 0, False)]
        silent = l < .003
        if self.dtx and silent:
            self.due += 2.5 * STEP
            size = 3
        else:
            self.due += 50 * STEP
            size = self.rate / 400 * (1 if not silent else .45 if m == 'on' else .06)
        n = int(self.due)
        self.due -= n
        b = int(n * max(3, size * self.draw.uniform(.9, 1.1)))
        self.n['packets'] += n
        self.n['bytes'] += b
        self.pacing += n * .0004
        return [(self, n, b, 0, False)]


class Layer:
    """One stream of a video: all of it, or one of its simulcast layers."""
    kind = 'video'

    def __init__(self, r, ssrc, rid, scale, most, least):
        self.ssrc, self.rid, self.scale, self.most, self.least = ssrc, rid, scale, most, least
        self.n = dict(packets=0, bytes=0, frames=0, key=0, encode=0.0, qp=0, rtx=0, rtx_bytes=0, nack=0, pli=0, fir=0, pacing=0.0)
        self.on = False
        self.fps = 0
        self.reports = ReceiverReports(r, 1.0)
        self.width = self.height = 0
        self.due = 0.0
        self.target = 0.0


class SentVideo:
    """A camera or screen with its encoder(s): single stream, three simulcast layers or one SVC stream."""
    kind = 'video'

    def __init__(self, r, ssrc, most=2.2e6, size=(1280, 720), fps=30, mode='single', codec='VP8', need=.4, cpu=0, captured=None, content=None, encode=.006,
                 hardware=False, active=True, screen=False, present=True):
        self.draw, self.size, self.fps, self.mode, self.codec = r, size, fps, mode, codec
        self.need, self.cpu, self.captured, self.content, self.encode = need, cpu, captured, content, encode
        self.active, self.screen, self.hardware, self.present = active, screen, hardware, present
        self.most = most
        self.frames = 0
        self.source_fps = fps
        self.size_step = 0
        self.short_for = self.spare_for = 0.0
        self.cpu_step = 0
        self.cpu_for = 0.0
        self.kept = 1.0
        self.reason = 'none'
        self.limited = dict(none=0.0, cpu=0.0, bandwidth=0.0, other=0.0)
        self.changes = 0
        self.key = True
        self.frames_due = 0.0
        self.target = 0.0
        self.first = True
        if mode == 'sim':
            self.layers = [
                Layer(r, ssrc, 'q', 4, 150e3, 60e3),
                Layer(r, ssrc + 2, 'h', 2, 500e3, 150e3),
                Layer(r, ssrc + 4, 'f', 1, max(900e3, most - 650e3), 600e3)
            ]
        else:
            self.layers = [Layer(r, ssrc, None, 1, most, 0)]

    def want(self):
        return self.most

    def produce(self, t, target):
        out = []
        present = at(self.present, t)
        on = at(self.active, t) and present
        self.on = on
        self.is_there = present
        sf = at(self.captured, t) if self.captured is not None else self.fps
        self.source_fps = sf if present else 0
        self.frames_due += sf * STEP if present else 0
        nf = int(self.frames_due)
        self.frames_due -= nf
        self.frames += nf
        self.target = target = min(target, self.most) if on else 0.0
        load = at(self.cpu, t)  # 0 fine, 1 overloaded, 2 heavily
        need = self.need * self.most
        full = LADDER[self.size_step][1] * need
        if self.mode != 'sim':
            if self.first and target > 0:
                self.first = False
                while self.size_step < 4 and target < LADDER[self.size_step][1] * need * .9:
                    self.size_step += 1
            if on and target < full * .85:
                self.short_for += STEP * (2 if target < .5 * full else 1)
                self.spare_for = 0
            elif on and self.size_step and (target > LADDER[self.size_step - 1][1] * need * 1.25):
                self.spare_for += STEP
                self.short_for = 0
            else:
                self.short_for = max(0, self.short_for - STEP)
                self.spare_for = max(0, self.spare_for - STEP)
            if self.short_for > 1.5 and self.size_step < 4 and not self.screen:
                self.size_step += 1
                self.short_for = 0
                self.changes += 1
            if self.spare_for > (3.0 if t > 12 else .8) and self.size_step:
                self.size_step -= 1
                self.spare_for = 0
                self.changes += 1
                self.key = True
        if load:
            self.cpu_for += STEP
            if self.cpu_for > 4 and self.cpu_step < load:
                self.cpu_step += 1
                self.cpu_for = 0
                self.changes += 1
            self.kept += ((.55 if load > 1 else .72) - self.kept) * .08
        else:
            self.cpu_for = 0
            self.kept += (1 - self.kept) * .05
            if self.cpu_step and self.draw.random() < STEP / 6:
                self.cpu_step -= 1
                self.changes += 1
        left = target
        for k, l in enumerate(self.layers):
            if self.mode == 'sim':
                thr = l.least * (1.0 if l.on else 1.2)
                ok = on and (left >= thr or (k == 0 and left > 30e3)) and (not (self.cpu_step >= 1 and k == 2))
                l.target = min(l.most, left) if ok else 0.0
                left -= l.target
                if ok and not l.on:
                    l.due = 0
                    l.wants_key = True
                l.on = ok
                sc = 1 / l.scale
            else:
                l.on = on
                l.target = target
                sc = LADDER[min(4, max(self.size_step, self.cpu_step + (self.size_step if self.cpu_step == 0 else 0)))][0]
            l.width, l.height = int(self.size[0] * sc) // 2 * 2, int(self.size[1] * sc) // 2 * 2
        narrow = self.size_step if self.mode != 'sim' else not self.layers[2].on and target < 1.2e6
        self.reason = 'cpu' if self.cpu_step or (load and self.kept < .85) else 'bandwidth' if on and narrow else 'none'
        self.limited[self.reason] += STEP
        content = at(self.content, t) if self.content is not None else 1.0
        for l in self.layers:
            if not l.on or (nf == 0 and self.source_fps > 0 and not l.on):
                out.append((l, 0, 0, 0, False))
                l.fps += (0 - l.fps) * .3
                continue
            f = nf if self.kept > .98 else share_of(self.draw, nf, self.kept)
            if l.target < 60e3 and self.mode != 'sim':
                f = share_of(self.draw, f, .6)
            key = (self.key or getattr(l, 'wants_key', False)) and f > 0
            if key:
                l.wants_key = False
            eff = min(l.target, l.most * content * self.draw.gauss(.97, .05))
            by = max(0.0, eff / 8 * STEP * (f / max(.1, sf * STEP) if sf else 0)) * self.draw.uniform(.93, 1.07)
            if key:
                by += eff / 8 * .12
                l.n['key'] += 1
            if f == 0:
                by = 0
            by = int(by)
            packets_now = max(f, math.ceil(by / 1130)) if f else 0
            c = l.n
            c['packets'] += packets_now
            c['bytes'] += by
            c['frames'] += f * (3 if self.mode == 'svc' and self.codec == 'VP9' else 1)
            e = at(self.encode, t) * (1 + 1.8 * bool(load)) * (2.2 if load > 1 else 1) * (l.width * l.height / (1280 * 720) + .15)
            c['encode'] += f * max(.001, e * self.draw.uniform(.85, 1.2))
            c['qp'] += int(f * max(8, min(56, 26 * (need * LADDER[self.size_step][1] / max(1, l.target)) ** .4)))
            c['pacing'] += packets_now * .005
            l.fps += (f / STEP - l.fps) * .15
            out.append((l, packets_now, by, f, key))
        if nf:
            self.key = False
        return out


class ForwardedVideo:
    """What the router forwards of one remote camera: one of three layers, chosen by its own estimate (or told by the viewer)."""
    kind = 'video'
    RATES = [(150e3, 4), (500e3, 2), (1.5e6, 1)]

    def __init__(self, r, size=(1280, 720), fps=30, cap=None, captured=None, active=True, dumb=False):
        self.draw, self.size, self.fps, self.cap, self.captured = r, size, fps, cap, captured
        self.active, self.dumb = active, dumb
        self.layer = 2
        self.key = True
        self.frames_due = 0.0
        self.most = 1.5e6
        self.up = 0.0
        self.width = self.height = 0

    def want(self):
        return self.RATES[at(self.cap, 0) if self.cap is not None else 2][0]

    def produce(self, t, target):
        top = at(self.cap, t) if self.cap is not None else 2
        k = self.layer
        if self.dumb:
            k = top
        else:
            fit = max([i for i in range(3) if self.RATES[i][0] <= target] or [0])
            if fit < k:
                k = fit
                self.up = 0
            elif k < top and self.RATES[k + 1][0] * 1.15 < target:
                self.up += STEP
                if self.up > 4:
                    k += 1
                    self.up = 0
            else:
                self.up = 0
            k = min(k, top)
            if t < 3:
                k = top
        if k != self.layer:
            self.layer = k
            self.key = True
        rate, sc = self.RATES[k]
        self.width, self.height = self.size[0] // sc, self.size[1] // sc
        sf = at(self.captured, t) if self.captured is not None else self.fps
        if not at(self.active, t):
            self.frames_due = 0
            self.key = True
            return [(self, 0, 0, 0, False)]
        self.frames_due += sf * STEP
        f = int(self.frames_due)
        self.frames_due -= f
        by = int(rate / 8 * STEP * f / max(.1, self.fps * STEP) * self.draw.gauss(.96, .06)) if f else 0
        if not self.dumb and target < 110e3:
            by = int(by * .6)
        key = self.key and f > 0
        if key:
            by = int(by + rate / 8 * .12)
            self.key = False
        return [(self, max(f, math.ceil(by / 1130)) if f else 0, by, f, key)]


class ReceivedAudio:
    """An audio track with its jitter buffer."""
    kind = 'audio'

    def __init__(self, r, ssrc, fec=.5, level=None, upstream_loss=0, flow=True):
        self.draw, self.ssrc, self.fec, self.upstream_loss, self.flow = r, ssrc, fec, upstream_loss, flow
        self.speech = level or Speech(r)
        self.loudness = 0.0
        self.energy = 0.0
        self.duration = 0.0
        self.jitter_seen = .002
        self.buffer = .045
        self.n = dict(packets=0, bytes=0, lost=0, discarded=0, fec=0, samples=0, concealed=0, silent=0, events=0, inserted=0, removed=0, held=0.0, emitted=0,
                      target=0.0, least=0.0, header=0)
        self.pending = 0
        self.alive = False
        self.last = None
        self.processed = 0.0
        self.sender_packets = 0
        self.sender_bytes = 0

    def step(self, t, item, loss, net):
        _, n, b, _, _ = item
        if not at(self.flow, t):
            n = b = 0
        self.sender_packets += n
        self.sender_bytes += b
        upstream_loss = at(self.upstream_loss, t)
        c = self.n
        lost = share_of(self.draw, n, 1 - (1 - loss) * (1 - upstream_loss))
        if net.dead:
            self.pending += n
            got = 0
        else:
            got = n - lost
            c['lost'] += lost
            if got and self.pending:
                c['lost'] += self.pending
                self.pending = 0
        c['packets'] += got
        c['bytes'] += int(b * got / n) if n else 0
        c['header'] += got * 28
        if got:
            self.alive = True
            self.last = t
        j = .0006 + 1.1 * net.spread + .35 * net.variation
        self.jitter_seen += (j - self.jitter_seen) * (1 - .9375 ** max(1, got))
        if not self.alive:
            return
        want = .035 + 2.1 * net.spread + min(.25, .8 * net.held) + (.5 * net.variation if net.queueing > .05 else 0)
        d = want - self.buffer
        self.buffer += d * (.1 if d > 0 else .01)
        level = self.speech.step(t)
        self.loudness = level if got else self.loudness * .6
        self.energy += self.loudness ** 2 * STEP
        self.duration += STEP
        S = int(48000 * STEP)
        c['samples'] += S
        silent = self.loudness < .003
        rec = share_of(self.draw, lost, self.fec if loss < .4 else .1)
        c['fec'] += rec
        late = 0
        if got:
            head = (self.buffer - .02) / max(.001, net.spread)  # says which share of packets comes after its turn
            late = share_of(self.draw, got, .5 * math.erfc(max(0, head) / 1.414)) if net.spread > .012 else 0
            if net.held > self.buffer:
                late += share_of(self.draw, got, .5 * min(1.0, (net.held - self.buffer) / .15))
            late = min(late, got)
        c['discarded'] += late
        bad = (lost - rec + late) * 960
        if net.dead or (n == 0 and self.expecting(t)):
            bad = S
        bad = min(S, bad)
        if bad:
            c['concealed'] += bad
            c['events'] += max(1, bad // 2400)
            if silent or (net.dead and t - (self.last or t) > .4):
                c['silent'] += bad if net.dead else int(bad * .9)
        if d > .01:
            c['inserted'] += int(S * .015)
        elif d < -.01:
            c['removed'] += int(S * .006)
        e = S - bad
        c['emitted'] += e
        c['held'] += e * self.buffer * self.draw.uniform(.95, 1.05)
        c['target'] += e * self.buffer
        c['least'] += e * max(.02, self.buffer - .01)
        self.processed += e * self.buffer

    def expecting(self, t):
        return False


class ReceivedVideo:
    """A video track with its repairs, jitter buffer, and decoder."""
    kind = 'video'

    def __init__(self, r, ssrc, nack=True, rtx=True, upstream_loss=0, decode=.0045, broken=False, fec=0, hardware=False):
        self.draw, self.ssrc, self.nack, self.rtx, self.upstream_loss = r, ssrc, nack, rtx, upstream_loss
        self.decode, self.broken, self.fec, self.hardware = decode, broken, fec, hardware
        self.n = dict(packets=0, bytes=0, lost=0, header=0, nack=0, pli=0, fir=0, rtx=0, rtx_bytes=0, fec=0, frames=0, decoded=0, dropped=0, key=0, decode=0.0,
                      between=0.0, squared=0.0, freezes=0, frozen=0.0, pauses=0, paused=0.0, held=0.0, emitted=0, target=0.0, least=0.0, qp=0, assembly=0.0,
                      processing=0.0)
        self.pending = 0
        self.alive = False
        self.stall = None
        self.last = None
        self.gaps = []
        self.jitter_seen = .004
        self.buffer = .03
        self.width = self.height = 0
        self.fps = 0.0
        self.backlog = 0.0
        self.last_packet = None
        self.next_pli = 0.0
        self.needs_key = False
        self.sender_packets = 0
        self.sender_bytes = 0

    def step(self, t, item, loss, net, rtt, tx):
        layer, n, b, f, key = item
        c = self.n
        upstream_loss = at(self.upstream_loss, t)
        self.sender_packets += n
        self.sender_bytes += b
        lost = share_of(self.draw, n, loss)
        lost_before = share_of(self.draw, n - lost, upstream_loss)
        if net.dead:
            self.pending += n
            self.needs_key = self.needs_key or n > 0
            self.fps *= .75
            return
        got = n - lost - lost_before
        c['lost'] += lost + lost_before
        if got and self.pending:
            c['lost'] += self.pending
            self.pending = 0
        size = b / n if n else 0
        c['packets'] += got
        c['bytes'] += int(size * got)
        c['header'] += got * 24
        if got:
            self.alive = True
            self.last_packet = t
        rec = share_of(self.draw, lost, self.fec) if self.fec else 0
        c['fec'] += rec
        rep = 0
        if self.nack and lost + lost_before:
            c['nack'] += lost - rec + lost_before + share_of(self.draw, lost, loss)
            le = min(loss, .12) if net.burst else loss  # a retry comes a round trip later, when a short burst is over
            rep = share_of(self.draw, lost - rec, (1 - le ** 3) * (1 if rtt < .4 else .6) if le < .35 else .3)
            c['rtx'] += rep
            c['rtx_bytes'] += int(rep * size)
            c['packets'] += rep
            c['bytes'] += int(rep * size)
            self.buffer += (rtt + .035 - self.buffer) * .15 if rtt + .035 > self.buffer else 0
        un = lost - rec - rep + lost_before
        j = .0035 + 1.1 * net.spread + .35 * net.variation
        self.jitter_seen += (j - self.jitter_seen) * (1 - .9375 ** max(1, got))
        want = max(.028, .02 + 2.2 * net.spread + .6 * net.held + (.6 * net.variation if net.queueing > .04 else 0))
        self.buffer += (want - self.buffer) * (.1 if net.spread > .015 or net.held else .02)
        brk = at(self.broken, t)
        if f:
            gone = min(f, math.ceil(un / max(1.0, n / f) * .7)) if un else 0
            if un and self.stall is None and self.draw.random() < .75:  # a reference is gone: wait for a key frame
                self.stall = t + rtt + self.draw.uniform(.15, .45)
                c['pli'] += 1
            c['frames'] += f - gone if brk != 'noframes' else 0
            c['assembly'] += (f - gone) * .006
        if self.needs_key and got:
            if self.stall is None:
                self.stall = t + rtt + self.draw.uniform(.1, .3)
                c['pli'] += 1
            self.needs_key = False
        if self.stall is not None and t >= self.stall:
            self.stall = None
            if tx is not None and hasattr(tx, 'key'):
                tx.key = True
        if brk and f:
            if t >= self.next_pli:
                c['pli'] += 1
                self.next_pli = t + self.draw.uniform(.3, .7)
            self.fps *= .8
            return
        if self.stall is not None or f == 0:
            self.fps += (0 - self.fps) * .12
            return
        decode = at(self.decode, t) * self.draw.uniform(.85, 1.2)
        self.backlog += f
        cap = STEP / decode
        d = int(min(self.backlog, cap + self.draw.random() * .999)) if decode * f > STEP * .9 or self.backlog > f else f
        d = min(d, int(self.backlog))
        self.backlog -= d
        if self.backlog > 8:
            x = int(self.backlog - 3)
            c['dropped'] += x
            self.backlog -= x
        self.width, self.height = layer.width, layer.height
        if key:
            c['key'] += 1
        c['decoded'] += d
        c['decode'] += d * decode
        c['qp'] += d * 28
        self.fps += (d / STEP - self.fps) * .15
        for i in range(d):
            shown = t + (i + self.draw.random()) * STEP / max(1, d) + self.draw.gauss(0, net.spread * .3)
            if self.last is not None:
                g = max(.001, shown - self.last)
                avg = sum(self.gaps) / len(self.gaps) if self.gaps else .033
                c['between'] += g
                c['squared'] += g * g
                if len(self.gaps) >= 5:
                    if g > 5:
                        c['pauses'] += 1
                        c['paused'] += g
                    elif g > max(3 * avg, avg + .15):
                        c['freezes'] += 1
                        c['frozen'] += g
                self.gaps = (self.gaps + [g])[-30:] if g < 2 else self.gaps
            self.last = shown
        hold = self.buffer + (self.backlog / 30 if decode > .028 else 0)
        c['emitted'] += d
        c['held'] += d * hold
        c['target'] += d * self.buffer
        c['least'] += d * .02
        c['processing'] += d * (hold + decode)
