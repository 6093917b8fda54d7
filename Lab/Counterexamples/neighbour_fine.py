# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The healthy calls of the set neighbour, most of them odd: (truth, how many, topologies, engines, what to do with the call)."""

ANY, CHROMES, SOURCES = 'chrome firefox libwebrtc chrome safari chrome109 firefox115 safari16', 'chrome libwebrtc chrome109', 'chrome chrome109 libwebrtc safari'
QUIET, GONE = 'none device media unknown', 'none media unknown connection'

def ramp(c):
    c.warm, c.up.est.jumps = 0.3, 0 if c.r.random() < 0.5 else 3
    c.meet('av', 'av', **(dict(layers=3) if c.sfu else dict(size=(1280, 720, 1.5e6))))
    for role in ('publisher', 'subscriber'):
        c.expect(0, 30 + 3 * c.interval, role, 'none recovering bandwidth', 'the start: estimates climb, a user waits a little for a sharp picture')

def muted(c):
    mine, _ = c.meet()
    a, b = c.span()
    c.set(a, b, mine[0], muted=True)
    c.expect(a, b, 'publisher', QUIET, 'digital zeros: muted or dead')

def hold(c):
    mine, theirs = c.meet()
    a, b = c.span(15, 30)
    for s in mine + theirs:
        c.set(a, b, s, on=False)
    for role in ('publisher', 'subscriber'):
        c.expect(a, b, role, GONE + ' device', 'hold; by figures alone media has stopped')

def quiet(c, dtx):
    mine, theirs = c.meet(others=2)
    mine[0].talks = mine[0].talks if dtx else 0
    for s in mine[:1] + theirs[:4 if dtx else 1]:
        s.dtx = dtx or c.r.random() < 0.5

def slides(c, mine=True):
    c.meet('a' if mine else 'av', 'a')
    s = (c.cam if mine else c.see)(size=(1920, 1080, 1.2e6), fps=c.r.choice([0.3, 1, 3, 5] if mine else [2, 3, 5]), screen=True)
    if not mine:
        c.expect(0, c.length, 'subscriber', 'none media', 'gaps between frames of a static picture count as freezes')
    for k in range(3):
        t = c.r.uniform(k * c.length / 3 + 4, (k + 1) * c.length / 3 - 8)
        c.set(t, t + 4, s, fps=5)

def dim(c):
    c.meet('a')
    a, b = c.span()
    c.set(a, b, c.cam(fps=30), fps=15)
    c.expect(a, b, 'publisher', 'none device', 'a dim room: the camera exposes longer, still 15 a second')

def tab(c):
    c.meet(others=2)
    a, b = c.span(40, 60)
    c.set(a, b, c, irregular=lambda: c.r.choice([c.interval, c.interval + 1, c.interval + 3, 10]))

def window(c):
    c.meet('av', 'a')
    v = c.see(tile=1.0)
    for k, (part, most) in enumerate(((0.25, 140e3), (0.5, 480e3), (1.0, 1.5e6), (0.25, 140e3))):
        c.set(c.length * (k + 1) / 5, c.length, v, part=part, most=most, need_key=True)

def layer_off(c):
    c.meet('a')
    a, b = c.span()
    for v in c.cam(layers=3)[c.r.choice([1, 2]):]:
        c.set(a, b, v, active=False)

def device(c):
    c.meet('a')
    v, t = c.cam(size=(1280, 720, 1.5e6)), c.length / 2
    c.set(t, t + 0.8, v, stuck=True)
    c.set(t + 0.8, c.length, v, wide=640, high=480, most=7e5, source=40, need_key=True)
    c.at(t + 0.8, lambda: v.tx.update(source=0))
    c.expect(t - 1, t + 4 + 2 * c.interval, 'publisher', 'none device media', 'another camera: less than a second without frames')

def leaving(c):
    _, theirs = c.meet(others=c.r.choice([3, 6, 10]))
    for s in theirs[2:4]:
        c.set(c.length * 0.4, c.length, s, gone=True)
    for s in theirs[4:6]:
        s.gone = True
        c.set(c.length * 0.7, c.length, s, gone=False)

def again(c, mine=False, ssrc=False, codec=None):
    """In the middle streams count from nothing (they have another SSRC, or not), or have another codec."""
    ours, theirs = c.meet()
    def renew():
        for s in theirs[-1:] if codec else (ours if mine else []) + theirs:
            s.ssrc = c.r.getrandbits(32) if ssrc else s.ssrc
            if not codec:
                s.rx.clear(), s.tx.clear()
                s.told, s.rr, s.sr = (0, 0), None, None
            if s.kind == 'video':
                s.need_key, s.limits, s.codec = True, {k: 0.0 for k in s.limits}, codec or s.codec
    c.at(c.length / 2, renew)
    c.extra['falls'] = 'in the middle streams count from nothing'

def sleep(c):
    c.meet()
    a, b = c.asleep = c.length * 0.4, c.length * 0.4 + c.r.uniform(20, 40)
    for link, leg in ((c.ul, c.up), (c.dl, c.down)):
        c.set(a, b, link, down=True)
        c.set(a, b, leg, frozen=True)
    for role in ('publisher', 'subscriber'):
        c.expect(a - 1, b + 30 + 2 * c.interval, role, 'none recovering connection unknown media packetLoss bandwidth latency jitter', 'asleep, then awake')

