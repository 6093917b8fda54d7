# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Calls in which nothing is wrong, though some of their figures look like it."""
import math

from call import Encoding, Layer
from intents import publish, subscribe
from scenario import scenario


@scenario(role='both', topology='p2p', duration=120)
def ok01_chrome_silent_listener_dtx(call):
    def talk(time):
        return .03 * abs(math.sin(time * 7)) if time < 12 else .0007 + .0002 * math.sin(time)

    call.microphone(dtx=True, talk=talk)
    call.camera()
    call.remote_audio()
    call.remote_video()


@scenario(engine='firefox', role='send', duration=100, intent=True)
def ok02_firefox_silent_listener(call):
    call.microphone(talk=lambda time: .0009 + .0003 * math.sin(time * 3))
    call.camera(1.2e6)


@scenario(role='send', duration=90)
def ok03_chrome_dim_camera(call):
    call.microphone()
    video = call.camera()
    call.change(video.camera, 30, fps=10)


@scenario(engine='safari', topology='p2p', role='both', duration=80)
def ok04_safari_dim_camera_whole(call):
    call.microphone()
    call.camera(fps=12)
    call.remote_audio()
    call.remote_video(fps=15)


@scenario(role='both', topology='p2p', duration=110)
def ok05_chrome_hold(call):
    call.microphone()
    video = call.camera()
    call.remote_audio()
    other = call.remote_video()
    for stream in (call.sent.audio[0], call.received.audio[0]):
        call.change(stream, 40, 75, is_sent=False)
    for stream in (video, other):
        call.change(stream, 40, 75, is_active=False)
    call.wrong(40, 75, 'none', 'none', also=('unknown',), lead=0, trail=9,
               note='hold: nothing is sent by agreement')


@scenario(role='send', duration=90, intent=True)
def ok06_chrome_mute_intent(call):
    microphone = call.microphone()
    call.camera()
    call.change(microphone, 25, 70, is_muted=True)
    publish(call, is_muted=lambda time: 25 <= time < 70)


@scenario(engine='safari', duration=90, intent=True)
def ok07_safari_remote_muted_sfu_stops(call):
    audio = call.remote_audio()
    call.remote_video()
    call.change(audio, 30, 70, is_sent=False)
    subscribe(call, is_muted=lambda time: 30 <= time < 70)


@scenario(role='send', duration=100, intent=True)
def ok08_chrome_still_screen_send(call):
    call.microphone()
    video = call.camera(1.5e6, 1920, 1080, 15, adapts=False, is_screen=True)
    call.change(video, 20, 85, is_still=True)


@scenario(engine='native', duration=100, intent=True)
def ok09_native_still_screen_recv(call):
    call.remote_audio()
    video = call.remote_video(1.5e6, 1920, 1080, 15, layers=[Layer(1, 1.5e6)], is_screen=True)
    call.change(video, 20, 85, is_still=True)


@scenario(duration=150, intent=True)
def ok10_chrome_background_tab(call):
    call.remote_audio()
    video = call.remote_video()
    call.is_report_missing = lambda time: 40 <= time < 110 and int(time) % 10
    call.change(video.camera, 40, 110, is_on=False)
    subscribe(call, is_video_enabled=lambda time: not 40 <= time < 110)
    call.wrong(40, 110, 'none', 'none', also=('unknown',), lead=0, trail=5)


@scenario(duration=80)
def ok11_chrome_hardware_decoder(call):
    call.remote_audio()
    video = call.remote_video()
    video.is_pipelined = True
    video.decode_ms = 34.0
    video.hardware_decoder = 'ExternalDecoder (D3D11VideoDecoder)'


