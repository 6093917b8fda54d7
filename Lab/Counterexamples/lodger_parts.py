# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Calls of the set lodger with ill machines, devices, media, or participants, and with several problems. Each docstring is the call's truth."""
import random

from lodger_ill import SIMULCAST, ill
from lodger_link import Link


def busy_encoder(new, r):
    """Another program takes the processor: the encoder falls behind and says cpu."""
    call, begin = new(topology='p2p', length=110), r.uniform(20, 30)
    end = begin + r.uniform(40, 50)
    call.at(begin, lambda: setattr(call.cam, 'speed', r.uniform(0.09, 0.12))).at(end, lambda: setattr(call.cam, 'speed', 1.0))
    return ill(call, begin, end, 'publisher', 'cpu', after=35)


def weak_laptop(new, r):
    """A weak machine encodes three layers too slowly from the start."""
    call = new(others=4, camera=SIMULCAST, engine='chrome', interval=2, warm=12)
    call.cam.speed = r.uniform(0.12, 0.16)
    return ill(call, 0, 90, 'publisher', 'cpu')


def hot_phone(new, r):
    """A hot phone is throttled in mid-call: fewer frames leave than the camera gives; Firefox gives no reason."""
    call, begin = new(topology='p2p', engine='firefox', length=100), r.uniform(25, 35)
    call.at(begin, lambda: setattr(call.cam, 'speed', r.uniform(0.03, 0.05)))
    return ill(call, begin, 100, 'publisher', 'cpu')


def hot_tablet(new, r):
    """As above on a tablet with Safari: frames take longer and longer to encode, and fewer leave."""
    call, begin = new(others=2, engine='safari', length=100), r.uniform(25, 35)
    call.at(begin, lambda: setattr(call.cam, 'speed', r.uniform(0.03, 0.05)))
    return ill(call, begin, 100, 'publisher', 'cpu')


def slow_decoder(new, r):
    """The decoder cannot keep up with 720p: packets arrive in time, frames are dropped."""
    call, begin = new(topology='p2p', interval=2, length=100), r.uniform(20, 30)
    end = begin + r.uniform(40, 50)

    def speed(value):
        for receiver in call.near.streams.values():
            receiver.speed = value
    call.at(begin, lambda: speed(r.uniform(0.05, 0.065))).at(end, lambda: speed(1.0))
    return ill(call, begin, end, 'subscriber', 'cpu', after=15)


def slow_decoders(new, r):
    """Nine videos are too much for the machine: all are decoded slowly and frames are dropped, from the start."""
    call = new(others=9, wanted=1, engine='native', theirs=dict(levels=[(640, 360, 25, 300e3)] * 2))

    def speed():
        for receiver in call.near.streams.values():
            receiver.speed = 0.016
    call.at(-call.warm + 0.1, speed)
    return call.expects(0, 90, 'subscriber', 'cpu')


def dead_microphone(new, r):
    """The microphone gives digital zeros from some moment on; in the report it might be muted."""
    call, begin = new(topology='p2p', talk=0.6), r.uniform(25, 40)
    call.at(begin, lambda: setattr(call.mic, 'zeros', True))
    call.extra['doubt'] = 'Without an intent a muted microphone gives the same zeros.'
    return call.expects(begin, 90, 'publisher', 'device none')


def lost_microphone(new, r):
    """The headset is unplugged: its source stands still and no audio is sent."""
    call, begin = new(others=2, talk=0.6), r.uniform(25, 40)
    call.at(begin, lambda: setattr(call.mic, 'alive', False))
    call.extra['doubt'] = 'A track that the application has stopped stands still as well.'
    return call.expects(begin, 90, 'publisher', 'device none')


def dead_camera(new, r):
    """The camera stops giving frames in mid-call while its track stays."""
    call, begin = new(topology='p2p', engine='firefox'), r.uniform(25, 40)
    call.at(begin, lambda: setattr(call.cam, 'alive', False))
    return call.expects(begin, 90, 'publisher', 'device')


def dead_camera_room(new, r):
    """The camera gives no frame at all, from the start, in a room with a native client."""
    call = new(others=3, engine='native', camera=SIMULCAST)
    call.cam.alive = False
    return call.expects(0, 90, 'publisher', 'device')


def dim_camera(new, r):
    """In the dark the camera gives five to seven frames a second: not ill by itself, but the device's doing."""
    call, begin = new(topology='p2p'), r.uniform(20, 35)
    call.at(begin, lambda: setattr(call.cam, 'rate', r.choice([5, 6, 7])))
    return call.expects(begin, 90, 'publisher', 'none device')


