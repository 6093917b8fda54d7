# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""64 calls, and what is true of each second of them, by someone who had not seen the rules, the other sets, or their scores: the physics of
`stranger_network.py` and `stranger_media.py`, seen through the reports of `stranger_call.py`.

Its labels are not of one view but of the call: in trouble some view names the cause or an acceptable one, and no view names another. Here the end that shows
the trouble has to name it, and the other end may; both have to where both directions have it. What the manifest's format has no words for:

- After how many seconds a trouble has to be known. Where that is later than the scorer's own allowance, an interval without causes comes before; where it is
  earlier (mostly by 3 to 5 s), the scorer's allowance stands. So it does after the end of a trouble (8 s instead of 4), and at the beginning of a call
  (10 s after the first report instead of 5 to 21 s of the call).
- A side that is not said was no mistake. Of subscribers it is said, or counts as a mistake; of publishers it is not asked.
- The sides of calls peer to peer were of two kinds, strict (`bothOrUnclear`: no one sees whose path it is) and acceptable (the physical one); so they were
  through a router, the other way about. Both are right here.
- A track was written as a publisher and perhaps a kind; all its tracks are named, each with an expectation of its own beside the connection's.
"""
import math
import random
from stranger_call import NATIVE, Call
from stranger_network import STEP, between

START = 6  # seconds after its beginning in which the scorer lets a trouble be unknown, beside an interval
CALM = 'none', 'unknown', 'recovering'
UNCLEAR = 'bothOrUnclear'
UP, DOWN, BOTH = ('publisher',), ('subscriber',), ('publisher', 'subscriber')  # who shows a trouble


def stranger(seed=1):
    """All calls of the set as (manifest entry, lines); each seed draws others."""
    calls = []

    def call(*arguments, **options):
        calls.append(Call(seed, *arguments, **options))
        return calls[-1]

    for part in (clean, uplink, downlink, loss, delay, jitter, processor, devices, streams, outages, server):
        part(call)
    for c in calls:
        c.run()
        yield entry(c), [line for _, line in c.lines]


# Truth

def entry(call):
    """What the manifest says of a call."""
    first = call.lines[0][0]
    more = dict(elapsed=[round(t - first, 1) for t, _ in call.lines]) if call.clock else {}
    return dict(name=call.name, set='stranger', engine=call.engine.split()[0].lower(), topology=call.topology, interval=call.interval,
                hasIntent=call.intent is not None, truth=call.title, expect=list(expected(call)), **more)


def expected(call):
    """The expectations of a call, in order of time."""
    first, last = call.lines[0][0], call.lines[-1][0]
    known = max(5, 2 * call.interval + 1)  # from when on anything has to be known
    views = [role for role, tracks in zip(BOTH, (call.up.senders, call.down.receivers)) if tracks]
    for span in sorted(call.spans, key=lambda s: s['begin']):
        begin, end = max(0, round(span['begin'] - first, 1)), round(min(span['end'], last + 1) - first, 1)
        later = round(max(span['begin'] + span['settle'], known) - first - START - call.interval, 1)
        for role in views:
            if later > begin:
                yield dict([('from', begin), ('to', later), ('role', role), ('cause', [])])
            for track in tracks(call, span) if role in span['roles'] else [None]:
                yield expectation(span, role, max(begin, later), end, track)


def expectation(span, role, begin, end, track):
    """What a role has to say of a while, or may: where it does not show a trouble, it may be silent."""
    cause, wrong = [span['cause']] + span['ok'], span['cause'] != 'none'
    if wrong and role not in span['roles']:
        cause = [c for c in CALM if c not in cause] + cause
    e = dict([('from', begin), ('to', end), ('role', role), ('cause', cause)])
    if wrong and role == 'subscriber':
        e['side'] = [span['side']] + span['sides']
    if track:
        e['track'] = track
    if span['note']:
        e['note'] = span['note']
    return e


def tracks(call, span):
    """The media sections of a trouble's tracks, and then none: the connection's own view."""
    if span['track']:
        publisher, kind = span['track']
        mine = call.up.senders if span['roles'] == UP else call.down.receivers
        for k, track in enumerate(mine):
            if kind in (None, track.kind) and (span['roles'] == UP or k // 2 == publisher):
                yield str(k if span['roles'] == UP else len(call.up.senders) + k)
    yield None


# What some of the calls need

def only(which, **options):
    """Options of one publisher's track; the others have none."""
    return lambda k: options if k == which else {}


