# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Healthy calls of the set lodger, most of which look odd to a naive rule. Each docstring is the call's truth."""
SIMULCAST = dict(simulcast=True)
THUMBNAILS = [(320, 180, 7, 55e3), (640, 360, 25, 420e3)]


def silent_listener(new, r):
    """Listens to four others without a camera; the microphone hears nothing, and DTX sends two packets a second."""
    call = new(others=4, video=True, dtx=True, talk=0.0)
    call.sender.tracks.remove(call.cam)
    return call


def muted_by_enabled(new, r):
    """Microphone and camera are muted by enabled=false for a while: digital silence, and black frames at full rate."""
    call = new(topology='p2p')
    begin, end = r.uniform(15, 25), r.uniform(55, 70)
    return call.at(begin, lambda: (setattr(call.mic, 'enabled', False), setattr(call.cam, 'black', True))).at(end,
                                                                                                              lambda: (setattr(call.mic, 'enabled', True), setattr(call.cam, 'black', False)))


def replaced_by_null(new, r):
    """Both tracks are replaced by null for a while: sources disappear and nothing is sent."""
    call = new(others=2, camera=SIMULCAST)
    begin, end = r.uniform(15, 25), r.uniform(50, 70)

    def attach(value):
        call.mic.attached = call.cam.attached = value
    return call.at(begin, lambda: attach(False)).at(end, lambda: attach(True))


def covered_camera(new, r):
    """The camera's cover is closed: frames come at full rate but are black and tiny."""
    call = new(topology='p2p', engine='safari')
    return call.at(r.uniform(20, 40), lambda: setattr(call.cam, 'black', True))


def static_scene(new, r):
    """Both cameras look at rooms where nothing moves; 40 kbit/s are enough."""
    still = dict(complexity=r.uniform(0.08, 0.12))
    call = new(topology='p2p', camera=still, theirs=still)
    call.cam.motion = call.parts[0][1].motion = 0.1
    return call


def still_slide(new, r):
    """Shares a slide that does not change, at a few frames a second."""
    call = new(others=3, camera=dict(width=1920, height=1080, fps=r.choice([1, 2, 5]), screen=True, prefer='maintain-resolution', most=2.5e6))
    call.cam.motion = 0.03
    return call


def slides_in_bursts(new, r):
    """Shares slides: little most of the time, a burst whenever the slide changes."""
    call = new(topology='p2p', camera=dict(width=1920, height=1080, fps=5, screen=True, prefer='maintain-resolution', most=2.5e6))
    call.cam.motion = 0.03
    when = 6.0
    while when < 85:
        call.at(when, lambda: setattr(call.cam, 'burst', 1))
        when += r.uniform(4, 16)
    return call


def watched_slides(new, r):
    """Watches a screen that changes rarely: one stream at two frames a second among two cameras."""
    call = new(others=3)
    screen = call.parts[0][1]
    screen.levels, screen.screen, screen.motion = [(1920, 1080, 2, 800e3)], True, 0.04
    return call


def last_three(new, r):
    """The router forwards the last three speakers of nine; others' videos stop and go."""
    call = new(others=9, wanted=-1, length=120)
    for part in call.parts[:3]:
        part[1].wanted = 1
    shown, when = [0, 1, 2], 6.0
    while when < 115:
        gone, come = shown.pop(0), r.choice([k for k in range(9) if k not in shown])
        shown.append(come)
        call.at(when, lambda a=gone, b=come: (setattr(call.parts[a][1], 'wanted', -1), setattr(call.parts[b][1], 'wanted', 1)))
        when += r.uniform(5, 14)
    return call


def dominant_speaker(new, r):
    """The large video follows the speaker among four; streams change size every few seconds."""
    call = new(others=4, engine='safari', length=100)
    when, now = 5.0, 0
    while when < 95:
        other = r.choice([k for k in range(4) if k != now])
        call.at(when, lambda a=now, b=other: (setattr(call.parts[a][1], 'wanted', 0), setattr(call.parts[b][1], 'wanted', 2)))
        now, when = other, when + r.uniform(4, 11)
    return call


def thumbnails(new, r):
    """Nine participants as thumbnails of 180p at seven frames a second, as asked."""
    return new(others=9, wanted=0, theirs=dict(levels=THUMBNAILS))


