# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The calls of the set neighbour in which something is wrong: (truth, how many, topologies, engines, what to do with the call)."""
from neighbour_fine import ANY, CHROMES, SOURCES
from neighbour_link import Link

LINE, DEAD = 'bandwidth packetLoss latency jitter', 'connection packetLoss media bandwidth latency jitter'

def narrow(c, where, rate, slow=False, steady=False):
    """The link of one way gets too narrow: suddenly, slowly, or from the start."""
    c.meet(others=3 if where == 'down' and c.sfu else 1, **(dict(size=(1280, 720, 1.7e6)) if where == 'up' and not c.sfu else {}))
    link, rate = c.ul if where == 'up' else c.dl, c.r.uniform(*rate)
    a, b = (0, c.length) if steady else c.span(30, 50) if slow else c.span()
    if steady:
        link.rate = rate
    else:
        c.set(a + 8 if slow else a, b, link, rate=rate)
    if slow:
        c.slide(a - 15, a + 8, link, 'rate', 4e6, rate)
        c.at(b + 0.1, lambda: setattr(link, 'rate', 9e6))
    c.bad(a - 4 if slow else a, b, where, LINE)

def change(c, where, causes, meet=None, length=(22, 40), more=None, **values):
    """Attributes of the link of one way (or of both) are others for a while."""
    c.meet(**(meet or dict(others=2)))
    a, b = c.span(*length)
    for w, x in c.ways:
        if where in (w, 'both'):
            c.set(a, b, x, **values)
            c.bad(a, b, w, causes, 'none latency' if where != 'both' else '', **more or {})

def both(where, causes, meet=None, more=None, **values):
    return lambda c: change(c, where, causes, meet, more=more, **{k: v(c.r) if callable(v) else v for k, v in values.items()})

def steady(c):
    c.meet()
    c.ul.delay = c.dl.delay = c.r.uniform(0.16, 0.34)
    for w, _ in c.ways:
        c.bad(0, c.length, w, 'latency', '', False)

def handover(c):
    c.meet()
    a, d = c.length * c.r.uniform(0.3, 0.5), c.r.uniform(0.19, 0.26)
    c.at(a, lambda: [r.restart() for r in c.reporters])
    for w, x in c.ways:
        c.set(a, c.length, x, delay=d, jitter=0.006)
        c.set(a - 0.4, a, x, down=True)
        c.bad(a, c.length, w, 'latency', '', False)
        c.expect(a - 2, a + 18 + 2 * c.interval, c.role(w), 'none recovering latency connection packetLoss jitter bandwidth media', 'the handover itself')

def outage(c, least, most, restart=False):
    c.meet(others=2)
    a = c.r.uniform(25, 45) + c.interval
    b = a + c.r.uniform(least, most)
    for w, x in c.ways:
        c.set(a, b, x, down=True)
        c.bad(a, b + 0.5, w, DEAD, '')
    c.at(b, lambda: [r.restart() for r in c.reporters if restart])

def hol(c):
    c.relay = c.r.choice(['tcp', 'tls'])
    for _, x in c.ways:
        x.most, x.delay = 5, 0.035
    change(c, 'both', LINE, length=(30, 50), loss=c.r.uniform(0.012, 0.03))

def at_home(c, pick, causes, up='a', role='publisher', after='', length=(25, 42), **values):
    """Something is wrong with a stream at this end: of the camera, the microphone, the encoder, the decoder, or the device that plays."""
    mine, theirs = c.meet(up, others=2)
    a, b = c.span(*length)
    for s in pick(c, mine, theirs):
        c.set(a, b, s, **{k: v(c.r) if callable(v) else v for k, v in values.items()})
    c.expect(a, b, role, causes, **dict(side=['local', 'unknown', 'bothOrUnclear']) if role == 'subscriber' and c.sfu else {})
    if after:
        c.expect(b, b + 45, role, 'none recovering ' + after, 'sizes climb, buffers shrink')

def camera(c, mine, theirs):
    v = c.cam(size=(1280, 720, 1.7e6), fps=30)
    v.adapts = not c.engine.startswith('firefox')
    return [v]

def far_away(c, causes, sides, a=None, **values):
    """The video of a participant is wrong, and nothing else."""
    v = c.meet(others=2)[1][-1]
    a, b = (a, c.length) if a is not None else c.span()
    c.set(a, b, v, **values)
    c.expect(max(0, a), b + c.interval, 'subscriber', causes, **(dict(side=sides.split(), track=c.tag(v)) if c.sfu else {}))

def remote(c, causes, alone=False, **values):
    """The uplink of one participant is bad; what the router sends of it is lossless, late, thin, or with gaps."""
    theirs = c.meet(others=c.r.choice([2, 3, 5]))[1]
    sound, video = theirs[-2:]
    sound.talks, sound.dtx, theirs[0].talks, link, (a, b) = 0.9, False, 0.8, Link(c.r, 5e6, 0.4, 0.02), c.span(28, 45)
    video.remote = sound.remote = link
    c.every.append(link)
    c.set(a, b, video if alone else link, **values)
    for s in [video] if alone else [video, sound]:
        c.expect(a, b, 'subscriber', causes + (' none' if s is sound and 'loss' in values else ''), side=['remote', 'server', 'bothOrUnclear'][:3 if alone else 2], track=c.tag(s))
        c.expect(b, b + 25 + 2 * c.interval, 'subscriber', causes.replace(' none', '') + ' none recovering', 'the aftermath', track=c.tag(s))