def underrun(begin, end, share):
    """A loudspeaker that asks in vain for a share of what it plays."""
    def play(call, t):
        if begin <= t < end and call.draw.random() < .6:
            call.played['made_up'] += STEP * share / .6 * call.draw.uniform(.6, 1.4)
            call.played['events'] += call.draw.choice((1, 1, 2))
            call.played['delay'] += 48000 * STEP * .09
    return play


def intent(role):
    """What an app says of its tracks: all is wanted, and nobody muted."""
    size = dict(width=1280, height=720)
    audio = dict(enabled=True, muted=False, maximumBitrate=32000)
    video = dict(enabled=True, cameraOn=True, videoType='camera', retransmission='ownSSRC')
    if role == 'publisher':
        audio['discontinuous'] = False
        video.update(preferredFrameRate=30, layers=[dict(enabled=True, maximumBitrate=2200000, maximumFrameRate=30, size=size)])
    else:
        video['wantedLayer'] = dict(enabled=True, maximumBitrate=1500000, size=size)
    return dict(role=role, routing='routed', audio=audio, video=video)


# The calls

def clean(call):
    call('c01-listener', 'Three others talk, this one only listens and watches, reports each 2 s', interval=2, receives=3, sends=())
    call('c02-muted', 'Microphone muted for most of the call, camera on', sent_audio=dict(mode=lambda t: 'muted' if 18 <= t < 75 or t > 95 else 'on'))
    call('c03-dark-room', 'Dim room: the camera exposes longer and gives 8-10 fps', topology='p2p', length=90,
         sent_video=dict(captured=lambda t: 30 if t < 15 else 8 + 1.5 * math.sin(t / 7), content=.8))
    call('c04-static-screen', 'Presenter shows a still slide for minutes; next slide now and then', sends=('a',), receives=2,
         screen=dict(size=(1920, 1080), fps=15, most=1.8e6, need=.15, captured=lambda t: 15 if t % 40 < 2 else 1, content=lambda t: .9 if t % 40 < 2 else .02))

    def talks(t):
        return not 40 <= t < 85
    call('c05-hold', 'Call on hold 40-85 s: nothing is sent either way', engine=NATIVE, topology='p2p',
         sent_audio=dict(mode=lambda t: 'on' if talks(t) else 'off'), sent_video=dict(active=talks), forwarded=dict(active=talks),
         received_audio=dict(flow=talks)).calm(
             40, 85, 'unknown', settle=4, note='held: idle is not trouble')
    call('c06-background-tab', 'Viewer hides the tab 30-80 s; router pauses its videos, audio goes on', receives=2, sends=('a',), length=110,
         forwarded=dict(active=lambda t: not 30 <= t < 80)).calm(30, 80, 'unknown', settle=4, note='videos paused on purpose')
    call('c07-dtx-voice', 'Voice call with Opus DTX both ways', topology='p2p', audio_only=True, length=150, sent_audio=dict(dtx=True, rate=24000), interval=2)
    call('c08-small-tile', 'The tile is made small twice, the router switches layers as asked', length=100, receives=2,
         forwarded=only(0, cap=lambda t: 0 if 30 <= t < 55 else 1 if 75 <= t else 2))
    call('c09-vpn-180', 'A VPN with 180 ms round trip, steady, reports each 10 s', topology='p2p', interval=10, length=150, up=dict(owd=.088),
         down=dict(owd=.09))
    call('c10-repaired-bursts', '0.3 % loss in short bursts, all repaired by RTX', length=150, receives=2, up=dict(loss=.003, burst=.12),
         down=dict(loss=.003, burst=.12), received_audio=dict(fec=.8))
    call('c11-wifi-8ms', 'Firefox (old: no pair RTT, no media-source), Wi-Fi jitter of 8 ms, nobody hears it', engine='Firefox', is_new=False, length=100,
         up=dict(jitter=.007), down=dict(jitter=.007))
    call('c12-ramp-up', 'A joiner without probing: picture grows for 25 s', engine=NATIVE, topology='p2p', length=90, sent_video=dict(need=.35),
         congestion=dict(probe=False, start=300e3, top=4e6)).calm(
             0, 30, 'recovering unknown', settle=5, note='start-up of the estimate, not a narrow network')
    call('c13-av1-svc', 'AV1 L3T3_KEY through a router', codec='AV1', simulcast=False, sent_video=dict(mode='svc', encode=.013), length=90)
    call('c14-renegotiated-ids', 'Renegotiation at 45 s: every id of the report is new, counters go on', length=90, receives=2).then(
        45, lambda c: setattr(c, 'generation', 1))
    call('c15-clock-step', 'The clock of the machine is set ahead by 7 minutes at 50 s', engine='Safari', length=100).then(
        50, lambda c: setattr(c, 'clock', 420)).calm(50, 58, 'unknown', settle=3, note='clock step')
    call('c16-new-ssrcs', 'All streams start anew with other SSRCs at 40 s, counters from zero', length=90).then(40, Call.new_streams)
    c = call('c17-tab-sleep', 'The machine sleeps between reports: a gap of 30 s, media went on', engine='Firefox', receives=2)
    c.skip = 50, 80
    c.calm(50, 84, 'unknown', settle=0, note='no report for 30 s')
    call('c18-one-leaves', 'One of three leaves at 60 s: its streams end, later vanish', length=100, receives=3, forwarded=only(1, active=lambda t: t < 60),
         received_audio=only(1, flow=lambda t: t < 60)).then(63, lambda c: c.gone.update((2, 3))).calm(59, 64, settle=5, note='left')