def background_tab(new, r):
    """The tab is in the background: reports come once a minute, the call goes on."""
    call = new(others=2, length=180)
    begin = r.uniform(8, 14)
    call.skips = [(begin, begin + 59.5), (begin + 60.5, begin + 119.5)]
    return call


def background_unseen(new, r):
    """The page pauses all incoming video while its tab is hidden; audio goes on."""
    call = new(others=4, length=100)
    begin, end = r.uniform(15, 25), r.uniform(60, 75)
    wanted = [p[1].wanted for p in call.parts]
    return call.at(begin, lambda: [setattr(p[1], 'wanted', -1) for p in call.parts]).at(end, lambda: [setattr(p[1], 'wanted', w) for p, w in zip(call.parts, wanted)])


def missing_reports(new, r):
    """The page is busy and makes no report for a quarter of a minute, twice; the media do not notice."""
    call = new(topology='p2p')
    for begin in (r.uniform(15, 25), r.uniform(50, 60)):
        call.skips.append((begin, begin + r.uniform(12, 18)))
    return call


def on_hold(new, r):
    """Both put the call on hold: no media for half a minute, only checks of the connection."""
    call = new(topology='p2p', engine='native')
    begin, end = r.uniform(20, 28), r.uniform(55, 65)

    def hold(value):
        for track in call.sender.tracks + call.other.tracks:
            track.attached = not value
        for receiver in call.near.streams.values():
            receiver.held = value
    return call.at(begin, lambda: hold(True)).at(end, lambda: hold(False))


def capped_bitrate(new, r):
    """maxBitrate of 250 kbit/s at 360p by the application, steady."""
    return new(topology='p2p', camera=dict(most=250e3, down=2, complexity=0.5), theirs=dict(most=r.uniform(200e3, 300e3), down=2, complexity=0.5))


def scaled_down(new, r):
    """scaleResolutionDownBy 4 by the application: 180p, small and steady."""
    return new(others=2, engine='firefox', camera=dict(most=140e3, down=4))


def capped_frames(new, r):
    """maxFramerate of 10 by the application on a phone."""
    return new(topology='p2p', engine='native', camera=dict(cap=10, most=500e3, down=2, encoder='MediaCodec'), theirs=dict(cap=10, most=500e3, down=2))


def far_away(new, r):
    """Participants on two continents: a steady round trip of 130 to 180 ms."""
    call = new(topology='p2p', engine='firefox')
    for link in (call.farUp, call.farDown):
        link.delay = r.uniform(0.05, 0.07)
    return call


def distant_router(new, r):
    """The router is on another continent: a steady round trip of 120 to 170 ms."""
    call = new(others=4, camera=SIMULCAST)
    call.up.delay = call.down.delay = r.uniform(0.06, 0.082)
    return call


def few_losses(new, r):
    """A few packets in a thousand are lost in both directions, and all of video is repaired."""
    call = new(topology='p2p', engine='safari')
    call.up.loss = call.down.loss = r.uniform(0.002, 0.005)
    return call


def newcomers_ask(new, r):
    """Newcomers make the router ask for key frames every few seconds."""
    call = new(others=4, camera=SIMULCAST)
    when = 5.0
    while when < 85:
        call.at(when, lambda: [call.far._key(s, 0) for s in call.cam.streams])
        when += r.uniform(4, 12)
    return call


def warming_up(new, r):
    """The recording begins with the call: estimates and sizes climb within the first seconds."""
    call = new(topology='p2p', warm=0.3, length=60, start=r.uniform(150e3, 300e3))
    for link in (call.farUp, call.farDown):
        link.delay = 0.03
    call.expects(0, 12, 'publisher', 'none recovering')
    return call


def smaller_window(new, r):
    """The viewer makes the window small and large again: the router changes layers."""
    call = new(others=1, wanted=2)
    when, large = 10.0, True
    while when < 80:
        large = not large
        call.at(when, lambda v=2 if large else 0: setattr(call.parts[0][1], 'wanted', v))
        when += r.uniform(10, 20)
    return call


def plugged_in(new, r):
    """A cable is plugged in: another candidate pair, nothing lost."""
    call = new(topology='p2p')
    when = r.uniform(30, 45)
    call.repair(when, 'ethernet', keep=1.0)
    for link in (call.up, call.down):
        link.at(when + call.warm, delay=link.delay * 0.6)
    return call