def two(c, first, second, together=False):
    """Two troubles: (where, causes, values) each."""
    c.length = max(c.length, 150)
    c.meet(others=2)
    half, a = c.length * 0.42, 16 + 2 * c.interval
    for k, (where, causes, values) in enumerate((first, second)):
        begin = a if together or not k else half + 14
        end = c.length * 0.6 if together else begin + half - a - 12
        c.set(begin, end, c.ul if where == 'up' else c.dl, **values)
        c.bad(begin, end, where, causes, 'none latency ' + (second[1] if not k else first[1] if together else ''))

LOSS, UPLOSS = ('down', 'packetLoss jitter bandwidth latency', dict(loss=0.08)), ('up', 'packetLoss bandwidth', dict(loss=0.09))
THIN, UPTHIN = ('down', LINE, dict(rate=420e3)), ('up', LINE, dict(rate=300e3))
SHAKE, UPFULL = ('down', 'jitter latency packetLoss bandwidth', dict(stalls=(0.9, 0.12, 0.5), most=1.0)), ('up', LINE, dict(rate=700e3, most=1.2, fill=(0.5, 1)))
THEIRS = 'packetLoss bandwidth jitter latency media cpu unknown'

ILL = [
    ('The uplink is too narrow from the start.', 2, 'p2p sfu', SOURCES, lambda c: narrow(c, 'up', (250e3, 380e3), steady=True)), ('The uplink gets too narrow.', 3, 'p2p sfu', ANY, lambda c: narrow(c, 'up', (200e3, 500e3))),
    ('The uplink shrinks slowly.', 1, 'sfu p2p', ANY, lambda c: narrow(c, 'up', (200e3, 500e3), True)), ('The uplink carries less than audio needs.', 2, 'p2p sfu', ANY, both('up', LINE, dict(up='a', down='a'), most=0.6, rate=lambda r: r.uniform(26e3, 38e3))),
    ('The downlink gets too narrow.', 3, 'sfu p2p', ANY, lambda c: narrow(c, 'down', (250e3, 420e3))), ('The downlink shrinks slowly.', 1, 'sfu', ANY, lambda c: narrow(c, 'down', (300e3, 400e3), True)),
    ('Other traffic fills the queue of the uplink.', 2, 'p2p sfu', ANY, both('up', LINE, most=lambda r: r.uniform(0.6, 1.2), rate=lambda r: r.uniform(0.7e6, 1.2e6), fill=(0.5, 1.0))),
    ('Other traffic fills the queue of the downlink.', 1, 'sfu', ANY, both('down', LINE, most=lambda r: r.uniform(0.6, 1.2), rate=1e6, fill=(0.5, 1.0))),
    ('A policer on the uplink.', 1, 'sfu', ANY, both('up', LINE, police=lambda r: r.uniform(250e3, 400e3))), ('A policer on the downlink.', 1, 'p2p', ANY, both('down', LINE, police=lambda r: r.uniform(250e3, 400e3))),
    ('A shaper with a deep buffer on the uplink.', 1, 'p2p', ANY, both('up', LINE, most=2.5, rate=lambda r: r.uniform(250e3, 400e3))),
    ('A shaper with a deep buffer on the downlink.', 1, 'sfu', ANY, both('down', LINE, most=2.5, rate=lambda r: r.uniform(300e3, 450e3))),
    ('Random loss on the uplink.', 2, 'p2p sfu', ANY, both('up', 'packetLoss bandwidth', loss=lambda r: r.uniform(0.05, 0.14))), ('Random loss on the downlink.', 2, 'sfu p2p', ANY, both('down', 'packetLoss jitter bandwidth latency', loss=lambda r: r.uniform(0.05, 0.14))),
    ('Bursts of loss.', 1, 'sfu p2p', ANY, both('down', 'packetLoss jitter bandwidth latency', burst=lambda r: (r.uniform(1.5, 3), 0.3, 0.5))),
    ('Loss in bursts each several seconds.', 2, 'p2p sfu', SOURCES, both('down', 'packetLoss jitter bandwidth latency connection media', burst=lambda r: (r.uniform(6, 9), 0.8, 0.7))),
    ('Jitter of Wi-Fi on the downlink.', 2, 'sfu p2p', ANY, both('down', 'jitter latency packetLoss bandwidth', stalls=lambda r: (r.uniform(0.5, 1), 0.08, 0.35), jitter=0.02, most=1.0)),
    ('Jitter of Wi-Fi on the uplink.', 1, 'p2p', ANY, both('up', 'jitter latency packetLoss bandwidth', stalls=lambda r: (r.uniform(0.35, 0.6), 0.15, 0.5), jitter=0.02, most=1.0)),
    ('The radio stalls.', 1, 'sfu p2p', ANY, both('down', 'jitter latency packetLoss bandwidth connection media', stalls=lambda r: (r.uniform(3, 5), 0.6, 1.4), most=3.0)),
    ('A handover to a much longer way.', 1, 'p2p', SOURCES, handover), ('A tunnel: a longer way that loses some.', 1, 'sfu', CHROMES, both('both', 'latency packetLoss jitter bandwidth', delay=lambda r: r.uniform(0.15, 0.2), loss=0.03)),
    ('A steady long round trip.', 2, 'p2p sfu', SOURCES, steady),
    ('A short outage.', 1, 'p2p sfu', ANY, lambda c: outage(c, 3, 6)), ('A long outage; the connection comes back.', 2, 'sfu p2p', ANY, lambda c: outage(c, 12, 18)), ('A long outage ended by an ICE restart.', 2, 'sfu p2p', CHROMES, lambda c: outage(c, 18, 28, True)),
    ('TURN over TCP: losses make everything wait.', 1, 'p2p', ANY, hol), ('The encoder is too slow.', 2, 'p2p sfu', ANY, lambda c: at_home(c, camera, 'cpu device media' if c.engine.startswith('firefox') else 'cpu', after='cpu', slow=c.r.uniform(6, 9))), ('The decoder is too slow.', 2, 'sfu p2p', ANY, lambda c: at_home(c, lambda c, m, t: [v for v in t if v.kind == 'video'], 'cpu', role='subscriber', after='cpu jitter latency', decode=lambda r: r.uniform(0.042, 0.06))),
    ('The camera stops.', 1, 'p2p', SOURCES, lambda c: at_home(c, camera, 'device media', stuck=True)), ('The camera is black.', 1, 'sfu', ANY, lambda c: at_home(c, camera, 'none device media', black=True)),
    ('The camera gives 5 to 7 frames a second.', 1, 'p2p', SOURCES, lambda c: at_home(c, camera, 'device media', fps=c.r.uniform(5, 7))), ('The microphone dies.', 1, 'sfu', ANY, lambda c: at_home(c, lambda c, m, t: m[:1], 'none device media', 'av', dead=True)),
    ('The microphone stops.', 1, 'p2p', SOURCES, lambda c: at_home(c, lambda c, m, t: m[:1], 'device media', 'av', stopped=True)), ('The remote video freezes but for a frame now and then.', 1, 'sfu p2p', ANY, lambda c: far_away(c, 'media device cpu unknown ' + DEAD, 'remote unknown bothOrUnclear server', thin=0.012)),
    ('A stream that cannot be decoded from the start.', 2, 'sfu p2p', ANY, lambda c: far_away(c, 'media cpu unknown device', 'remote unknown bothOrUnclear server local', a=-c.warm, broken=True)), ('A stream that can no longer be decoded.', 1, 'sfu', ANY, lambda c: far_away(c, 'media cpu unknown device', 'remote unknown bothOrUnclear server local', broken=True)),
    ('The uplink of a participant loses much.', 1, 'sfu', ANY, lambda c: remote(c, THEIRS, loss=c.r.uniform(0.12, 0.2))), ('The uplink of a participant stalls.', 2, 'sfu', ANY, lambda c: remote(c, THEIRS, stalls=(1.6, 0.25, 0.7), jitter=0.012)),
    ('The uplink of a participant is narrow.', 1, 'sfu', ANY, lambda c: remote(c, THEIRS + ' device none', True, most=c.r.uniform(30e3, 50e3), thin=0.2)), ('The uplink of a participant has gaps.', 1, 'sfu', ANY, lambda c: remote(c, THEIRS, burst=(5, 1.2, 0.95))),
    ('The router is overloaded.', 1, 'sfu', ANY, both('down', LINE + ' media', dict(others=4), dict(side=['local', 'server', 'bothOrUnclear']), stalls=(1.1, 0.15, 0.6), most=1.0, loss=lambda r: r.uniform(0.02, 0.05))), ('The device that plays has gaps.', 1, 'sfu p2p', 'chrome', lambda c: at_home(c, lambda c, m, t: [c], 'device cpu', 'av', 'subscriber', glitch=c.r.uniform(0.12, 0.3))), ('The device that records has gaps.', 1, 'p2p', SOURCES, lambda c: at_home(c, lambda c, m, t: m[:1], 'device cpu media none', 'av', drops=c.r.uniform(0.7, 0.8))),
    ('Loss, then too little downlink.', 1, 'sfu', ANY, lambda c: two(c, LOSS, THIN)), ('Too little uplink, then loss on it.', 1, 'p2p', ANY, lambda c: two(c, UPTHIN, UPLOSS)),
    ('Jitter comes, then loss.', 1, 'sfu', ANY, lambda c: two(c, SHAKE, LOSS)), ('A full uplink and a bad downlink at once.', 1, 'p2p', ANY, lambda c: two(c, UPFULL, LOSS, True)),
    ('Loss on both ways at once.', 1, 'sfu', ANY, lambda c: two(c, UPLOSS, LOSS, True))]
