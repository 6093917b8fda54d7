# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Healthy though odd calls of the set passenger: (what it is, how many, engines, maker). Nothing may be said of them, but where a maker says so."""
from passenger_link import Others, Policer
from passenger_media import conference, pair, talk


def long_way(call):
    pair(call, trip=call.rng.uniform(0.055, 0.07))
    call.truth = 'a constant round trip of 150 to 190 ms between continents, no harm'


def long_meeting(call):
    conference(call, trip=call.rng.uniform(0.05, 0.07))
    call.truth = 'a router on another continent: constant round trip of 130 to 170 ms'


def unsteady(call):
    conference(call, 'wifi')
    for link in (call.up, call.down):
        link.set(jitter=call.rng.uniform(0.005, 0.009), retry=0.02)
    call.truth = 'moderate jitter of a shared Wi-Fi, which buffers take'


def unsteady_audio(call):
    talk(call)
    call.down.set(jitter=0.009, retry=0.015)
    call.truth = 'audio alone over Wi-Fi with jitter of 10 to 15 ms, no concealment to speak of'


def crumbs(call):
    conference(call, 'cable')
    for link in (call.up, call.down):
        link.set(loss=call.rng.uniform(0.002, 0.006))
    call.truth = 'random loss below 0.7 %, repaired'


def crumbs_pair(call):
    pair(call, 'wifi')
    call.up.set(loss=0.005)
    call.down.set(loss=0.004)
    call.truth = 'random loss of half a percent both ways, repaired'


def modest(call):
    conference(call, 'dsl', most=call.rng.choice([200e3, 300e3]), simulcast=False, tops=[0, 0, 0, 0], wide=640, high=360)
    call.truth = 'maxBitrate of 200 or 300 kbit/s and small tiles by choice'


def modest_pair(call):
    pair(call, wide=320, high=180, fps=15, most=150e3)
    call.truth = 'a pair that sends 320x180 at 150 kbit/s by choice'


def slides(call):
    conference(call, 'fibre', camera=call.rng.random() < 0.5)
    call.film(screen='static', wide=1920, high=1080, fps=5, most=1.5e6, sharp=True, codec=call.rng.choice(['VP8', 'VP9']))
    call.truth = 'own screen shares slides that stand still: a frame a second and few bits'


def slides_of_other(call):
    conference(call, 'wifi', others=2)
    call.join(screen='static', top=2, fps=5, audio=False)
    call.truth = "another's slides stand still: about a frame a second"


def scrolling(call):
    conference(call, 'office', camera=False)
    call.film(screen='scroll', wide=1920, high=1080, fps=5, most=1.5e6, sharp=True)
    call.truth = 'own screen scrolls text at five frames a second, as intended'


def silence(call):
    talk(call, talks=0.08, others=call.rng.choice([1, 2, 4]))
    call.truth = 'hardly anyone speaks: DTX'


def dim(call):
    pace = call.rng.choice([8, 10, 12])
    if call.rng.random() < 0.5:
        conference(call, pace=pace)
    else:
        pair(call, pace=pace)
    call.truth = f'a dim room: the camera gives {pace} frames a second'


def dim_far(call):
    conference(call, others=2)
    call.join(pace=7.5, top=1)
    call.truth = "another's room is dim: 7.5 frames a second"


def layers_off(call):
    conference(call)
    video = [s for s in call.ups if s.kind == 'video']
    begin = call.rng.uniform(20, 35)
    call.at(begin, lambda: video[2].__setattr__('active', False))
    call.at(begin + 12, lambda: video[1].__setattr__('active', False))
    call.at(begin + 35, lambda: [s.__setattr__('active', True) for s in video])
    call.truth = 'the router asks for no large layers for a while; they are off and come back'


def ramp(call):
    call.joins = True
    conference(call, call.rng.choice(['cable', 'wifi', 'lte']))
    call.expect_free(0, 16)
    call.truth = 'the report begins as the call does: estimates rise from 300 kbit/s'


def slow_frames(call):
    conference(call, cap=call.rng.choice([8, 10, 15]), simulcast=call.rng.random() < 0.5)
    call.truth = 'maxFramerate is low by intent'


def gaps(call):
    conference(call)
    a = call.rng.uniform(25, 40)
    call.skips = [(a, a + call.rng.uniform(6, 12)), (a + 30, a + 33)]
    call.truth = 'reports are missing for some seconds; the call goes on'


def renewed(call):
    conference(call, others=3)
    call.at(call.rng.uniform(25, 45), lambda: [s.renew() for s in call.downs[:2] + call.ups[:2]])
    call.truth = 'a renegotiation: new SSRCs, whose counters begin at zero'


def shuffled(call):
    conference(call, 'cable')
    for link in (call.up, call.down):
        link.set(reorder=call.rng.uniform(0.005, 0.02))
    call.truth = 'up to two packets of a hundred overtake others'


def blip(call):
    conference(call, 'cable')
    for second in (30, 62):
        call.at(second + call.rng.uniform(0, 5), lambda: burst_of_others(call))
    call.truth = 'a browser loads pages beside the call: bursts of half a second that no one notices'


def burst_of_others(call):
    others = Others(call, call.down, 3, cap=25e6)
    call.later(0.5, lambda _: others.stop())