def renegotiated(new, r):
    """A renegotiation makes streams anew: other ids, and counters from zero."""
    call = new(topology='p2p')
    return call.at(r.uniform(25, 50), lambda: call.renew(call.sender.tracks + call.parts[0]))


def hardware_codecs(new, r):
    """H.264 by hardware on both ends; names say so, and quantisers are of another scale."""
    return new(topology='p2p', camera=dict(codec='H264', encoder=r.choice(['ExternalEncoder (MediaFoundationVideoEncodeAccelerator)', 'VideoToolbox'])), theirs=dict(codec='H264'))


def coming_and_going(new, r):
    """Participants leave and join: streams end and others begin."""
    call = new(others=4, engine='firefox', length=110)
    call.at(r.uniform(10, 20), lambda: call.leave(call.parts[1])).at(r.uniform(25, 40), lambda: call.join(wanted=0)).at(r.uniform(45, 60), lambda: call.leave(call.parts[2]))
    return call.at(r.uniform(65, 75), lambda: call.leave(call.parts[0])).at(r.uniform(80, 90), lambda: call.join(wanted=1))


def scalable_vp9(new, r):
    """VP9 with three spatial layers in one stream; frames that are encoded count thrice."""
    return new(others=3, camera=dict(codec='VP9', svc=3, most=1.5e6))


def av1_dual(new, r):
    """AV1 in software on a fast machine, between two."""
    return new(topology='p2p', camera=dict(codec='AV1', encoder='libaom', most=1.1e6), theirs=dict(codec='AV1', most=1.1e6))


def audio_only(new, r):
    """A telephone call between two, audio alone."""
    return new(topology='p2p', video=False, engine='native')


def audio_room(new, r):
    """A room of nine with audio alone and DTX; most are silent."""
    return new(others=9, video=False, warm=0.3)


def red_audio(new, r):
    """Audio alone with redundancy: one packet in 150 is lost and each is filled."""
    call = new(topology='p2p', video=False, red=True)
    call.down.loss = call.up.loss = r.uniform(0.005, 0.008)
    return call


def harmless_jitter(new, r):
    """Wireless access whose packets wander by 10 to 15 ms, which the buffers absorb."""
    call = new(topology='p2p')
    for link in (call.up, call.down):
        link.jitter = r.uniform(0.004, 0.006)
    return call


def stepped_clock(new, r):
    """The machine's clock is set, first forward and then back; the call is fine."""
    call = new(others=2)
    call.shifts = [(r.uniform(20, 30), r.uniform(30, 60)), (r.uniform(55, 65), -r.uniform(20, 80))]
    return call


def sparse_reports(new, r):
    """A report every ten seconds in the middle of a call."""
    return new(others=4, interval=10, length=180, warm=20)


def alone_in_room(new, r):
    """No one watches: the router asks for no layer of video, and nothing arrives."""
    call = new(others=0, camera=SIMULCAST)
    begin = r.uniform(4, 10)
    return call.at(begin, lambda: [setattr(s, 'active', False) for s in call.cam.streams])


def phone_room(new, r):
    """A phone watches four others in a room, reports every five seconds."""
    return new(others=4, engine='native', interval=5, length=120, warm=15, camera=dict(simulcast=True, encoder='MediaCodec'))


def plain_firefox(new, r):
    """An ordinary call between two in Firefox, every two seconds."""
    return new(topology='p2p', engine='firefox', interval=2, warm=0.3)


def plain_safari(new, r):
    """An ordinary room of four in Safari."""
    return new(others=3, engine='safari')


FINE = [silent_listener, muted_by_enabled, replaced_by_null, covered_camera, static_scene, still_slide, slides_in_bursts, watched_slides, last_three, dominant_speaker,
        thumbnails, background_tab,
        background_unseen, missing_reports, on_hold, capped_bitrate, scaled_down, capped_frames, far_away, distant_router, few_losses, newcomers_ask, warming_up,
        smaller_window, plugged_in, renegotiated, hardware_codecs,
        coming_and_going, scalable_vp9, av1_dual, audio_only, audio_room, red_audio, harmless_jitter, stepped_clock, sparse_reports, alone_in_room, phone_room, plain_firefox, plain_safari]
