# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Too little bandwidth: on either link, of a whole call or a part of it, or because others use it."""
from call import Layer
from intents import condition, subscribe
from scenario import scenario


@scenario(role='send', duration=130, intent=True)
def bw01_chrome_uplink_sudden(call):
    call.microphone()
    call.camera()
    call.change(call.uplink, 40, 85, capacity=600e3)
    call.wrong(40, 85, 'bandwidth', 'local', 'uplink', recovers=call.sent)


@scenario(topology='p2p', role='both', duration=140)
def bw02_chrome_p2p_uplink_gradual(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    call.change(call.uplink, 30, capacity=3e6)
    for step in range(20):
        call.change(call.uplink, 31 + 2 * step, capacity=3e6 * .9 ** (step + 1))
    call.change(call.uplink, 110, capacity=50e6)
    call.unscored(30, 45)
    call.wrong(45, 110, 'bandwidth', 'bothOrUnclear', 'uplink', also_side=('local',), recovers=call.sent,
               lead=3)


@scenario(engine='firefox', topology='p2p', role='both', interval=2, duration=120)
def bw03_firefox_p2p_uplink_whole(call):
    call.uplink.capacity = 420e3
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    call.wrong(0, 120, 'bandwidth', 'bothOrUnclear', 'uplink', also_side=('local',), lead=12)


@scenario(engine='safari', role='send', duration=110)
def bw04_safari_simulcast_uplink_30s(call):
    call.microphone()
    call.simulcast()
    call.change(call.uplink, 40, 70, capacity=450e3)
    call.wrong(40, 70, 'bandwidth', 'local', 'uplink', also_side=('bothOrUnclear',), recovers=call.sent)


@scenario(engine='native', duration=110, intent=True)
def bw05_native_downlink_sfu_leg(call):
    call.remote_audio()
    call.remote_video()
    call.change(call.downlink, 35, 75, capacity=420e3)
    call.wrong(35, 75, 'bandwidth', 'local', 'downlink', recovers=call.received)


@scenario(interval=2, duration=120)
def bw06_chrome_multi_downlink(call):
    call.remote_participants(4, 800e3)
    call.change(call.downlink, 40, 100, capacity=700e3)
    call.wrong(40, 100, 'bandwidth', 'bothOrUnclear', 'downlink', also_side=('local',), trail=20,
               note='after 40 s all layers shrink together; the queue is seen at the fall only')


@scenario(topology='p2p', role='both', duration=110)
def bw07_chrome_p2p_receiver_downlink(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    call.change(call.downlink, 35, 80, capacity=350e3)
    call.wrong(35, 80, 'bandwidth', 'bothOrUnclear', 'downlink', also_side=('local', 'remote'), trail=22)


@scenario(topology='p2p', role='both', duration=100)
def bw08_chrome_audio_only_uplink(call):
    call.microphone()
    call.remote_audio()
    call.change(call.uplink, 30, 75, capacity=38e3, queue_limit=.9)
    call.wrong(30, 75, 'bandwidth', 'bothOrUnclear', 'uplink', also_side=('local',), lead=7, trail=8)


@scenario(engine='firefox-oldest', role='send', interval=5, duration=200)
def bw09_firefoxold_uplink_5s(call):
    call.microphone()
    call.camera()
    call.change(call.uplink, 60, 130, capacity=300e3)
    call.wrong(60, 130, 'bandwidth', 'bothOrUnclear', 'uplink', also_side=('local',), recovers=call.sent,
               note='no estimate, no reason: RTT step, loss and the fall of the rate and size')


def other_flows(call, link, begins, ends, queue, period, share, loss=.002):
    """Other flows keep the queue standing, in the sawtooth of a TCP, and leave a share of the capacity."""
    offset = call.random.random() * period
    low, high = queue

    def wait(time):
        phase = (time + offset) % period / period
        return low + (high - low) * phase

    call.change(link, begins, ends, other_queue=wait, other_loss=loss, capacity=share)


@scenario(role='send', duration=130, intent=True)
def bw10_chrome_other_upload_sender(call):
    call.microphone()
    call.camera(1.7e6)
    other_flows(call, call.uplink, 35, 95, queue=(.28, .62), period=9, share=2e6)
    call.wrong(35, 95, 'bandwidth', 'local', 'uplink', recovers=call.sent)


@scenario(topology='p2p', role='both', duration=120)
def bw11_chrome_p2p_other_download(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    other_flows(call, call.downlink, 35, 90, queue=(.25, .5), period=7, share=3e6)
    call.wrong(35, 90, 'bandwidth', 'bothOrUnclear', 'downlink', also_side=('local', 'remote'), trail=12)


@scenario(engine='safari', role='send', duration=130, interval=2)
def bw12_safari_other_upload_2s(call):
    call.microphone()
    call.camera()
    other_flows(call, call.uplink, 40, 100, queue=(.35, .8), period=11, share=1.5e6, loss=.004)
    call.wrong(40, 100, 'bandwidth', 'local', 'uplink', also_side=('bothOrUnclear',), recovers=call.sent)


@scenario(role='send', interval=10, duration=240, svc=True)
def bw13_chrome_svc_whole_10s(call):
    call.uplink.capacity = 260e3
    call.microphone()
    call.camera()
    call.wrong(0, 240, 'bandwidth', 'local', 'uplink', also_side=('bothOrUnclear',), lead=21)


@scenario(role='send', interval=5, duration=160)
def bw14_chrome_uplink_30s_5s(call):
    call.microphone()
    call.camera()
    call.change(call.uplink, 60, 100, capacity=350e3)
    call.wrong(60, 100, 'bandwidth', 'local', 'uplink', also_side=('bothOrUnclear',), recovers=call.sent)


@scenario(duration=100, intent=True)
def bw15_chrome_publisher_capped_seen_far(call):
    call.remote_audio()
    video = call.remote_video(2.5e6, layers=[Layer(1, 2.5e6)])
    layers = video.layers

    def low():
        video.layers = [Layer(4, 90e3)]
        video.camera.fps = 8
        video.is_key_frame_due = True
        call.publisher = dict(cause='bandwidth', transport=condition('critical', 'bandwidth'))
        call.publisher_uplink = condition('critical', 'bandwidth')

    def well():
        video.layers = layers
        video.camera.fps = 30
        video.is_key_frame_due = True
        call.publisher = dict(cause='none', transport=condition())
        call.publisher_uplink = condition()

    def wants_all(time):
        intent = wants_what_is_sent(time)
        intent['video']['wantedLayer'] = dict(
            enabled=True, maximumBitrate=2500000, size=dict(width=1280, height=720))
        return intent

    well()
    subscribe(call)
    wants_what_is_sent, call.intent = call.intent, wants_all
    call.at(35, low)
    call.at(75, well)
    call.wrong(35, 75, 'bandwidth', 'remote', 'uplink')


def easy_call(call):
    """A call peer to peer whose content needs little, of encoders that start small, as Chromium's test pictures."""
    call.microphone()
    call.camera(fps=20, starts_small=True).camera.complexity = .3
    call.remote_audio()
    call.remote_video(fps=20).camera.complexity = .3


@scenario(topology='p2p', role='both', duration=120)
def bw16_chrome_p2p_easy_content_uplink(call):
    easy_call(call)
    call.change(call.uplink, 45, 85, capacity=350e3)
    call.wrong(45, 85, 'bandwidth', 'bothOrUnclear', 'uplink', also_side=('local',), recovers=call.sent)


@scenario(topology='p2p', role='both', duration=120)
def bw17_chrome_p2p_easy_content_downlink(call):
    easy_call(call)
    call.change(call.downlink, 45, 85, capacity=350e3)
    call.wrong(45, 85, 'bandwidth', 'bothOrUnclear', 'downlink', also_side=('local', 'remote'),
               recovers=call.received)
