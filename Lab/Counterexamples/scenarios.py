# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The classes of calls: what goes wrong, and what somebody who sees only the report could conclude from it."""
import random
from calls import Call, ENGINES, LIBWEBRTC, pub, sub

CLASSES = {}
SEEN_FROM_THERE = 'none latency bandwidth jitter'  # the other direction's queue or jitter is in every round trip: saying so is no mistake
ANY_SIDE = 'local remote bothOrUnclear unknown'


def scenario(engines=ENGINES, topologies=('p2p', 'sfu', 'sfu-one'), intervals=(1, 2, 5, 10), intents=(False, False, True)):
    """Names a class and says for which shapes it makes sense. The function returns the truth and what is expected."""
    def put(make):
        CLASSES[make.__name__] = dict(make=make, engines=engines, topologies=topologies, intervals=intervals, intents=intents)
        return make
    return put


def after(c, make, end, well, cause='recovering none bandwidth'):
    """While congestion control climbs after the trouble the picture may still be small (`well` is when it is no longer, None: never)."""
    well = c.length if well is None else well
    return [make(end, max(well, end + 1), cause)] if well > end else []


# Loss

@scenario()
def uplink_loss(c, r):
    c.build(svc=c.engine == 'chrome' and r.random() < .2)
    b, e = c.window()
    q = r.uniform(.05, .13)
    c.at(b, e, c.path, loss_up=q, wobble=r.choice((.01, .12)))
    c.run(e + 40)
    return f'{q:.0%} of what is sent is lost on the uplink', [pub(b, e, 'packetLoss')] + after(c, pub, e, c.well)


@scenario()
def downlink_loss(c, r):
    c.build()
    b, e = c.window()
    q = r.uniform(.04, .12)
    c.at(b, e, c.path, loss_down=q)
    c.run(e + 40)
    return f'{q:.0%} of what is received is lost on the way', [sub(b, e, 'packetLoss', c.side())] + after(c, sub, e, c.well_down)


@scenario(intervals=(1, 2, 5))
def repaired_bursts(c, r):
    c.build()
    every, up = r.randint(11, 19), r.random() < .5
    for a in c.audios:
        a.fec = 1
    for t in range(15, 110, every):
        c.at(t, t + 1, c.path, **{'loss_up' if up else 'loss_down': r.uniform(.06, .12)})
    c.run(120)
    make = pub if up else sub
    return 'single bursts of loss, each repaired: nobody sees or hears them', [make(15, 115, 'none packetLoss', atMost='noticeable')]


@scenario(topologies=('sfu-one',), intents=(False,))
def one_publisher_loses(c, r):
    c.build()
    b, e = c.window()
    track = c.videos[r.randint(1, 8)]
    c.at(b, e, track, loss=r.uniform(.16, .25))
    c.run(e + 30)
    return 'one of ten publishers loses packets; the other nine are well', [sub(b, e, 'packetLoss', 'remote bothOrUnclear unknown server', track=c.named(track))]


@scenario(topologies=('p2p', 'sfu'))
def audible_concealment(c, r):
    c.build(audio_only=r.random() < .5)
    b, e = c.window()
    c.audios[0].fec = .1
    c.at(b, e, c.path, loss_down=r.uniform(.13, .2))
    c.run(e + 40)
    return 'loss that the audio decoder must conceal: more than a tenth of what is heard', [sub(b, e, 'packetLoss', c.side(), atLeast='disturbing')] + after(c, sub, e, c.well_down if c.videos else e)


@scenario(topologies=('p2p', 'sfu'))
def mtu_hole(c, r):
    c.build()
    b, e = c.window()
    c.at(b, e, c.path, big_down=r.uniform(.96, 1))
    c.run(e + 30)
    return 'only large packets are lost: audio is perfect, the picture stands still', [sub(b, e, 'packetLoss media connection', atLeast='bad'), sub(e, e + 6, 'none recovering media packetLoss')]