def frozen_stream(new, r):
    """One of four videos becomes undecodable: packets flow, key frames that are asked for do not help."""
    call, begin = new(others=4, wanted=1, engine='firefox'), r.uniform(25, 35)
    track = call.parts[r.randrange(4)][1]
    call.at(begin, lambda: setattr(track, 'poison', True))
    return ill(call, begin, 90, 'subscriber', 'media', track=track.identifier)


def frozen_direct(new, r):
    """The only video becomes undecodable for half a minute, between two, in Safari."""
    call, begin = new(topology='p2p', engine='safari'), r.uniform(25, 35)
    end, track = begin + r.uniform(28, 35), call.parts[0][1]
    call.at(begin, lambda: setattr(track, 'poison', True)).at(end, lambda: setattr(track, 'poison', False))
    return ill(call, begin, end, 'subscriber', 'media', after=12)


def never_decoded(new, r):
    """One of three videos never shows a frame: its packets come, a key frame never does."""
    call = new(others=3, wanted=1, warm=4)
    track = call.parts[1][1]
    track.poison = True
    return ill(call, 0, 90, 'subscriber', 'media', track=track.mid)


def never_started(new, r):
    """One of three videos is signalled but never comes; it may be a camera that is off."""
    call = new(others=3, wanted=1)
    track = call.parts[2][1]
    track.attached = False
    call.extra['doubt'] = 'A camera that is off looks the same.'
    return call.expects(0, 90, 'subscriber', 'none media unknown connection', track=track.mid)


def silent_peer(new, r):
    """The other's audio stops arriving while video goes on; whether it is muted no one can see."""
    call, begin = new(topology='p2p'), r.uniform(25, 40)
    call.at(begin, lambda: setattr(call.parts[0][0], 'paused', True))
    call.extra['doubt'] = 'A sender without a track looks the same.'
    return call.expects(begin, 90, 'subscriber', 'none media device unknown connection')


def far_link(call, track, **settings):
    """Gives a participant's audio and video an access of their own."""
    link = Link(random.Random(call.rng.random()), **{'delay': 0.02, **settings})
    for one in track:
        one.uplink = link
    return link


def lossy_participant(new, r):
    """One of nine participants has a lossy uplink; the other eight are fine."""
    call, begin = new(others=9, engine='native', length=100), r.uniform(20, 30)
    part = call.parts[0]
    link = far_link(call, part)
    end = begin + r.uniform(45, 55)
    call.during(link, begin, end, loss=r.uniform(0.14, 0.2))
    return ill(call, begin, end, 'subscriber', 'packetLoss', after=15, side=['remote'])


def lossy_screen(new, r):
    """A screen is shared from another machine, whose lossy uplink the router does not repair; the three cameras are fine."""
    call, begin = new(others=4, wanted=1, length=100), r.uniform(20, 30)
    track, end = call.parts[3][1], begin + r.uniform(45, 55)
    link = far_link(call, [track], retries=0)
    call.during(link, begin, end, loss=r.uniform(0.1, 0.15))
    return ill(call, begin, end, 'subscriber', 'packetLoss', after=15, side=['remote'], track=track.mid)


def jittery_participant(new, r):
    """One of four participants sits behind a radio that stalls; the other three are fine."""
    call, begin = new(others=4, wanted=1, length=100), r.uniform(20, 30)
    link, end = far_link(call, call.parts[2]), begin + r.uniform(45, 55)
    call.during(link, begin, end, stall=(2.0, 0.3, 0.7), queue=2.0)
    return ill(call, begin, end, 'subscriber', 'jitter', after=20, side=['remote'])


def narrow_participant(new, r):
    """One of four participants has a narrow uplink: the video is small and coarse for all who watch it."""
    call, begin = new(others=4, wanted=1, length=100, theirs=dict(complexity=1.0)), r.uniform(20, 30)
    track, end = call.parts[0][1], begin + r.uniform(45, 55)

    def limit(value):
        track.limit = value
    call.at(begin, lambda: limit(r.uniform(45e3, 60e3))).at(end, lambda: limit(None))
    return call.expects(begin, end + 5, 'subscriber', 'none bandwidth')


def gone_participant(new, r):
    """One of four participants falls off the network for half a minute without leaving: both streams stop."""
    call, begin = new(others=4, wanted=1, dtx=False, length=100), r.uniform(25, 35)
    part, end = call.parts[1], begin + r.uniform(28, 35)
    call.during(far_link(call, part), begin, end, down=True)
    return call.expects(begin, end, 'subscriber', 'connection media none unknown', side=['remote']).expects(end, end + 10, 'subscriber', 'none recovering connection media packetLoss')


def overloaded_router(new, r):
    """The router is overloaded: what it relays to everyone comes late, in heaps, and with losses, and its answers as well."""
    call, begin = new(others=4, wanted=1, length=100), r.uniform(20, 30)
    end = begin + r.uniform(45, 55)
    call.during(call.down, begin, end, stall=(1.0, 0.15, 0.45), loss=0.05, queue=1.0)
    return ill(call, begin, end, 'subscriber', 'packetLoss jitter latency', other='latency bandwidth jitter')