def uplink(call):
    call('u01-cap500-p2p', 'Uplink narrowed to 500 kbps at 30 s', topology='p2p', length=140,
         up=dict(rate=between(30, 90, 500e3, 8e6), longest_queue=.4)).narrow(30, 90, UP)
    call('u02-cap700-simulcast', 'Uplink narrowed to 700 kbps: the top layer of three is dropped', length=150,
         up=dict(rate=between(35, 100, 700e3, 10e6), longest_queue=.3)).narrow(35, 100, UP)
    call('u03-firefox-cap400', 'Firefox, uplink narrowed to 400 kbps', engine='Firefox', length=140, sent_video=dict(most=1.7e6),
         up=dict(rate=between(40, 100, 400e3, 10e6), longest_queue=.5)).narrow(
             40, 100, UP, note='Firefox says neither an estimate nor a limitation: only queue, bitrate and size show it')
    call('u04-safari-cap600', 'Safari H.264, uplink narrowed to 550 kbps, reports each 2 s', engine='Safari', topology='p2p', interval=2, length=140,
         sent_video=dict(most=1.8e6), up=dict(rate=between(30, 100, 550e3, 6e6), longest_queue=.35)).narrow(30, 100, UP)
    call('u05-native-cap300-5s', 'Native app on a poor uplink of 300 kbps, reports each 5 s', engine=NATIVE, interval=5, length=180,
         sent_video=dict(most=1.5e6), up=dict(rate=between(50, 130, 300e3, 8e6), longest_queue=.6)).narrow(50, 130, UP)
    call('u06-lte-swings', 'Mobile uplink that swings between 250 and 800 kbps all the time', length=150,
         up=dict(rate=lambda t: 8e6 if t < 30 else 525e3 + 275e3 * math.sin(t / 4.1), longest_queue=.5)).narrow(30, 150, UP)
    call('u07-screen-and-camera', 'Screen share and camera through an uplink of 600 kbps', length=140,
         screen=dict(size=(1920, 1080), fps=8, most=1.6e6, need=.5, content=.9),
         up=dict(rate=between(35, 95, 600e3, 12e6), longest_queue=.4)).narrow(35, 95, UP)
    call('u08-cloud-backup', 'A backup of the same machine takes nearly all of a 3 Mbps uplink', length=140, simulcast=False,
         up=dict(rate=3e6, cross=between(35, 95, 2.5e6), longest_queue=.3)).narrow(35, 95, UP)