def seamless(call):
    conference(call, 'wifi')
    second = call.rng.uniform(30, 50)
    call.at(second, lambda: [call.reporter.restart('cellular'), call.up.set(delay=0.03), call.down.set(delay=0.03)])
    call.expect_free(second - 1, second + 5)
    call.truth = 'Wi-Fi to mobile data without a gap: another candidate pair, a longer way'


def clock_step(call):
    conference(call)
    call.elapsed = []
    step = call.rng.choice([-45e3, 90e3, 3600e3, -1500.0])
    call.at(call.rng.uniform(25, 50), lambda: setattr(call, 'step', step))
    call.truth = 'the clock is set; nothing else happens'


def publisher_pauses(call):
    conference(call, others=3)
    far, a = call.far[0], call.rng.uniform(20, 35)
    call.at(a, lambda: [setattr(far.source, 'on', False), setattr(far.audio.out.origin, 'off', True)])
    call.at(a + 30, lambda: [setattr(far.source, 'on', True), setattr(far.audio.out.origin, 'off', False), far.stream.__setattr__('due', True)])
    call.optional(a - 0.5, a + 40, 'subscriber', 'media|device|none', 'a mute of another without signalling looks like media that fails')
    call.truth = 'a participant turns camera and microphone off and on'


def hold(call):
    talk(call, others=1)
    a = call.rng.uniform(20, 30)
    streams = [m for f in call.far for m in f.sender.mics] + call.sender.mics
    call.at(a, lambda: [setattr(m, 'off', True) for m in streams])
    call.at(a + 25, lambda: [setattr(m, 'off', False) for m in streams])
    for role in ('publisher', 'subscriber'):
        call.optional(a - 0.5, a + 34, role, 'media|device|none|connection', 'without an intent a hold looks like media that stops')
    call.truth = 'the call is on hold for 25 s: no media either way'


def codec_switch(call):
    pair(call, codec='VP8')
    video = [s for s in call.ups if s.kind == 'video'][0]
    call.at(call.rng.uniform(30, 45), lambda: [setattr(video, 'codec', 'VP9'), setattr(video, 'due', True)])
    call.truth = 'the codec is switched within the call'


def tiles(call):
    conference(call, others=4, tops=[0, 0, 2, 0])
    a = call.rng.uniform(20, 30)
    call.at(a, lambda: [call.tile(call.far[2], 0), call.tile(call.far[0], 2)])
    call.at(a + 25, lambda: [call.tile(call.far[0], 0), call.tile(call.far[1], 2)])
    call.truth = 'tiles change their size on purpose, and with them the layers'


def tunnel(call):
    conference(call, 'fibre')
    a = call.rng.uniform(20, 30)
    call.at(a, lambda: [link.set(delay=link.delay + 0.022, overhead=98) for link in (call.up, call.down)])
    call.at(a + 35, lambda: [link.set(delay=link.delay - 0.022, overhead=38) for link in (call.up, call.down)])
    call.truth = 'a VPN comes and goes: 45 ms longer, no harm'


def satellites(call):
    conference(call, 'leo')
    call.every(7, 200, lambda: 15.0, lambda: orbit(call, 0.06))
    call.truth = 'low satellites: each 15 s the delay changes, with a gap of 60 ms'


def orbit(call, gap):
    call.down.stall(call.now + gap)
    call.up.stall(call.now + gap)
    shift = call.rng.uniform(0.018, 0.034)
    call.up.set(delay=shift)
    call.down.set(delay=shift)


def relayed(call):
    call.relay = call.rng.choice(['udp', 'tls', 'tcp'])
    conference(call, 'office')
    if call.relay != 'udp':
        call.up.set(tcp=True, overhead=70)
        call.down.set(tcp=True, overhead=70, loss=0.0004)
    call.truth = f'TURN over {call.relay} that works well'


def crowd(call):
    conference(call, 'fibre', others=call.rng.choice([7, 9]), tops=[0] * 9, quiet=True)
    call.length = 75
    call.truth = 'many participants in small tiles, most of them silent'


def scaled(call):
    conference(call, 'wifi', simulcast=False, mode='L3T3_KEY', codec=call.rng.choice(['VP9', 'AV1']))
    call.truth = 'SVC in one stream, all well'


def roomy_policer(call):
    conference(call, 'cable')
    call.down.set(policer=Policer(30e6, 60e3))
    call.truth = 'a policer far above what the call needs'


FINE = [(long_way, 1, 'p'), (long_meeting, 2, 'm'), (unsteady, 2, 'm'), (unsteady_audio, 1, 'm'), (crumbs, 2, 'm'), (crumbs_pair, 1, 'p'), (modest, 2, 'm'), (modest_pair, 1, 'p'), (slides, 2, 'm'),
        (slides_of_other, 1, 'm'), (scrolling, 1, 'm'), (silence, 2, 'm'), (dim, 2, 'm'), (dim_far, 1, 'm'), (layers_off, 2, 'm'), (ramp, 2, 'm'), (slow_frames, 2, 'm'), (gaps, 1, 'm'), (renewed, 1, 'm'),
        (shuffled, 2, 'm'), (blip, 1, 'm'), (seamless, 1, 'm'), (clock_step, 1, 'm'), (publisher_pauses, 2, 'm'), (hold, 1, 'm'), (codec_switch, 1, 'p'), (tiles, 2, 'm'), (tunnel, 1, 'm'), (satellites, 1, 'm'),
        (relayed, 2, 'm'), (crowd, 1, 'm'), (scaled, 1, 'm'), (roomy_policer, 1, 'm')]