# Bandwidth

def capped(c, r, low, high, b, e):
    c.at(b, e, c.path, cap_up=r.uniform(low, high), queue_limit=r.uniform(.25, .6))
    c.run(e + 50)
    blurred = c.engine.startswith('firefox') and c.interval > 2  # the queue's short peaks fall between reports, and there is no estimate
    return [pub(b, e, 'bandwidth unknown' if blurred else 'bandwidth'), sub(b, e + 5, SEEN_FROM_THERE)] + after(c, pub, e, c.well)


@scenario()
def uplink_cap(c, r):
    c.build(rate=r.choice((1.7e6, 2.4e6)))
    return 'the uplink carries less than the camera needs', capped(c, r, 200e3, 600e3, *c.window())


@scenario(engines=('chrome', 'safari', 'native', 'firefox154'), topologies=('sfu',))
def uplink_cap_simulcast(c, r):
    c.build(simulcast=True)
    return 'the uplink carries only the lower simulcast layers', capped(c, r, 350e3, 900e3, *c.window())


@scenario(engines=('chrome',), topologies=('sfu', 'sfu-one'))
def uplink_cap_svc(c, r):
    c.build(svc=True, rate=1.7e6)
    return 'the uplink carries only the lower spatial layers', capped(c, r, 250e3, 500e3, *c.window())


@scenario()
def cap_ends(c, r):
    c.build(rate=2.4e6)
    b = r.randint(25, 35)
    return 'a short shortage on the uplink, then congestion control climbs back', capped(c, r, 150e3, 300e3, b, b + max(r.randint(15, 25), 4 * c.interval))


@scenario(topologies=('p2p',), intents=(False,))
def downlink_cap_p2p(c, r):
    c.build(rate=r.choice((1.7e6, 2.4e6)))
    b, e = c.window()
    c.at(b, e, c.path, cap_down=r.uniform(200e3, 500e3))
    c.run(e + 50)
    return "the far sender's estimate falls: its picture shrinks", [sub(b, e, 'bandwidth unknown' if c.engine == 'firefox' else 'bandwidth', c.side()), pub(b, e + 5, SEEN_FROM_THERE)] \
        + after(c, sub, e, c.well_down)


@scenario(topologies=('sfu', 'sfu-one'))
def downlink_cap_sfu(c, r):
    c.build()
    b, e = c.window()
    c.at(b, e, c.path, cap_down=r.uniform(.1, .3) * sum(v.wish for v in c.videos), queue_limit=r.uniform(.3, .6))
    c.run(e + 50)
    causes = 'bandwidth unknown' if c.engine == 'firefox' else 'bandwidth'
    return 'the downlink is too small: the SFU sends lower layers', [sub(b, e, causes, c.side()), pub(b, e + 5, SEEN_FROM_THERE)] + after(c, sub, e, c.well_down)


@scenario()
def bufferbloat(c, r):
    c.build(rate=r.choice((1.2e6, 1.7e6)))
    b, e = c.window()
    mean, swing = r.uniform(.5, 1.2), r.randint(7, 13)
    c.at(b, e, c.path, foreign=lambda t: mean * (.75 + .5 * ((t - b) % swing) / swing) * r.uniform(.95, 1.05))
    c.run(e + 50)
    return "another upload on the same line fills the modem's queue", [pub(b, e, 'bandwidth'), sub(b, e + 5, SEEN_FROM_THERE)] + after(c, pub, e, c.well)


@scenario(topologies=('p2p', 'sfu'))
def starved_all_along(c, r):
    c.build(rate=1.7e6)
    c.camera.forced = ((320, 180), 1, 30e3)
    c.up.value = 80e3
    c.path.cap_up, c.path.queue_limit = 70e3, .3
    base = c.path.rtt
    c.at(-99, 999, c.path, rtt=lambda t: base + r.uniform(.02, .25))
    c.run(100)
    return '720p are captured, 320x180 at one frame a second are sent for want of bandwidth, the whole call', [pub(0, 100, 'bandwidth', atLeast='bad'), sub(0, 100, SEEN_FROM_THERE)]