def downlink(call):
    call('d01-cap400-p2p', 'Downlink narrowed to 400 kbps, peer to peer: the sender adapts', topology='p2p', length=140,
         down=dict(rate=between(35, 95, 400e3, 10e6), longest_queue=.4)).narrow(35, 95, DOWN, tail=50)
    call('d02-three-layers-down', 'Downlink 900 kbps with three publishers: the router switches layers down', receives=3, length=140,
         down=dict(rate=between(35, 95, 900e3, 20e6), longest_queue=.3)).narrow(35, 95, DOWN, ok='recovering', tail=50)
    call('d03-firefox-350', 'Firefox behind 350 kbps, one publisher', engine='Firefox', length=140,
         down=dict(rate=between(40, 100, 350e3, 10e6), longest_queue=.5)).narrow(40, 100, DOWN, ok='recovering', tail=50)
    call('d04-safari-four-2s', 'Safari, four publishers, 800 kbps, reports each 2 s', engine='Safari', receives=4, interval=2, length=140,
         down=dict(rate=between(36, 100, 800e3, 20e6), longest_queue=.35)).narrow(36, 100, DOWN, ok='recovering', tail=50)
    call('d05-native-swings-5s', 'Native viewer on a mobile downlink swinging 200-700 kbps, reports each 5 s', engine=NATIVE, interval=5, sends=(), length=180,
         down=dict(rate=lambda t: 10e6 if t < 45 else 450e3 + 250e3 * math.sin(t / 5.3), longest_queue=.6)).narrow(45, 180, DOWN)
    call('d06-no-adaptation', 'A router without congestion control sends 1.5 Mbps into 700 kbps', forwarded=dict(dumb=True),
         down=dict(rate=between(40, 85, 700e3, 10e6), longest_queue=.45)).narrow(40, 85, DOWN, tail=8, note='full queue and heavy loss together')


def loss(call):
    call('l01-up-random-5-p2p', '5 % random loss on the way out, RTX repairs, reports each 10 s', topology='p2p', interval=10, length=180,
         up=dict(loss=between(50, 130, .05))).span(50, 130, UP, 'packetLoss', UNCLEAR, sides='local')
    call('l02-up-bursts', 'Uplink loses 5 % in bursts of a third of a second', length=140, up=dict(loss=between(30, 100, .05), burst=.3)).span(
        30, 100, UP, 'packetLoss', sides=UNCLEAR, settle=6)
    call('l03-down-random-6', 'Firefox, downlink loses 6 % at random', engine='Firefox', receives=2, down=dict(loss=between(30, 90, .06))).span(
        30, 90, DOWN, 'packetLoss', sides=UNCLEAR)
    call('l04-down-bursts-safari', 'Safari, downlink loses 4 % in bursts, some delay spikes with it (radio)', engine='Safari', topology='p2p', length=140,
         interval=2, down=dict(loss=between(40, 110, .04), burst=.25, jitter=between(40, 110, .008, .002))).span(
             40, 110, DOWN, 'packetLoss', UNCLEAR, sides='local', settle=8)
    call('l05-voice-8', 'Voice only, 8 % loss, no FEC', engine=NATIVE, topology='p2p', audio_only=True, received_audio=dict(fec=0),
         down=dict(loss=between(35, 90, .08))).span(35, 90, DOWN, 'packetLoss', UNCLEAR, sides='local')
    call('l06-remote-uplink-lossy', 'One of four publishers has a lossy uplink (7 %), the others are well', receives=4,
         received_video=only(2, upstream_loss=between(35, 90, .07), rtx=False), received_audio=only(2, upstream_loss=between(35, 90, .07))).span(
             35, 90, DOWN, 'packetLoss', 'remote', sides=UNCLEAR, track=(2, None), note='streams of one publisher only')


def delay(call):
    far = dict(owd=between(45, 999, .235, .018), down=between(45, 45.8, True, False))
    call('y01-handover', 'Wi-Fi to a mobile network by a far gateway: 40 ms become 480 ms, new pair', up=far, down=far).then(45, Call.new_path).span(
        45, 120, BOTH, 'latency', sides=UNCLEAR, settle=6)
    call('y02-bufferbloat', "Another's upload keeps the modem's queue at half a second to a second", length=140, simulcast=False,
         up=dict(other=between(35, 95, lambda t: .45 + .5 * ((t - 35) % 7 / 7)))).narrow(
             35, 95, UP, ok='latency', tail=45, note='a queue of another flow on the same line')
    call('y03-satellite', 'Geostationary satellite: 620 ms all the time', engine='Firefox', topology='p2p', length=100,
         up=dict(owd=.31, jitter=.004), down=dict(owd=.305, jitter=.004)).span(0, 100, BOTH, 'latency', UNCLEAR, sides='local', settle=6)
    longer = dict(owd=between(40, 100, .21, .02))
    call('y04-detour', 'Route flap: 45 ms become 430 ms for a minute, same pair', engine=NATIVE, length=140, interval=2, up=longer, down=longer).span(
        40, 100, BOTH, 'latency', UNCLEAR, sides='local server', settle=6)