def off(c, first, others, note):
    for v in [s for s in c.meet(others=others)[1] if s.kind == 'video'][first:]:
        a, b = c.span(20, 50)
        c.set(a, b, v, on=False)
        c.expect(a, b, 'subscriber', GONE, note)

def long(c):
    c.length = c.r.randrange(480, 600)
    c.meet()
    t = c.r.uniform(200, 300)
    c.at(t, lambda: [r.restart() for r in c.reporters])
    for x in (c.ul, c.dl):
        c.set(t, c.length, x, delay=x.delay + c.r.uniform(0.005, 0.02))

FINE = [
    ('The start of a call: estimates and sizes climb.', 2, 'p2p sfu', ANY, ramp), ('The microphone is muted for a while.', 2, 'p2p sfu', ANY, muted),
    ('The call is held and taken up again.', 1, 'p2p', ANY, hold), ('One who only listens, in silence.', 2, 'sfu', ANY, lambda c: quiet(c, False)), ('DTX at both ends.', 2, 'sfu p2p', ANY, lambda c: quiet(c, True)),
    ('A static screen is shared.', 2, 'p2p sfu', ANY, slides), ('A static screen is received.', 1, 'sfu', ANY, lambda c: slides(c, False)), ('A dim room: 15 frames a second.', 1, 'p2p', SOURCES, dim),
    ('A small window gets the smallest layer.', 1, 'sfu', ANY, lambda c: (c.meet('av', 'a'), c.see(tile=0.25, fps=c.r.choice([15, 30])))),
    ('A long way: a steady round trip of 100 to 150 ms.', 2, 'p2p sfu', ANY, lambda c: (c.meet(others=2), *(c.set(-c.warm, c.length, x, delay=c.r.uniform(0.052, 0.07)) for _, x in c.ways))), ('0.2 % of the packets are lost and sent again.', 2, 'sfu p2p', ANY, lambda c: (c.meet(others=2), *(c.set(-c.warm, c.length, x, loss=0.002) for _, x in c.ways))),
    ('The page is in the background: reports come irregularly.', 1, 'sfu', 'chrome', tab), ('A window is resized; the router changes layers.', 1, 'sfu', ANY, window),
    ('The application switches simulcast layers off.', 1, 'sfu', SOURCES, layer_off),
    ('A low rate and size by choice.', 2, 'p2p sfu', ANY, lambda c: (c.meet('a'), c.cam(size=c.r.choice([(320, 240, 120e3), (480, 270, 200e3), (320, 180, 100e3)]), fps=c.r.choice([15, 20, 30])))),
    ('Another camera is chosen.', 1, 'p2p', ANY, device), ('Participants leave and join.', 2, 'sfu', ANY, leaving), ('Renegotiation to another codec.', 1, 'p2p', CHROMES, lambda c: again(c, codec='H264')),
    ('The far end begins new streams.', 1, 'sfu', SOURCES, lambda c: again(c, ssrc=True)), ('The clock is set.', 1, 'p2p', ANY, lambda c: (c.meet(), setattr(c, 'shift', (c.length / 2, c.r.choice([-1, 1]) * c.r.uniform(40, 7200))))), ('Counters begin again.', 1, 'sfu', CHROMES, lambda c: again(c, True)),
    ('The machine sleeps and wakes.', 1, 'sfu', CHROMES, sleep), ('The application scales the picture down.', 1, 'p2p', ANY, lambda c: (c.meet('a'), c.set(*c.span(), c.cam(size=(1280, 720, 1.5e6)), part=c.r.choice([0.5, 0.25]), most=c.r.uniform(200e3, 400e3)))),
    ('A poor camera of 15 frames a second.', 1, 'sfu', ANY, lambda c: (c.meet('a'), c.cam(size=(640, 480, 500e3), fps=15))), ('A hardware decoder with a long pipeline.', 1, 'p2p', SOURCES, lambda c: setattr(c.meet()[1][-1], 'pipeline', c.r.uniform(0.035, 0.06))),
    ('A participant switches the camera off.', 1, 'sfu', ANY, lambda c: off(c, 2, 3, 'a camera that was switched off looks like one that died')),
    ('The router pauses video of the silent.', 1, 'sfu', ANY, lambda c: off(c, 1, 4, 'the router sends no video of those who are silent')),
    ('Audio alone.', 2, 'p2p sfu', ANY, lambda c: c.meet('a', 'a', others=c.r.choice([1, 4]))), ('One only receives.', 1, 'sfu', ANY, lambda c: (setattr(c, 'split', False), c.meet('', 'av', others=c.r.choice([1, 2])))),
    ('One only sends.', 1, 'sfu', ANY, lambda c: (setattr(c, 'split', False), c.meet('av', ''))), ('A long call with one harmless handover.', 1, 'p2p', SOURCES, long), ('Ten participants.', 1, 'sfu', ANY, lambda c: c.meet(others=10)),
    ('SVC.', 1, 'sfu', 'chrome', lambda c: (c.meet('a'), setattr(c.cam(size=(1280, 720, 1.6e6), codec='VP9'), 'mode', 'L3T3_KEY'))), ('A relay without trouble.', 1, 'p2p', ANY, lambda c: (setattr(c, 'relay', c.r.choice(['udp', 'tls'])), c.meet()))]