@scenario(engines=LIBWEBRTC)
def unseen_backoffs(c, r):
    c.build()
    every = r.randint(11, 17)
    c.at(0, 999, c.path, backoff=lambda t: c.camera.rate * 1.25 if t % every == 5 else False, rtt=lambda t: c.rtt_at_start + (r.uniform(.1, .2) if t % every == 5 and r.random() < .5 else 0))
    c.run(150)
    return 'the estimate backs off now and then, always to more than is sent', []


# Delay

@scenario(intervals=(1, 2, 5))
def held_back_by_variation(c, r):
    c.build(rate=2.4e6)
    b, e = c.window(50, 80)
    jitter, floor = r.uniform(.012, .04), r.uniform(4e5, 9e5)
    c.at(b, e, c.path, jitter_up=lambda t: jitter * r.uniform(.7, 1.3), wobble=.02 + jitter, backoff=lambda t: c.up.value > floor and r.random() < .6)
    c.run(e + 50)
    causes = 'jitter' if jitter >= .02 and c.engine in LIBWEBRTC else 'jitter bandwidth'
    return f'delay varies by {jitter * 1000:.0f} ms, congestion control backs off again and again, nothing is lost or queued', \
        [pub(b, e, causes), sub(b, e, 'none jitter latency')] + after(c, pub, e, c.well, 'recovering none bandwidth jitter')


@scenario()
def steady_latency(c, r):
    c.path.rtt = r.uniform(.25, .6)
    c.build()
    c.run(100)
    causes = 'latency' if c.path.rtt > .4 else 'latency none'
    return f'the round trip takes {c.path.rtt * 1000:.0f} ms, steadily', [pub(0, 100, causes), sub(0, 100, causes if c.engine in LIBWEBRTC and c.topology != 'p2p' else 'latency none')]


@scenario()
def handover(c, r):
    c.build()
    b = r.randint(30, 40)
    cut, pair = r.random() < .5, r.choice((1, 2))
    c.at(b, 999, c.path, rtt=c.path.rtt + r.uniform(.07, .11), pair=pair)
    if cut:
        c.at(b, b + 2, c.path, cut_up=True, cut_down=True)
    c.run(b + 80)
    words = 'none connection recovering latency jitter packetLoss bandwidth unknown'
    return 'a handover to a longer path; after it everything is well', [pub(b, max(b + 6, c.until_well), words), sub(b, max(b + 6, c.until_well_down), words)]


@scenario()
def audio_jitter(c, r):
    c.build()
    b, e = c.window()
    jitter = r.uniform(.045, .08)
    for a in c.audios:
        c.at(b, e, a, late=r.uniform(.02, .06))
    c.at(b, e, c.path, jitter_down=lambda t: jitter * r.uniform(.8, 1.2))
    c.run(e + 30)
    return f'what is received comes with {jitter * 1000:.0f} ms of jitter', [sub(b, e, 'jitter', c.side()), pub(b, e, 'none jitter latency')]


@scenario(intervals=(1, 2, 5), topologies=('p2p', 'sfu'))
def short_stalls(c, r):
    c.build()
    b, e = c.window()
    every = r.choice((1, 2, 3, 4))
    c.at(b, e, c.path, stall_down=lambda t: r.uniform(.35, .85) if t % every == 0 else 0)
    c.run(e + 30)
    return f'the path stands still for half a second every {every} s; nothing is lost, the picture freezes', \
        [sub(b, e, 'jitter connection', 'local bothOrUnclear unknown', atLeast='noticeable'), pub(b, e, SEEN_FROM_THERE)]


