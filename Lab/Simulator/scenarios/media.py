# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Streams that cannot be shown, and devices that deliver nothing."""
from scenario import scenario

#: Whose fault a stream is that comes and cannot be decoded: its reports do not say.
ANY_SIDE = ('remote', 'server', 'unknown', 'none', 'local')


@scenario(duration=90)
def med01_chrome_6_one_undecodable(call):
    video = call.remote_participants(6)[3]
    call.change(video, 35, is_decodable=False)
    call.wrong(35, 90, 'media', 'bothOrUnclear', 'downlink', also_side=ANY_SIDE, mids=[video.mid], lead=6)


@scenario(engine='firefox', duration=80, interval=2)
def med02_firefox_9_one_frozen(call):
    video = call.remote_participants(9, 300e3)[6]
    call.change(video, 36, 64, is_decodable=False)
    call.wrong(36, 64, 'media', 'bothOrUnclear', 'downlink', also_side=ANY_SIDE, mids=[video.mid], lead=7,
               trail=6)


@scenario(engine='safari', duration=60)
def med03_safari_never_decoded(call):
    call.remote_audio()
    video = call.remote_video()
    video.is_decodable = False
    call.wrong(0, 60, 'media', 'bothOrUnclear', 'downlink', also_side=ANY_SIDE, mids=[video.mid], lead=9)


@scenario(duration=70)
def med04_chrome_4_never_decoded(call):
    video = call.remote_participants(4)[1]
    video.is_decodable = False
    call.wrong(0, 70, 'media', 'bothOrUnclear', 'downlink', also_side=ANY_SIDE, mids=[video.mid], lead=9)


@scenario(engine='native', duration=60, intent=True)
def med05_native_missing_video(call):
    call.remote_audio()
    video = call.remote_video()
    video.camera.is_on = False
    video.is_announced = True
    call.wrong(0, 60, 'media', 'remote', 'downlink', also=('device',),
               also_side=('server', 'bothOrUnclear', 'unknown', 'none'), mids=[video.mid], lead=9,
               note='wanted, camera on, packets never come')


@scenario(duration=90, intent=True)
def med06_chrome_forwarding_stops(call):
    call.remote_audio()
    video = call.remote_video(1.2e6)
    call.change(video.camera, 40, 75, is_on=False)
    call.wrong(40, 75, 'media', 'remote', 'downlink', also=('device',),
               also_side=('server', 'bothOrUnclear', 'unknown'), mids=[video.mid], lead=7, trail=5,
               note='camera on and wanted, audio comes, video stops: camera of the far side or forwarding')


@scenario(duration=60, propagation=.02)
def mtu01_chrome_large_packets(call):
    call.downlink.mtu = 760
    call.remote_audio()
    video = call.remote_video()
    call.wrong(0, 60, 'media', 'bothOrUnclear', 'downlink', also=('packetLoss',),
               also_side=('local', 'remote', 'server', 'unknown', 'none'), mids=[video.mid], lead=9,
               note='only large packets are missing; no frame ever; audio without loss')


@scenario(role='send', duration=90)
def dev01_chrome_camera_frozen(call):
    call.microphone()
    video = call.camera()
    call.change(video.camera, 35, 75, is_on=False)
    call.wrong(35, 75, 'device', 'local', 'uplink', also_side=('none',), mids=[video.mid], trail=6)


@scenario(engine='native', role='send', duration=60, intent=True)
def dev02_native_camera_never(call):
    call.microphone()
    video = call.camera()
    video.camera.is_on = False
    call.wrong(0, 60, 'device', 'local', 'uplink', also_side=('none',), also=('media',), mids=[video.mid],
               lead=9)


@scenario(role='send', duration=90, intent=True)
def dev03_chrome_dead_mic_zero(call):
    microphone = call.microphone()
    call.camera(1.2e6)
    call.change(microphone, 30, is_muted=True)
    call.wrong(30, 90, 'device', 'local', 'uplink', also_side=('none',), mids=[microphone.mid], lead=12,
               note='digital zero, not muted')


@scenario(engine='safari', topology='p2p', role='both', duration=80)
def dev04_safari_mic_ended(call):
    microphone = call.microphone()
    call.remote_audio()
    call.change(microphone, 35, is_capturing=False, level=.0)
    call.wrong(35, 80, 'device', 'local', 'uplink', also_side=('none',), also=('media',),
               mids=[microphone.mid], lead=8,
               note='source delivers no samples: totalSamplesDuration stands still')