def jitter(call):
    call('j01-voice-jitter', 'Downlink jitter of 50 ms (neighbour Wi-Fi), audio is stretched and concealed', topology='p2p',
         down=dict(jitter=between(35, 90, .055, .002))).span(35, 90, DOWN, 'jitter', UNCLEAR, sides='local')
    c = call('j02-wifi-stalls-up', 'Wi-Fi power saving holds what is sent for 150-250 ms each 2 s; the estimate is knocked down each time', length=140,
             simulcast=False, up=dict(jitter=between(32, 105, .012, .002)))
    draw, stalls, begin = random.Random(c.seed * 31 + 7), [], 32.0
    while begin < 105:
        stalls.append((round(begin, 1), draw.choice((.2, .3)), draw.uniform(.14, .26)))
        begin += draw.uniform(1.4, 3)
    c.up.net.spike = lambda t: max([held for begin, length, held in stalls if begin <= t < begin + length] or [0])
    c.span(32, 105, UP, 'jitter', ok='bandwidth', sides=UNCLEAR, settle=6, note='delay variation, no standing queue, no loss')
    c.calm(105, 135, 'recovering jitter', note='the estimate climbs back')
    call('j03-firefox-60', 'Firefox (old: no pair RTT, no media-source), downlink jitter of 60 ms, two publishers', engine='Firefox', is_new=False, receives=2,
         down=dict(jitter=between(30, 85, .062, .002))).span(30, 85, DOWN, 'jitter', sides=UNCLEAR)
    call('j04-safari-voice-5s', 'Safari voice call, jitter 55 ms, reports each 5 s', engine='Safari', audio_only=True, length=150, interval=5,
         down=dict(jitter=between(50, 110, .058, .002))).span(50, 110, DOWN, 'jitter', sides=UNCLEAR)


def processor(call):
    call('p01-encode-chrome', 'Sender overloaded: encoder slow, adapts down twice', length=130, simulcast=False,
         sent_video=dict(cpu=between(35, 95, 2), encode=.012)).span(35, 95, UP, 'cpu', settle=10).calm(
             95, 120, 'recovering cpu', note='the encoder adapts back up')
    call('p02-decode-chrome', 'Viewer overloaded: 60 ms per frame at 30 fps, frames dropped', sends=('a',),
         received_video=dict(decode=between(35, 85, .06, .006))).span(35, 85, DOWN, 'cpu', settle=6)
    call('p03-encode-native', 'Native software encoder on a hot phone', engine=NATIVE, topology='p2p', interval=2, length=140,
         sent_video=dict(cpu=between(40, 105, 2), encode=.016)).span(40, 105, UP, 'cpu', settle=12).calm(
             105, 130, 'recovering cpu', note='the encoder adapts back up')
    call('p04-decode-firefox', 'Firefox viewer decodes 1.5 Mbps by software: 55 ms per frame', engine='Firefox', sends=('a',),
         received_video=dict(decode=between(35, 90, .055, .007))).span(35, 90, DOWN, 'cpu', settle=6)


def devices(call):
    call('v01-dead-mic', 'Driver hangs: the microphone gives digital zeros though nobody muted (intent says so)', length=110, simulcast=False, receives=0,
         sent_audio=dict(mode=lambda t: 'dead' if 40 <= t else 'on'), intent=intent('publisher')).span(
             40, 110, UP, 'device', settle=10, track=(None, 'audio'))
    call('v02-camera-frozen', 'The camera driver hangs at 45 s: no frame any more, track still live', length=110, simulcast=False,
         sent_video=dict(captured=lambda t: 30 if t < 45 else 0)).span(45, 110, UP, 'device', settle=8, track=(None, 'video'))
    call('v03-mic-unplugged', 'Microphone unplugged at 40 s: no more samples, nothing sent, video goes on', engine=NATIVE, topology='p2p', length=100,
         sent_audio=dict(mode=lambda t: 'gone' if t >= 40 else 'on')).span(40, 100, UP, 'device', settle=8, track=(None, 'audio'))
    c = call('v04-playout-underrun', 'The loudspeaker runs dry: 12 % synthesized samples, network fine', length=110, receives=2)
    c.playout = underrun(35, 85, .12)
    c.span(35, 85, DOWN, 'device', settle=6, ok='cpu')