@scenario(intervals=(1, 2, 5), topologies=('p2p', 'sfu'))
def turn_over_tcp(c, r):
    c.path.relay = 'tcp'
    c.build()
    b, e = c.window()
    every = r.choice((2, 3, 4))
    c.at(b, e, c.path, stall_down=lambda t: r.uniform(.5, .95) if t % every == 0 else 0, stall_up=lambda t: r.uniform(.3, .9) if t % every == 1 else 0,
         jitter_up=.03, backoff=lambda t: c.up.value > 9e5 and t % every == 1)
    c.run(e + 50)
    return 'relayed over TCP: a lost segment holds up all that follows', [sub(b, e, 'jitter connection latency', 'local bothOrUnclear unknown'), pub(b, e, 'none jitter latency connection bandwidth')] \
        + after(c, pub, e, c.well)


# Connection

@scenario()
def outage(c, r):
    c.build()
    b = max(r.randint(25, 40), 5 * c.interval)
    e = b + max(r.randint(8, 16), round(2.3 * c.interval))
    c.at(b, e, c.path, cut_up=True, cut_down=True, ice=lambda t: 'disconnected' if t > b + 4 else 'connected')
    if r.random() < .5:
        c.at(e, 999, c.path, pair=2)
    c.run(e + 60)
    words = 'recovering none connection bandwidth packetLoss unknown'
    return f'nothing arrives for {e - b} s, then the connection is back', [pub(b, e, 'connection', atLeast='bad'), sub(b, e, 'connection', ANY_SIDE if c.topology != 'p2p' else 'bothOrUnclear unknown', atLeast='bad'),
        pub(e, max(e + 8, c.until_well), words), sub(e, max(e + 8, c.until_well_down), words)]


@scenario(intervals=(1, 2, 5))
def ice_disconnected(c, r):
    c.build()
    b = max(r.randint(25, 40), 5 * c.interval)
    e = b + max(r.randint(14, 25), round(3 * c.interval))
    c.at(b, e, c.path, cut_up=True, ice=lambda t: 'disconnected' if t > b + 5 else 'connected')
    c.run(e + 60)
    return 'nothing of what is sent arrives and ICE is disconnected; the way back works', [pub(b, e, 'connection', atLeast='bad'), sub(b, e, 'connection none unknown'),
        pub(e, max(e + 8, c.until_well), 'recovering none connection bandwidth packetLoss unknown'), sub(e, e + 8, 'connection none recovering unknown')]


@scenario(intervals=(1, 2, 5), topologies=('p2p', 'sfu'))
def sleep(c, r):
    c.build()
    b = r.randint(5, 7) * 5
    e = b + 120
    c.asleep(b, e)
    c.at(b, e, c.path, asleep=True)
    c.at(e, e + 4, c.path, cut_up=True, cut_down=True, ice='disconnected')
    c.run(e + 60)
    words = 'none connection recovering bandwidth packetLoss unknown'
    return 'the machine sleeps for two minutes', [pub(b, max(e + 10, c.until_well), words), sub(b, max(e + 10, c.until_well_down), words)]


# Devices

@scenario()
def cpu_encoder(c, r):
    c.build(rate=1.7e6)
    b, e = c.window()
    limit = r.randint(9, 13)
    c.at(b, e, c.camera, limit=limit, encode=r.uniform(.92, 1.02) / limit)
    c.run(e + 30)
    return f'30 frames are captured, the encoder manages {limit}', [pub(b, e, 'cpu', atLeast='noticeable')]


@scenario(topologies=('p2p', 'sfu'))
def decoder_overloaded(c, r):
    c.build()
    b, e = c.window()
    limit = r.randint(10, 14)
    c.at(b, e, c.videos[0], decode_limit=limit, decode=r.uniform(.9, 1) / limit)
    c.run(e + 30)
    return f'30 frames are received, {limit} decoded, the rest dropped', [sub(b, e, 'cpu', 'local', atLeast='noticeable')]


@scenario(topologies=('p2p', 'sfu'))
def hardware_decoder(c, r):
    c.build()
    c.videos[0].decode = r.uniform(.027, .033)
    c.run(90)
    return 'a hardware decoder with a frame of latency: all is decoded', []


