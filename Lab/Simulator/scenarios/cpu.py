# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A processor that cannot encode or decode as much as it is asked to."""
from scenario import scenario


@scenario(role='send', duration=110)
def cpu01_chrome_encoder(call):
    call.microphone()
    video = call.camera()
    call.change(video, 35, 90, encode_ms=60.0)
    call.wrong(35, 90, 'cpu', 'local', 'uplink', lead=5, trail=12, also_side=('none',))


@scenario(engine='native', role='send', duration=100, intent=True, start_bitrate=2.5e6)
def cpu02_native_encoder_intent(call):
    call.microphone()
    call.camera(encode_ms=58.0)
    call.wrong(0, 100, 'cpu', 'local', 'uplink', lead=12, also_side=('none',))


@scenario(engine='firefox-older', role='send', interval=2, duration=120)
def cpu03_firefoxold_encoder(call):
    call.microphone()
    video = call.camera(adapts=False)
    call.change(video, 40, 100, encode_ms=110.0)
    call.wrong(40, 100, 'cpu', 'local', 'uplink', also_side=('none',),
               note='no reason reported: camera 30 fps, encoded 9 fps, encode time 110 ms a frame')


@scenario(engine='safari', duration=100)
def cpu04_safari_decoder(call):
    call.remote_audio()
    video = call.remote_video()
    call.change(video, 35, 80, decode_ms=75.0)
    call.wrong(35, 80, 'cpu', 'local', 'downlink', also_side=('none',), mids=[video.mid])


@scenario(duration=100, interval=2)
def cpu05_chrome_decoder_multi(call):
    videos = []
    for _ in range(3):
        call.remote_audio()
        videos.append(call.remote_video(900e3))
    for video in videos:
        call.change(video, 40, 85, decode_ms=80.0)
    call.wrong(40, 85, 'cpu', 'local', 'downlink', also_side=('none',), mids=[video.mid for video in videos])


@scenario(role='send', duration=90, intent=True)
def cpu06_chrome_screen_encoder(call):
    call.microphone()
    video = call.camera(1.5e6, 1920, 1080, 15, adapts=False, is_screen=True)
    call.change(video, 30, encode_ms=62.0)
    call.wrong(30, 90, 'cpu', 'local', 'uplink', also_side=('none',))