def streams(call):
    call('s01-sender-stutters', "The publisher's capture stalls 3 s of each 6 s; its audio is whole, no loss", receives=2,
         forwarded=only(0, captured=lambda t: 30 if t < 35 or t > 90 or (t - 35) % 6 < 3 else 0)).span(
             35, 90, DOWN, 'media', 'remote', ok='cpu device', sides=UNCLEAR, settle=8, track=(0, 'video'),
             note='flows, stops, flows; at most half of the seconds show no frame')
    call('s02-never-started', 'A subscribed camera never sends a packet; audio works', sends=(), length=80, forwarded=dict(active=False),
         intent=intent('subscriber')).span(0, 80, DOWN, 'media', UNCLEAR, sides='remote server', settle=12, track=(0, 'video'))
    call('s03-undecodable', 'Packets come, no frame is ever decoded (wrong key), PLI goes on', receives=2, length=80,
         received_video=only(1, broken=True)).span(0, 80, DOWN, 'media', UNCLEAR, sides='remote local', settle=10, track=(1, 'video'))
    call('s04-no-audio', 'Audio of the publisher never arrives though it is on; video plays', sends=(), length=80, received_audio=dict(flow=False),
         intent=intent('subscriber')).span(0, 80, DOWN, 'media', UNCLEAR, sides='remote server', settle=12, track=(0, 'audio'))
    call('s05-one-of-nine', 'One of nine freezes: packets come, nothing decodes, PLIs unanswered', receives=9, length=100,
         forwarded=lambda k: dict(cap=0 if k else 1), received_video=only(5, broken=between(35, 80, True, False))).span(
             35, 80, DOWN, 'media', 'remote', sides=UNCLEAR, settle=6, track=(5, 'video'))


def outages(call):
    gone = dict(down=between(40, 56, True, False))
    call('o01-ice-disconnect', 'Network gone for 16 s, ICE says disconnected, then comes back', length=110, receives=2, up=gone, down=gone).span(
        40, 56, BOTH, 'connection', sides=UNCLEAR, settle=3).calm(56, 86, 'recovering', settle=6, note='after the outage')
    gone = dict(down=between(50, 60, True, False))
    call('o02-drop-native', 'All packets lost for 10 s both ways, reports each 2 s', engine=NATIVE, topology='p2p', interval=2, length=110, up=gone,
         down=gone).span(50, 60, BOTH, 'connection', UNCLEAR, sides='local', settle=4).calm(60, 90, 'recovering', settle=6, note='after the outage')
    call('o03-one-way', 'Nothing arrives for 14 s while sending goes on', engine='Firefox', length=100, receives=2,
         down=dict(down=between(45, 59, True, False))).span(45, 59, DOWN, 'connection', sides=UNCLEAR, settle=3).calm(
             59, 85, 'recovering', settle=6, note='after the outage')


def server(call):
    lossy = dict(loss=between(40, 90, .06), jitter=between(40, 90, .012, .002))
    call('r01-router-overloaded', 'The router drops and delays what all send and all get: every stream loses 6 %, both legs', receives=5, up=lossy,
         down=lossy).span(40, 90, BOTH, 'packetLoss', 'server', sides=UNCLEAR, ok='jitter', note='both legs and every publisher alike')

    def forwards(t):
        return not 45 <= t < 80
    c = call('r02-router-stops', 'The router forwards nothing for 35 s: all streams of all stop at once, ICE, RTCP and the uplink go on', receives=4,
             length=110, forwarded=dict(active=forwards), received_audio=dict(flow=forwards))
    for x in c.down.receivers:
        if x.kind == 'audio':
            x.expecting = lambda t: not forwards(t)
    c.no_sender_reports = between(45, 80, True, False)
    c.span(45, 80, DOWN, 'media', 'server', ok='connection', sides=UNCLEAR, settle=6,
           note='all publishers in the same instant, own uplink confirmed by reports')