@scenario(engines=('chrome', 'native'), topologies=('sfu', 'p2p'))
def dead_microphone(c, r):
    c.build()
    begin = -99 if not c.has_intent else r.randint(15, 25)
    c.at(begin, 999, c.microphone, mood='zero')
    c.run(130)
    b = max(0, begin)
    sure = 'device' if c.has_intent else 'device none unknown'  # a track that the page disabled gives the same zeros
    return 'the microphone gives digital zero' + (' although it is not muted' if c.has_intent else ' from the first second on'), [pub(b, b + 30, 'device none unknown'), pub(b + 30, 130, sure)]


@scenario(engines=('chrome', 'native', 'firefox', 'firefox154'), topologies=('sfu', 'p2p'))
def dead_camera(c, r):
    c.build()
    b = r.randint(20, 30)
    c.at(b, 999, c.camera, source=False)
    c.run(b + 80)
    return 'the camera delivers no more frames although its track is live', [pub(b, b + 15, 'device media none unknown'), pub(b + 15, b + 80, 'device media')]


@scenario(engines=('chrome', 'native'))
def silent_listener(c, r):
    c.build()
    c.at(r.randint(5, 15), 999, c.microphone, mood='quiet')
    c.run(120)
    return 'somebody only listens, behind noise suppression', []


@scenario(topologies=('p2p', 'sfu'))
def dim_camera(c, r):
    c.build()
    b, fps = r.randint(20, 30), r.randint(8, 12)
    c.at(b, 999, c.camera, capture=fps)
    c.run(100)
    return f'a dim room: the camera gives {fps} frames a second', [pub(b, 100, 'none device media unknown', atMost='noticeable')]


# What is wanted so

@scenario(engines=('chrome', 'native', 'safari'), topologies=('p2p', 'sfu'))
def still_screen(c, r):
    c.build(screen=True, rate=1.7e6)
    b = r.randint(15, 30)
    for thing, name in ((c.camera, 'capture'), (c.videos[0], 'fps')):
        c.at(b, 999, thing, **{name: r.choice((.2, .5, 1))})
    c.run(110)
    return 'a shared screen on which nothing moves', []


@scenario(intents=(False,))
def muted_in_between(c, r):
    c.build()
    b, e = c.window(20, 40)
    if r.random() < .5:
        c.at(b, e, c.microphone, mood='zero')
    else:
        c.at(b, e, c.microphone, off=True, mood='zero')
    c.at(b + 5, e, c.audios[0], off=True, mood='zero')
    c.run(e + 30)
    return 'people mute themselves for a while', []


@scenario(intents=(False,))
def camera_off(c, r):
    c.build()
    b, e = c.window(20, 40)
    c.at(b, e, c.camera, off='gone')
    c.at(b + 6, e + 4, c.videos[0], off=True)
    c.run(e + 30)
    return 'both cameras are switched off for a while', []


@scenario(topologies=('p2p', 'sfu'), intents=(False,))
def hold(c, r):
    c.build()
    b, e = c.window(30, 60)
    for track in [c.microphone, c.camera] + c.audios + c.videos:
        c.at(b, e, track, off='hold')
    c.run(e + 30)
    return 'the call is on hold for a while: no media either way', []


@scenario()
def discontinuous(c, r):
    c.build(dtx=True, audio_only=r.random() < .5 and c.topology == 'p2p')
    c.run(120)
    return 'discontinuous transmission: few audio packets while nobody speaks', []


@scenario(intervals=(1, 2))
def background_tab(c, r):
    c.build()
    b = r.randint(20, 30)
    for k in range(3):
        c.asleep(b + 60 * k, b + 60 * (k + 1))
    c.run(b + 220)
    return 'the tab is in the background: a report a minute for three minutes, all well', []