@scenario(engine='safari', topology='p2p', role='both', duration=80)
def ok12_safari_hardware_decoder(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    video = call.remote_video()
    video.is_pipelined = True
    video.decode_ms = 30.0


@scenario(role='send', duration=110, intent=True)
def ok13_chrome_simulcast_nobody_looks(call):
    call.microphone()
    _, half, full = call.simulcast()
    for stream in (full, half):
        call.change(stream, 35, 80, is_active=False)
    call.unscored(80, 86)


@scenario(duration=110)
def ok14_chrome_4_tiles_switched_small(call):
    videos = call.remote_participants(4, 700e3)
    for video in videos[1:]:
        call.change(video, 35, 80, wanted_layer=2)


@scenario(topology='p2p', role='both', duration=150, propagation=.055)
def ok15_chrome_rtt120_jitter8(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    for link in call.links:
        link.jitter = .0065
    call.sent.congestion.detector.sensitivity = call.received.congestion.detector.sensitivity = .5


@scenario(engine='firefox', duration=140, propagation=.058, interval=2)
def ok16_firefox_rtt120_2s(call):
    call.remote_audio()
    call.remote_video()
    call.downlink.jitter = .006
    call.received.congestion.detector.sensitivity = .5


@scenario(duration=150)
def ok17_chrome_third_percent_repaired(call):
    call.downlink.loss = .003
    call.remote_audio()
    call.remote_video()


@scenario(engine='native', role='send', duration=130, intent=True, start_bitrate=2e6)
def ok18_native_third_percent_send(call):
    call.uplink.loss = .003
    call.microphone()
    call.camera()


@scenario(role='send', duration=70, intent=True)
def ok19_chrome_startup_slow_ramp(call):
    call.microphone()
    call.camera()
    call.uplink.propagation = .05
    call.wrong(0, 20, 'none', 'none', also=('unknown', 'recovering'), lead=0, trail=0)


@scenario(engine='safari', role='send', duration=60)
def ok20_safari_startup_simulcast(call):
    call.microphone()
    call.simulcast()
    call.wrong(0, 15, 'none', 'none', also=('unknown', 'recovering'), lead=0, trail=0)


@scenario(topology='p2p', role='both', duration=100)
def ok21_chrome_renegotiation_ice_restart(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video(1.2e6)
    call.at(40, lambda: call.select_pair('wifi', 'n3wF'))
    call.at(60, lambda: call.remote_video(800e3, 640, 360))


@scenario(duration=90)
def ok22_chrome_5_one_leaves(call):
    videos = call.remote_participants(5)
    audio = call.received.audio[2]
    video = videos[2]
    call.change(video, 45, is_present=False)
    call.change(audio, 45, is_present=False)


@scenario(engine='firefox', duration=90, interval=2)
def ok23_firefox_3_one_leaves_one_joins(call):
    videos = call.remote_participants(3)
    audio = call.received.audio[0]
    call.change(videos[0], 40, is_present=False)
    call.change(audio, 40, is_present=False)

    def join():
        call.remote_audio()
        call.remote_video(450e3, 640, 360)

    call.at(60, join)


@scenario(duration=90)
def ok24_chrome_track_replaced_new_ssrc(call):
    call.remote_audio()
    video = call.remote_video()

    def swap():
        video.is_present = False
        call.remote_video(mid=video.mid)

    call.at(45, swap)


@scenario(role='send', duration=90)
def ok25_chrome_sender_restarted(call):
    call.microphone()
    video = call.camera()

    def swap():
        video.is_present = False
        call.camera(mid=video.mid).generation = 1

    call.at(45, swap)


@scenario(topology='p2p', role='both', duration=200, interval=5)
def ok26_chrome_5s_clean(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()


@scenario(engine='safari', role='send', duration=250, interval=10)
def ok27_safari_10s_clean(call):
    call.microphone()
    call.simulcast()


@scenario(engine='firefox-oldest', role='both', duration=100, interval=2)
def ok28_firefoxold_clean(call):
    call.microphone()
    call.camera(1.2e6)
    call.remote_audio()
    call.remote_video()


@scenario(role='send', duration=150, intent=True)
def ok29_chrome_backoffs_unseen(call):
    call.microphone()
    call.camera(1.7e6)

    for second in range(30, 140, 27):
        call.at(second, lambda: call.sent.congestion.back_off(call.now))
        call.at(second, lambda: call.stall(call.uplink, .09))
        call.at(second + 3, lambda: call.sent.congestion.probe(call.now + 5, 3e6))


@scenario(role='send', duration=80)
def ok30_chrome_small_camera_simulcast(call):
    call.microphone()
    _, _, full = call.simulcast([
        Encoding('q', 4, 150e3, 50e3), Encoding('h', 2, 300e3, 80e3), Encoding('f', 1, 700e3, 150e3)],
        width=640, height=360)
    full.is_active = False


@scenario(role='send', duration=120, intent=True)
def ok31_chrome_audio_only_5s_rr(call):
    call.sent.has_feedback = False
    call.microphone()


@scenario(engine='native', role='send', duration=110, intent=True, start_bitrate=2e6)
def ok32_native_content_limited(call):
    call.microphone()
    video = call.camera()
    call.change(video.camera, 20, complexity=.22)


@scenario(duration=70)
def ok33_chrome_9_participants(call):
    call.remote_participants(9, 300e3)


@scenario(duration=120, intent=True)
def ok34_chrome_single_burst_repaired(call):
    call.remote_audio()
    call.remote_video()
    for second in (40, 80):
        call.change(call.downlink, second, second + .07, loss=.9)
    call.unscored(40, 44)
    call.unscored(80, 84)


@scenario(topology='p2p', role='both', duration=90)
def ok35_chrome_starts_small(call):
    call.microphone()
    call.camera(fps=20, starts_small=True).camera.complexity = .3
    call.remote_audio()
    call.remote_video()


@scenario(engine='safari', role='send', duration=90)
def ok36_safari_starts_small(call):
    call.microphone()
    call.camera(starts_small=True).camera.complexity = .6
