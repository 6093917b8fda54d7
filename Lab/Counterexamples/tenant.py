# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The set `tenant`: calls as users have them, nearly half of them without any trouble, and what a support engineer would call the trouble of the others.

A label is the physical truth at the layer that has a name in support: who caused it is demanded only where the other streams of the
same report tell it. Names begin with h (healthy), p (of what is sent), s (of what is received), b (both) and m (several problems).
Where the same figures have another plausible name, that one is listed too, and `none` where the report need not show it at all.
"""
import random

from tenant_call import SIMULCAST, Call
from tenant_link import during, wander

ALL_STREAMS = ['local', 'server', 'bothOrUnclear']  # every stream suffers: our access, or the SFU
ONE_STREAM = ['remote', 'server', 'bothOrUnclear']  # the others are well, so it is not our access
TEMPORAL = dict(layers=SIMULCAST, mode='L1T3')
SMALL = dict(size=(640, 360), layers=((None, 1, 800e3, 30e3),))
SVC = dict(mode='L3T3_KEY', codec='VP9', layers=((None, 1, 1600e3, 60e3),), cost=9)


def talk(video=None, **audio):
    """Someone with camera and microphone."""
    return dict(audio=audio, video=video if video is not None else {})


def voice(**audio):
    return dict(audio=audio)


def others(n, **more):
    """Participants behind an SFU who send simulcast."""
    return [dict(talk(dict(TEMPORAL)), **more) for _ in range(n)]


def wrong(begin, end, role, cause, side=None, track=None, note=None, **limits):
    """One interval of the manifest; `track` is ('in' or 'out', number of the stream)."""
    return {'from': round(begin, 1), 'to': round(end, 1), 'role': role, 'cause': cause.split(), 'side': side, 'track': track, 'note': note, **limits}


def squeeze(begin, end):
    """A narrow uplink: what is on its way when it narrows is late or lost, then the encoder follows."""
    return [wrong(begin, begin + 12, 'publisher', 'bandwidth latency packetLoss'), wrong(begin + 12, end, 'publisher', 'bandwidth')]


def aftermath(e, length, starts):
    """After the end estimates climb and buffers shrink; who still names it then, or calls it recovering, is not wrong. It ends where the next problem begins."""
    network = set(e['cause']) & {'bandwidth', 'packetLoss', 'latency', 'jitter', 'connection'}
    seconds = 25 if network and e['role'] == 'publisher' else 14
    more = [] if not network else ['bandwidth', 'latency'] if e['role'] == 'publisher' else ['latency', 'jitter']
    causes = ['none', 'recovering', *e['cause'], *(m for m in more if m not in e['cause'])]
    end = min([length, e['to'] + seconds, *(t for role, t in starts if role == e['role'] and t >= e['to'])])
    return wrong(e['to'], end, e['role'], ' '.join(causes), note='recovery')


def case(name, truth, expect=(), doubt=None, **call):
    expect, length = list(expect), call['length']
    starts = [(e['role'], e['from']) for e in expect if 'none' not in e['cause']]
    tails = [aftermath(e, length, starts) for e in expect if 'none' not in e['cause'] and e['to'] < length - 1]
    tails = [e for e in tails if e['to'] > e['from'] + 0.5]
    return dict(name=name, truth=truth, expect=expect + tails, doubt=doubt, call=call)


def everyday(r):
    """Healthy calls of the usual kinds."""
    yield case('h-p2p-ethernet', 'A video call between two good accesses', topology='p2p', length=100, send=talk(), remotes=[talk()], up=dict(cap=20e6), down=dict(cap=20e6))
    yield case('h-sfu-three', 'A meeting of four with simulcast', length=75, send=talk(TEMPORAL), remotes=others(3), down=dict(cap=30e6))
    yield case('h-audio-dtx', 'Audio alone with DTX; the user only listens, one of the others too', length=180, send=voice(dtx=True, speech=0.03), remotes=[voice(dtx=True, speech=0.6), voice(dtx=True, speech=0.02)],
               interval=2)
    yield case('h-firefox-p2p', 'A good call of Firefox', engine='firefox', topology='p2p', length=150, interval=5, send=talk(), remotes=[talk()])
    yield case('h-safari-sfu', 'A good call of Safari', engine='safari', length=80, interval=2, send=talk(TEMPORAL), remotes=others(2), pcs=1)
    yield case('h-native-long', 'A good call of an app, reported every ten seconds', engine='native', topology='p2p', length=210, interval=10, send=talk(SMALL), remotes=[talk(SMALL)],
               up=dict(jitter=0.003), down=dict(jitter=0.003))
    yield case('h-music', 'A music lesson, 128 kbit/s and no pauses', topology='p2p', length=120, send=voice(rate=128000, music=True, speech=0.9), remotes=[voice(rate=128000, music=True, speech=0.9)])
    yield case('h-svc', 'A talk with VP9 SVC', length=90, send=talk(SVC), remotes=others(1))
    yield case('h-turn-udp', 'Through TURN over UDP, 75 ms', topology='p2p', length=90, send=talk(), remotes=[talk()], up=dict(delay=0.037), down=dict(delay=0.037), via='relay/udp')
    yield case('h-listener', 'Someone who only watches', length=90, interval=2, remotes=[*others(1), voice(dtx=True, speech=0.05)], down=dict(cap=25e6))


def odd(r):
    """Healthy calls that look as if they were not: what app and users do."""
    slides = [r.uniform(15 * k, 15 * k + 9) for k in range(8)]
    screen = dict(content='screen', size=(1920, 1080), layers=((None, 1, 2500e3, 30e3),), fps_of=lambda t: 15 if any(0 <= t - s < 1.5 for s in slides) else 1, slides=slides)
    yield case('h-screen-still', 'Slides: one frame a second, then a big one', length=120, send=dict(audio={}, screen=screen), remotes=[dict(audio={}, screen=dict(screen))])
    yield case('h-dim-camera', 'A dark room, the cameras expose longer: 11 frames a second', topology='p2p', length=90, send=talk(dict(fps_of=11)), remotes=[talk(dict(fps_of=10))])
    a, b = r.uniform(30, 45), r.uniform(75, 95)
    yield case('h-muted', 'The user mutes herself by track.enabled', [wrong(a, b, 'publisher', 'none device media', note='the same zeros as of a dead microphone')],
               length=120, send=voice(muted=[(a, b)]), remotes=[voice(), voice()])
    a, b = r.uniform(35, 45), r.uniform(70, 85)
    yield case('h-hold', 'On hold: neither side sends', [wrong(a, b, 'subscriber', 'none media unknown connection', note='nothing comes, and nothing says that this is meant'),
                                                        wrong(a, b, 'publisher', 'none media unknown', note='the encoding is not active')],
               topology='p2p', length=120, send=voice(held=[(a, b)]), remotes=[voice(held=[(a, b)])])
    t, times = 0.0, []
    while t < 170:
        times.append(t)
        t += r.uniform(0.98, 1.05) if t < 40 or t > 130 else r.choice([1, 2, 3, 3, 7, 12]) + r.uniform(0, 0.8)
    yield case('h-background', 'The tab is in the background for a while and its timers are throttled', length=170, times=times, topology='p2p', send=talk(SMALL), remotes=[talk(SMALL)])
    times = [0.0]
    while times[-1] < 110:
        times.append(times[-1] + (2 if r.random() < 0.8 else r.uniform(3, 9)))
    yield case('h-late-reports', 'A busy page reports late', length=115, times=times, send=talk(TEMPORAL), remotes=others(1), pcs=1)
    yield case('h-clock-step', 'The clock is set forward by an hour, and back by 12 s', length=130, topology='p2p', send=talk(SMALL), remotes=[talk(SMALL)],
               clock=lambda t: 0 if t < 50 else 3600 if t < 95 else 3588)
    yield case('h-resized', 'A shared window is resized twice', length=90, send=talk(dict(size=(1280, 720), fps=15, resized=[(30, (720, 480)), (62, (1600, 900))], layers=((None, 1, 2000e3, 30e3),))), remotes=[voice()])
    yield case('h-layers', 'The page pins and unpins a participant, so layers change', length=110, send=voice(), remotes=others(2, limit=lambda t: 2 if t < 35 or t > 75 else 0))
    a, b = r.uniform(30, 40), r.uniform(65, 80)
    off = dict(TEMPORAL, paused=lambda t, k: a <= t < b)
    yield case('h-video-off', 'The app pauses the camera by active=false', length=110, send=talk(off), remotes=others(1))
    yield case('h-max-bitrate', 'The app allows 280 kbit/s for 360p', topology='p2p', length=90, send=talk(dict(SMALL, cap=280e3)), remotes=[talk(dict(SMALL, cap=280e3))])
    yield case('h-dynacast', 'Nobody watches the high layers, the app switches them off', length=100, interval=2,
               send=talk(dict(TEMPORAL, paused=lambda t, k: k == 2 and 25 <= t < 70 or k == 1 and 45 <= t < 70)), remotes=[voice()])


def suspicious(r):
    """Healthy calls whose network is not quite clean."""
    yield case('h-overseas', '170 ms round trip, else clean', [wrong(0, 100, 'publisher', 'none latency', atMost='disturbing'), wrong(0, 100, 'subscriber', 'none latency', atMost='disturbing')],
               topology='p2p', length=100, send=talk(SMALL), remotes=[talk(SMALL)], up=dict(delay=0.085), down=dict(delay=0.085))
    yield case('h-loss-repaired', 'One packet in a hundred is lost and repaired by NACK', [wrong(0, 100, 'subscriber', 'none packetLoss', atMost='disturbing'), wrong(0, 100, 'publisher', 'none packetLoss', atMost='disturbing')],
               topology='p2p', length=100, send=talk(SMALL), remotes=[talk(SMALL)], up=dict(loss=0.008), down=dict(loss=0.01))
    yield case('h-fec-voice', '3 % of single losses, which the FEC of Opus repairs', [wrong(0, 120, 'subscriber', 'none packetLoss', atMost='disturbing'), wrong(0, 120, 'publisher', 'none packetLoss', atMost='disturbing')],
               topology='p2p', length=120, interval=2, send=voice(), remotes=[voice()], up=dict(loss=0.03), down=dict(loss=0.03))
    yield case('h-wifi', 'Wi-Fi with some jitter, which the buffer takes', [wrong(0, 100, 'subscriber', 'none jitter', atMost='disturbing'), wrong(0, 100, 'publisher', 'none jitter', atMost='disturbing')],
               length=100, send=talk(SMALL), remotes=others(1), up=dict(jitter=0.006), down=dict(jitter=0.008))
    yield case('h-fair-queue', 'A download beside the call, but the router queues fairly', length=100, send=talk(SMALL), remotes=others(1), down=dict(cap=16e6, fair=True, cross=[(30, 80)]))
    yield case('h-ice-restart', 'ICE restarts: a new pair after 150 ms', [wrong(60, 64, 'publisher', 'none connection'), wrong(60, 64, 'subscriber', 'none connection')],
               topology='p2p', length=110, send=talk(SMALL), remotes=[talk(SMALL)], pairs=[(60.15, 'ethernet')], up=dict(outages=[(60, 60.15)]), down=dict(outages=[(60, 60.15)]))
    yield case('h-voice-70k', 'A link of 70 kbit/s carries voice alone', length=120, topology='p2p', send=voice(rate=24000), remotes=[voice(rate=24000)], up=dict(cap=70e3, delay=0.035), down=dict(cap=250e3, delay=0.035))
    yield case('h-start', 'A call from its first second; the estimate climbs', [wrong(0, 15, 'publisher', 'none bandwidth recovering', note='the encoder says bandwidth while the estimate climbs'),
                                                                             wrong(0, 8, 'subscriber', 'none media recovering', note='before the first key frame')],
               length=80, start=-0.5, send=talk(TEMPORAL), remotes=others(1))
    a = r.uniform(35, 60)
    yield case('h-blip', 'One stall of 350 ms', [wrong(a, a + 2, 'subscriber', 'none jitter latency connection'), wrong(a, a + 2, 'publisher', 'none jitter latency connection bandwidth')],
               topology='p2p', length=90, send=talk(SMALL), remotes=[talk(SMALL)], up=dict(stalls=[(a, 0.35)]), down=dict(stalls=[(a, 0.35)]))


def uplinks(r):
    """What is sent does not get through."""
    a = 20
    yield case('p-shrinking', 'The uplink shrinks within a minute from 3 Mbit/s to 140 kbit/s and comes back', [wrong(55, 105, 'publisher', 'bandwidth'), wrong(35, 55, 'publisher', 'none bandwidth'), wrong(130, 145, 'publisher', 'none bandwidth recovering', note='recovery')],
               length=150, send=talk(TEMPORAL), remotes=[voice()], up=dict(cap=[(a, 3e6), (80, 180e3), (105, 140e3), (106, 4e6)], queue=0.4))
    yield case('p-narrow', 'An uplink of 240 kbit/s', [wrong(0, 100, 'publisher', 'bandwidth')], topology='p2p', length=100, interval=2, send=talk(), remotes=[talk(SMALL)], up=dict(cap=240e3, queue=0.5))
    a, b = r.uniform(35, 45), r.uniform(85, 100)
    yield case('p-bloat', 'An upload fills the queue of a DSL uplink', [wrong(a, b, 'publisher', 'bandwidth latency'), wrong(a, b, 'subscriber', 'none latency', note='the queue is in the round trip time')],
               topology='p2p', length=130, send=talk(), remotes=[talk(SMALL)], up=dict(cap=2e6, queue=1.0, cross=[(a, b)]))
    a, b = r.uniform(30, 40), r.uniform(80, 90)
    yield case('p-policer', 'A policer drops what exceeds 450 kbit/s, without a queue', [wrong(a, b, 'publisher', 'packetLoss bandwidth')], topology='p2p', length=120, send=talk(), remotes=[talk(SMALL)],
               up=dict(police=(a, b, 450e3, 12000)))
    a, b = r.uniform(35, 45), r.uniform(80, 95)
    yield case('p-shaper', 'A shaper holds the uplink at 300 kbit/s for a while; capacity comes back', squeeze(a, b), length=130, send=talk(TEMPORAL), remotes=[voice()],
               up=dict(cap=during([(a, b)], 300e3, 10e6), queue=0.5))
    yield case('p-voice-42k', 'Voice of 32 kbit/s and its headers on a link of 44 kbit/s', [wrong(0, 120, 'publisher', 'bandwidth latency packetLoss jitter')], topology='p2p', length=120,
               send=voice(speech=1.0), remotes=[voice()], up=dict(cap=44e3, queue=0.6, delay=0.04))
    a, b = r.uniform(40, 50), r.uniform(90, 100)
    yield case('p-loss', '9 % of what is sent is lost', [wrong(a, b, 'publisher', 'packetLoss')], length=120, interval=2, send=talk(TEMPORAL), remotes=[voice()], up=dict(loss=during([(a, b)], 0.09), burst=1.5))
    a, b = r.uniform(40, 50), r.uniform(100, 110)
    yield case('p-firefox-narrow', 'An uplink of 200 kbit/s for a while, Firefox', [wrong(a, b, 'publisher', 'bandwidth latency packetLoss', note='Firefox gives neither reason nor estimate: delay, resolution, rate and quantiser tell'),
               wrong(a, b, 'subscriber', 'none latency')], engine='firefox', topology='p2p', length=150, interval=2, send=talk(), remotes=[talk(SMALL)], up=dict(cap=during([(a, b)], 200e3, 4e6), queue=0.8))
    slides = [8 + 20 * k for k in range(6)]
    screen = dict(content='screen', size=(1920, 1080), layers=((None, 1, 2500e3, 30e3),), fps_of=lambda t: 15 if any(0 <= t - s < 1.5 for s in slides) else 2, slides=slides)
    yield case('p-screen-weak', 'A screen over 350 kbit/s: each slide takes seconds', [wrong(0, 110, 'publisher', 'bandwidth latency none', note='between the slides nothing is wrong')], length=110,
               send=dict(audio={}, screen=screen), remotes=[voice()], up=dict(cap=350e3, queue=1.2))


def downlinks(r):
    """What is received suffers on our side or on the way."""
    a, b = r.uniform(35, 45), r.uniform(85, 95)
    yield case('s-bloat', 'A download fills the queue of our downlink', [wrong(a, b, 'subscriber', 'bandwidth latency packetLoss jitter', ALL_STREAMS), wrong(a, b, 'publisher', 'none latency', note='the queue is in the round trip time')],
               length=110, send=voice(), remotes=others(2), down=dict(cap=5e6, queue=0.7, cross=[(a, b)]))
    a, b = r.uniform(30, 40), r.uniform(75, 85)
    yield case('s-policer', 'A policer of 700 kbit/s on our downlink, and an SFU that does not adapt', [wrong(a, b, 'subscriber', 'packetLoss bandwidth', ALL_STREAMS)], length=110, send=voice(),
               remotes=[dict(talk(SMALL), dumb=True), dict(talk(SMALL), dumb=True)], down=dict(police=(a, b, 700e3, 15000)))
    yield case('s-4g', 'A cell with wandering capacity, 250 kbit/s to 2.5 Mbit/s', [wrong(0, 120, 'subscriber', 'none bandwidth latency jitter packetLoss media', ALL_STREAMS, note='good and bad stretches')],
               length=120, interval=2, send=voice(), remotes=others(2), down=dict(cap=wander(r, 250e3, 2.5e6, 120), queue=0.9, delay=0.035, jitter=0.004))
    a, b = r.uniform(35, 45), r.uniform(80, 95)
    stalls = [(x, r.uniform(0.35, 0.9)) for x in (a + 3 * k + r.uniform(0, 1.5) for k in range(int((b - a) / 3)))]
    yield case('s-wifi-stalls', 'The Wi-Fi scans: stalls of half a second every three seconds', [wrong(a, b, 'subscriber', 'jitter connection latency', ALL_STREAMS), wrong(a, b, 'publisher', 'none jitter latency connection bandwidth packetLoss')],
               length=110, send=talk(SMALL), remotes=others(2), up=dict(stalls=stalls, queue=2), down=dict(stalls=stalls, queue=2))
    a, b = r.uniform(35, 45), r.uniform(85, 95)
    yield case('s-bursts', 'Bursts of loss, 8 % of the packets', [wrong(a, b, 'subscriber', 'packetLoss', ALL_STREAMS)], length=110, send=voice(), remotes=others(2), down=dict(loss=during([(a, b)], 0.08), burst=6))
    yield case('s-jitter-voice', 'Audio alone over a radio with heavy jitter', [wrong(0, 120, 'subscriber', 'jitter latency'), wrong(0, 120, 'publisher', 'none jitter latency')], topology='p2p', length=120, interval=2,
               send=voice(), remotes=[voice()], down=dict(jitter=0.085), up=dict(jitter=0.004))
    a, b = r.uniform(35, 45), r.uniform(80, 95)
    yield case('s-dumb-narrow', 'A downlink of 500 kbit/s for a while, and an SFU that sends more than that', [wrong(a, b, 'subscriber', 'packetLoss bandwidth latency', ALL_STREAMS, atLeast='disturbing'), wrong(a, b, 'publisher', 'none latency packetLoss jitter')],
               length=110, send=voice(), remotes=[dict(talk(SMALL), dumb=True), dict(talk(SMALL), dumb=True)], down=dict(cap=during([(a, b)], 500e3, 8e6), queue=0.5))
    a, b = r.uniform(30, 40), r.uniform(75, 85)
    yield case('s-one-remote-loss', "One of two loses 15 % on the way to the SFU", [wrong(a, b, 'subscriber', 'packetLoss', ONE_STREAM, ('in', 2)), wrong(a, b, 'subscriber', 'none packetLoss jitter latency bandwidth media', ONE_STREAM, ('in', 3))],
               length=110, send=voice(), remotes=[*others(1), *others(1, up=dict(loss=during([(a, b)], 0.15), burst=2))])
    a, b = r.uniform(35, 45), r.uniform(80, 95)
    yield case('s-firefox-loss', 'Firefox receives with 7 % loss', [wrong(a, b, 'subscriber', 'packetLoss')], engine='firefox', topology='p2p', length=120, interval=5, send=talk(SMALL), remotes=[talk(SMALL)],
               down=dict(loss=during([(a, b)], 0.07), burst=2))


def paths(r):
    """Both directions: tunnels, satellites, outages, SFUs in trouble."""
    yield case('b-turn-tcp', 'TURN over TLS on a path that loses 1 %: no loss, but what follows waits', [wrong(0, 120, 'subscriber', 'jitter latency'), wrong(0, 120, 'publisher', 'none jitter latency bandwidth')],
               topology='p2p', length=120, send=talk(SMALL), remotes=[talk(SMALL)], via='relay/tls', up=dict(tcp=True, loss=0.006, delay=0.045), down=dict(tcp=True, loss=0.01, delay=0.045))
    yield case('b-satellite', 'A geostationary satellite, 620 ms', [wrong(0, 110, 'subscriber', 'latency'), wrong(0, 110, 'publisher', 'latency')], topology='p2p', length=110, interval=2,
               send=talk(SMALL), remotes=[talk(SMALL)], up=dict(delay=0.31, cap=3e6, jitter=0.004), down=dict(delay=0.31, cap=10e6, jitter=0.004))
    a = r.uniform(50, 65)
    gap = dict(outages=[(a, a + 4)])
    slower = dict(delay=[(a, 0.015), (a + 0.1, 0.04)])
    yield case('b-roaming', 'From Wi-Fi to 4G: four seconds without a path, then a new pair', [wrong(a, a + 4, 'subscriber', 'connection packetLoss media'), wrong(a, a + 4, 'publisher', 'connection packetLoss none bandwidth'),
               wrong(a + 4, a + 20, 'publisher', 'none recovering connection packetLoss bandwidth latency', note='recovery')],
               topology='p2p', length=120, send=talk(SMALL), remotes=[talk(SMALL)], pairs=[(a + 4, 'cellular')], up=dict(gap, **slower), down=dict(gap, **slower))
    a = r.uniform(60, 70)
    yield case('b-cable-out', 'The network is gone and does not come back', [wrong(a, 110, 'subscriber', 'connection', atLeast='bad'), wrong(a, 110, 'publisher', 'connection', atLeast='bad')],
               length=110, send=talk(SMALL), remotes=others(1), up=dict(outages=[(a, 999)]), down=dict(outages=[(a, 999)]), pcs=1)
    a = r.uniform(45, 60)
    yield case('b-outage', 'Nine seconds without network, same pair', [wrong(a, a + 9, 'subscriber', 'connection', atLeast='disturbing'), wrong(a, a + 9, 'publisher', 'connection packetLoss')], engine='safari',
               topology='p2p', length=120, interval=2, send=talk(SMALL), remotes=[talk(SMALL)], up=dict(outages=[(a, a + 9)]), down=dict(outages=[(a, a + 9)]))
    yield case('b-vpn', 'A VPN that drops packets above 900 bytes: audio passes, big frames do not', [
        wrong(0, 90, 'subscriber', 'packetLoss connection media', None, ('in', 1)), wrong(0, 90, 'publisher', 'packetLoss connection media bandwidth', None, ('out', 1))],
        topology='p2p', length=90, start=-3, send=talk(), remotes=[talk()], up=dict(mtu=900), down=dict(mtu=900))
    a, b = r.uniform(35, 45), r.uniform(80, 90)
    stalls = [(a + k * 0.7, r.uniform(0.1, 0.4)) for k in range(int((b - a) / 0.7))]
    slow = dict(delay=during([(a, b)], 0.12, 0.02), jitter=during([(a, b)], 0.03), loss=during([(a, b)], 0.06), burst=2, stalls=stalls)
    yield case('b-sfu-overload', 'The SFU is overloaded: late, uneven, and some of it lost', [wrong(a, b, 'subscriber', 'packetLoss jitter latency bandwidth', ALL_STREAMS),
               wrong(a, b, 'publisher', 'packetLoss jitter latency bandwidth')], length=105, send=talk(SMALL), remotes=others(2), up=slow, down=slow)
    a, b = r.uniform(35, 45), r.uniform(75, 90)
    # Silence is right too, which its author had not allowed: the sender reports say that nothing was sent, as of a camera that is switched off.
    yield case('s-sfu-stops-one', 'The SFU stops forwarding one camera', [wrong(a, b, 'subscriber', 'none media connection', ONE_STREAM, ('in', 3))], length=105, send=voice(),
               remotes=[*others(1), *others(1, stopped=[(a, b)])])
    yield case('s-no-key-frame', 'The SFU forwards a camera without ever asking for a key frame: it never starts', [wrong(0, 70, 'subscriber', 'media', ONE_STREAM, ('in', 3), atLeast='disturbing')], length=70, send=voice(),
               remotes=[*others(1), *others(1, blind=True)])


def devices(r):
    """Processors, cameras, microphones, decoders."""
    a, b = r.uniform(30, 40), r.uniform(85, 95)
    yield case('p-cpu', 'Another program takes the processor; the encoder says so', [wrong(a, b, 'publisher', 'cpu')], topology='p2p', length=130, send=talk(dict(load=during([(a, b)], 7.5, 1))), remotes=[talk(SMALL)])
    a, b = r.uniform(30, 40), r.uniform(90, 100)
    yield case('p-cpu-firefox', 'The same in Firefox, which gives no reason', [wrong(a, b, 'publisher', 'cpu media device', note='encode time and frame rate tell')], engine='firefox', topology='p2p', length=130, interval=2,
               send=talk(dict(load=during([(a, b)], 18, 1), adapt=False)), remotes=[talk(SMALL)])
    yield case('p-thermal', 'A phone grows hot: encoding takes longer and longer', [wrong(110, 200, 'publisher', 'cpu'), wrong(45, 110, 'publisher', 'none cpu')], engine='native', topology='p2p', length=200, interval=5,
               send=talk(dict(load=[(20, 1), (170, 10)], cost=5)), remotes=[talk(SMALL)])
    a = r.uniform(30, 40)
    yield case('s-cpu-decoder', 'Decoding takes longer than the frames last', [wrong(a, 100, 'subscriber', 'cpu', ['local'])], topology='p2p', length=100, send=voice(), remotes=[talk()],
               receive=dict(slow=[(a, 0.007), (a + 0.1, 0.055)]))
    a = r.uniform(30, 45)
    yield case('p-mic-dead', 'The microphone gives digital zeros', [wrong(a, 110, 'publisher', 'none device media')], length=110, send=talk(SMALL, dead=[(a, 999)]), remotes=[voice(), voice()])
    a = r.uniform(35, 50)
    yield case('p-camera-dead', 'The camera stops giving frames', [wrong(a, 110, 'publisher', 'device media', None, ('out', 1))], topology='p2p', length=110, send=talk(dict(off=[(a, 999)])), remotes=[talk(SMALL)])
    a, b = r.uniform(35, 45), r.uniform(70, 80)
    yield case('p-camera-unplugged', 'The camera is unplugged and plugged in again, an app', [wrong(a, b, 'publisher', 'device media', None, ('out', 1))], engine='native', length=120, interval=2,
               send=talk(dict(TEMPORAL, off=[(a, b)])), remotes=[voice()])
    a = r.uniform(35, 50)
    yield case('s-remote-camera', "Another one's camera stops; the other streams go on", [wrong(a, 100, 'subscriber', 'none media device connection', ONE_STREAM, ('in', 3), note='she may as well have switched it off')],
               length=100, send=voice(), remotes=[*others(1), talk(dict(TEMPORAL, off=[(a, 999)]))])
    yield case('s-cannot-decode', 'Our decoder refuses the stream from some moment on', [wrong(40, 100, 'subscriber', 'media cpu device', None, ('in', 1))], topology='p2p', length=100, send=voice(), remotes=[talk(SMALL)],
               receive=dict(broken=[(40, 999)]))
    a = r.uniform(35, 45)
    yield case('s-remote-mic', 'The microphone of the other one gives zeros', [wrong(a, 110, 'subscriber', 'none device media')], topology='p2p', length=110, interval=2, send=voice(), remotes=[voice(dead=[(a, 999)])])
    a, b = r.uniform(30, 40), r.uniform(80, 90)
    yield case('s-thermal-decoder', 'A slow phone decodes two cameras, each too slowly', [wrong(a, b, 'subscriber', 'cpu', ['local'])], length=110, engine='safari', remotes=others(2),
               receive=dict(slow=during([(a, b)], 0.075, 0.006)))


def several(r):
    """Two problems in a row, two at once."""
    a, b = r.uniform(25, 30), r.uniform(85, 95)
    yield case('m-row', 'First loss on our uplink, then the processor', [wrong(a, a + 30, 'publisher', 'packetLoss'), wrong(b, b + 40, 'publisher', 'cpu')], topology='p2p', length=150,
               send=talk(dict(load=during([(b, b + 40)], 8, 1))), remotes=[talk(SMALL)], up=dict(loss=during([(a, a + 30)], 0.08), burst=2))
    a, b = r.uniform(35, 45), r.uniform(90, 100)
    yield case('m-at-once', 'A narrow uplink, and a decoder that is too slow', [*squeeze(a, b), wrong(a, b, 'subscriber', 'cpu', ['local']), wrong(a, b, 'subscriber', 'none latency')],
               topology='p2p', length=130, send=talk(), remotes=[talk()], up=dict(cap=during([(a, b)], 220e3, 4e6), queue=0.5), receive=dict(slow=during([(a, b)], 0.06, 0.006)))
    a, b = r.uniform(30, 35), r.uniform(80, 85)
    yield case('m-down-then-camera', 'Loss on our downlink, and later our camera fails', [wrong(a, a + 25, 'subscriber', 'packetLoss', ALL_STREAMS), wrong(b, 120, 'publisher', 'device media', None, ('out', 1))],
               length=120, send=talk(dict(SMALL, off=[(b, 999)])), remotes=others(1), down=dict(loss=during([(a, a + 25)], 0.1), burst=3), pcs=1)
    a = r.uniform(30, 40)
    yield case('m-weak-then-gone', 'The radio weakens, then it is gone', [wrong(a, a + 30, 'publisher', 'bandwidth latency packetLoss'), wrong(a, a + 30, 'subscriber', 'bandwidth latency packetLoss jitter none'),
               wrong(a + 30, a + 42, 'publisher', 'connection packetLoss'), wrong(a + 30, a + 42, 'subscriber', 'connection')], topology='p2p', length=120, send=talk(), remotes=[talk()],
               up=dict(cap=during([(a, a + 30)], 260e3, 5e6), queue=0.7, loss=during([(a, a + 30)], 0.02), outages=[(a + 30, a + 42)]),
               down=dict(cap=during([(a, a + 30)], 350e3, 8e6), queue=0.7, loss=during([(a, a + 30)], 0.02), outages=[(a + 30, a + 42)]))


GROUPS = (everyday, odd, suspicious, uplinks, downlinks, paths, devices, several)


def stream(call, track):
    """What names a stream to the reader of a report; Firefox's outbound streams have no name."""
    way, k = track
    if way == 'out':
        return None if call.engine == 'firefox' else call.publisher.sources[k].mid
    r = call.subscriber.receivers[k]
    return r.track if call.engine == 'firefox' else r.mid


def made(seed, c):
    """Runs one case and gives its entry and lines."""
    call = Call(seed, c['name'], **c['call']).run()
    expect = []
    for e in c['expect']:
        e = dict(e, track=stream(call, e['track']) if e['track'] else None)
        expect.append({m: v for m, v in e.items() if v is not None})
    entry = dict(name='tenant-' + c['name'], set='tenant', engine=call.engine, topology=call.topology, interval=call.interval, hasIntent=False, truth=c['truth'], expect=expect)
    if c['doubt']:
        entry['doubt'] = c['doubt']
    if 'clock' in c['call']:
        entry['elapsed'] = call.elapsed
    return entry, call.lines


def tenant(seed=1):
    """(entry of the manifest, lines) of each call."""
    for group in GROUPS:
        for c in group(random.Random(f'tenant {seed} {group.__name__}')):
            yield made(seed, c)