@scenario()
def all_well(c, r):
    c.path.rtt, c.path.jitter_up, c.path.jitter_down, c.path.loss_up, c.path.loss_down = .12, .008, .008, .003, .003
    c.build()
    for a in c.audios:
        a.fec = .8
    c.run(110)
    return 'an ordinary far call: 120 ms, 8 ms of jitter, 0.3 % loss, repaired', []


@scenario(topologies=('sfu-one',), intents=(False,))
def ten_well(c, r):
    c.build()
    c.run(90)
    return 'ten participants on one connection, all well', []


# Media

@scenario(topologies=('sfu-one',), intents=(False,))
def one_of_ten_frozen(c, r):
    c.build()
    b, e = c.window()
    track = c.videos[r.randint(1, 9)]
    c.at(b, e, track, decodes=False)
    c.run(e + 30)
    return 'one of ten pictures freezes, the others run', [sub(b, e, 'media', track=c.named(track), atLeast='disturbing')]


@scenario()
def never_decoded(c, r):
    c.build()
    track = c.videos[r.randrange(len(c.videos))]
    track.decodes = False
    c.run(80)
    return 'a picture that is received but never decoded', [sub(0, 80, 'media', track=c.named(track) if len(c.videos) > 1 else None, atLeast='disturbing')]


@scenario(topologies=('p2p', 'sfu'), intervals=(1, 2, 5))
def missing_audio(c, r):
    c.build()
    b, e = c.window()
    c.at(b, e, c.audios[0], missing=True)
    c.run(e + 30)
    return 'audio stops to arrive although its sender reports go on counting; the picture runs', [sub(b, e, 'media connection packetLoss', track=c.named(c.audios[0]), atLeast='disturbing'),
                                                                                                sub(e, e + 6, 'none packetLoss recovering media connection')]


# Time

@scenario(topologies=('p2p', 'sfu'), intervals=(1, 2))
def clock_step(c, r):
    c.build()
    at, b = r.randint(25, 35) // c.interval * c.interval, r.randint(60, 70)
    c.step = (at, r.choice((-600, 90, -3600, -90)))
    c.at(b, b + 40, c.path, loss_down=r.uniform(.06, .12))
    c.run(b + 80)
    # Set forward it looks for one report like a sleep or a call that stood still.
    jump = [make(at - 1, at + 4, 'none connection recovering unknown') for make in (pub, sub)] if c.step[1] > 0 else []
    return f'the clock is set by {c.step[1]} s, and half a minute later packets are lost', [sub(b, b + 40, 'packetLoss', c.side())] + jump + after(c, sub, b + 40, c.well_down)


# The sets