def out_then_narrow(new, r):
    """First an outage of seven seconds, and after a recovery an uplink that is too narrow."""
    call, begin = new(topology='p2p', length=150), r.uniform(18, 24)
    call.outage(begin, begin + 7).during(call.up, begin + 60, begin + 105, rate=r.uniform(280e3, 380e3))
    ill(ill(call, begin, begin + 7, 'subscriber', 'connection'), begin, begin + 7, 'publisher', 'connection', after=35)
    return ill(call, begin + 60, begin + 105, 'publisher', 'bandwidth packetLoss', other='latency')


def loss_then_cpu(new, r):
    """First a lossy downlink, and after a recovery a processor that is taken."""
    call, begin = new(topology='p2p', length=160), r.uniform(15, 22)
    call.during(call.down, begin, begin + 35, loss=r.uniform(0.07, 0.1)).at(begin + 70, lambda: setattr(call.cam, 'speed', 0.1)).at(begin + 115, lambda: setattr(call.cam, 'speed', 1.0))
    ill(call, begin, begin + 35, 'subscriber', 'packetLoss', after=20)
    return ill(call, begin + 70, begin + 115, 'publisher', 'cpu', after=25)


def long_then_lossy(new, r):
    """First a detour of 450 ms and more, and after a recovery loss in both directions."""
    call, begin = new(others=2, length=160), r.uniform(15, 22)
    loss = r.uniform(0.07, 0.1)
    for link in (call.up, call.down):
        call.during(link, begin, begin + 40, delay=r.uniform(0.23, 0.28)).during(link, begin + 80, begin + 120, loss=loss)
    ill(call, begin, begin + 40, 'publisher', 'latency', after=15, other='latency')
    return ill(ill(call, begin + 80, begin + 120, 'publisher', 'packetLoss', after=20), begin + 80, begin + 120, 'subscriber', 'packetLoss', after=20)


def long_and_lossy(new, r):
    """A satellite link that also loses one packet in twelve, in both directions."""
    call, begin = new(topology='p2p', length=100), r.uniform(20, 30)
    end, loss = begin + r.uniform(40, 50), r.uniform(0.07, 0.1)
    for link in (call.up, call.down):
        call.during(link, begin, end, loss=loss, delay=0.27)
    return ill(ill(call, begin, end, 'publisher', 'packetLoss latency', after=20), begin, end, 'subscriber', 'packetLoss latency', after=20)


def narrow_up_lossy_down(new, r):
    """An uplink that is too narrow and a downlink that loses, at the same time."""
    call, begin = new(others=3, wanted=1, camera=SIMULCAST, length=110), r.uniform(20, 30)
    end = begin + r.uniform(45, 52)
    call.during(call.up, begin, end, rate=r.uniform(320e3, 450e3)).during(call.down, begin, end, loss=r.uniform(0.06, 0.09))
    return ill(ill(call, begin, end, 'publisher', 'bandwidth packetLoss'), begin, end, 'subscriber', 'packetLoss latency', after=20, side=['local', 'bothOrUnclear'])


def narrow_and_busy(new, r):
    """A machine whose processor is taken and whose uplink is narrow, at the same time."""
    call, begin = new(topology='p2p', length=110), r.uniform(20, 30)
    end = begin + 48
    call.during(call.up, begin, end, rate=r.uniform(400e3, 500e3)).at(begin, lambda: setattr(call.cam, 'speed', 0.08)).at(end, lambda: setattr(call.cam, 'speed', 1.0))
    return ill(call, begin, end, 'publisher', 'cpu bandwidth packetLoss', after=35, other='latency')


def asleep(new, r):
    """The laptop sleeps for three quarters of a minute and wakes; nothing was wrong with the network."""
    call, begin = new(others=3, length=120), r.uniform(30, 40)
    end = begin + r.uniform(40, 48)
    call.sleeps = [(begin, end)]
    for role in ('publisher', 'subscriber'):
        call.expects(begin, end + 25, role, 'none recovering connection unknown media bandwidth packetLoss')
    return call.repair(end + 1.5, keep=0.0)


PARTS = [busy_encoder, weak_laptop, hot_phone, hot_tablet, slow_decoder, slow_decoders, dead_microphone, lost_microphone, dead_camera, dead_camera_room, dim_camera,
         frozen_stream, frozen_direct, never_decoded,
         never_started, silent_peer, lossy_participant, lossy_screen, jittery_participant, narrow_participant, gone_participant, overloaded_router, out_then_narrow,
         loss_then_cpu, long_then_lossy, long_and_lossy,
         narrow_up_lossy_down, narrow_and_busy, asleep]