# Class, then engine/topology/interval[/intent] of each call.
MORE = '''
uplink_loss chrome/p2p/1 firefox/sfu/2 safari/sfu-one/5 native/sfu/1/intent
downlink_loss chrome/sfu/1 firefox/p2p/2 safari/sfu-one/1 native/sfu/10/intent
repaired_bursts chrome/p2p/1 firefox/sfu/1 native/sfu/2/intent
one_publisher_loses chrome/sfu-one/1 firefox154/sfu-one/2
audible_concealment chrome/p2p/1 firefox/p2p/2 safari/sfu/5
mtu_hole chrome/p2p/1 firefox/sfu/1
uplink_cap chrome/p2p/1 firefox/p2p/1 safari/sfu/2 native/sfu/1/intent firefox154/sfu-one/5
uplink_cap_simulcast chrome/sfu/1 native/sfu/1/intent firefox154/sfu/2
uplink_cap_svc chrome/sfu/1 chrome/sfu-one/2
cap_ends chrome/p2p/1 firefox/sfu/1 native/sfu/1/intent
downlink_cap_p2p chrome/p2p/1 firefox/p2p/1 safari/p2p/2
downlink_cap_sfu chrome/sfu/1 firefox/sfu/2 chrome/sfu-one/1 native/sfu/1/intent
bufferbloat chrome/p2p/1 firefox/p2p/2 native/sfu/1/intent chrome/sfu/10
starved_all_along chrome/p2p/1 firefox/p2p/2 native/sfu/1/intent
unseen_backoffs chrome/p2p/1 native/sfu/1/intent
held_back_by_variation chrome/p2p/1 firefox/p2p/1 native/sfu/2/intent
steady_latency chrome/p2p/1 firefox/sfu/2 native/sfu/10/intent
handover chrome/p2p/1 firefox154/p2p/1 native/sfu/2/intent
audio_jitter chrome/sfu/1 firefox/p2p/2 safari/sfu-one/5
short_stalls chrome/p2p/1 firefox/sfu/1 native/sfu/2/intent
turn_over_tcp chrome/p2p/1 firefox154/p2p/1
outage chrome/p2p/1 firefox/p2p/2 native/sfu/1/intent chrome/sfu/10
ice_disconnected chrome/p2p/1 firefox154/sfu/2
sleep chrome/p2p/1 firefox/sfu/2
cpu_encoder chrome/p2p/1 firefox/p2p/2 safari/sfu/1 native/sfu/10/intent
decoder_overloaded chrome/p2p/1 firefox/sfu/1 native/sfu/5/intent
hardware_decoder chrome/p2p/1 firefox/p2p/1 native/sfu/1/intent
dead_microphone chrome/p2p/1 native/sfu/1/intent chrome/sfu/2/intent
dead_camera chrome/sfu/1 firefox/p2p/2 native/sfu/1/intent
silent_listener chrome/sfu-one/1 native/sfu/1/intent
dim_camera chrome/p2p/1 firefox/p2p/1 native/sfu/5/intent
still_screen chrome/p2p/1 native/sfu/1/intent
muted_in_between chrome/p2p/1 firefox/p2p/1 safari/sfu/2
camera_off chrome/sfu/1 firefox/p2p/2
hold chrome/p2p/1 firefox/p2p/1
discontinuous chrome/p2p/1 firefox/sfu/1 native/sfu/2/intent
background_tab chrome/p2p/1 firefox/sfu/1
all_well chrome/p2p/1 firefox/sfu/2 safari/sfu-one/10 native/sfu/1/intent
ten_well chrome/sfu-one/1 firefox/sfu-one/5
one_of_ten_frozen chrome/sfu-one/1 firefox/sfu-one/2
never_decoded chrome/p2p/1 firefox/p2p/1 native/sfu/1/intent safari/sfu-one/2
missing_audio chrome/p2p/1 firefox/sfu/2
clock_step chrome/p2p/1 firefox/sfu/1 native/sfu/2/intent safari/p2p/1 firefox154/p2p/2 chrome/sfu/1/intent
'''


def one(kind, seed, name, label, engine, topology, interval, intent):
    r = random.Random(seed)
    c = Call(r, engine, topology, interval, intent)
    truth, expect = CLASSES[name]['make'](c, r)
    return c.entry(label, kind, truth, *expect)


def more():
    for row in MORE.strip().split('\n'):
        name, *shapes = row.split()
        for k, text in enumerate(shapes):
            engine, topology, interval, *intent = text.split('/')
            yield one('more', f'{name} {k}', name, f'{name.replace("_", "-")}-{engine}-{topology}-{interval}s' + ('-intent' if intent else ''), engine, topology, int(interval), bool(intent))


def drawn(seed, count=60):
    """The set random: each class once in random order, then again, until there are enough."""
    r, names = random.Random(seed), []
    for n in range(count):
        if not names:
            names = r.sample(sorted(CLASSES), len(CLASSES))
        name = names.pop()
        k = CLASSES[name]
        engine, topology, interval = r.choice(k['engines']), r.choice(k['topologies']), r.choice(k['intervals'])
        intent = topology == 'sfu' and r.choice(k['intents'])
        yield one('random', r.randrange(2 ** 32), name, f'{n:02d}-{name.replace("_", "-")}', engine, topology, interval, intent)
