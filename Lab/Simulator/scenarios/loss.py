# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Packets that are lost: at random, in bursts, of radio, on either link or before the server."""
from intents import condition, subscribe
from scenario import scenario


@scenario(role='send', duration=110, intent=True)
def loss01_chrome_uplink_random(call):
    call.microphone()
    call.camera()
    call.change(call.uplink, 35, 80, loss=.05)
    call.wrong(35, 80, 'packetLoss', 'local', 'uplink', trail=9)


@scenario(topology='p2p', role='both', duration=110)
def loss02_chrome_p2p_downlink_burst(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    call.change(call.downlink, 35, 80, burst_loss=(.012, .12, .75))
    call.wrong(35, 80, 'packetLoss', 'bothOrUnclear', 'downlink', also_side=('local', 'remote'), trail=8)


@scenario(engine='firefox', duration=100)
def loss03_firefox_downlink(call):
    call.remote_audio()
    call.remote_video(1.5e6)
    call.change(call.downlink, 30, 75, loss=.06)
    call.wrong(30, 75, 'packetLoss', 'bothOrUnclear', 'downlink', also_side=('local',), trail=8)


@scenario(engine='safari', topology='p2p', role='both', duration=120)
def loss04_safari_audio_only_p2p(call):
    call.microphone()
    call.remote_audio()
    call.change(call.downlink, 40, 90, loss=.1)
    call.wrong(40, 90, 'packetLoss', 'bothOrUnclear', 'downlink', also_side=('local', 'remote'), lead=5,
               trail=9)


@scenario(engine='native', interval=2, duration=120, intent=True)
def loss05_native_downlink_2s(call):
    call.remote_audio()
    call.remote_video()
    call.change(call.downlink, 40, 90, loss=.045)
    call.wrong(40, 90, 'packetLoss', 'local', 'downlink', trail=8)


@scenario(role='send', interval=10, duration=260)
def loss06_chrome_uplink_10s(call):
    call.microphone()
    call.simulcast()
    call.change(call.uplink, 90, 190, loss=.06)
    call.wrong(90, 190, 'packetLoss', 'local', 'uplink', also_side=('bothOrUnclear',), trail=20)


@scenario(role='send', duration=120, intent=True)
def loss07_chrome_wifi_spikes(call):
    call.microphone()
    call.camera()
    call.change(call.uplink, 35, 95, loss=.035, burst_loss=(.004, .15, .6))
    for second in range(35, 95):
        call.at(second + call.random.random(),
                lambda: call.stall(call.uplink, call.random.choice((.03, .06, .11))))
    call.wrong(35, 95, 'packetLoss', 'local', 'uplink', trail=9,
               note='loss of radio with delay spikes; no standing queue')


@scenario(engine='firefox', role='send', duration=110, interval=2)
def loss08_firefox_uplink_burst(call):
    call.microphone()
    call.camera()
    call.change(call.uplink, 40, 85, burst_loss=(.01, .15, .8))
    call.wrong(40, 85, 'packetLoss', 'bothOrUnclear', 'uplink', also_side=('local',), trail=9)


@scenario(duration=100, intent=True)
def loss09_chrome_far_uplink_named(call):
    call.remote_audio()
    video = call.remote_video()
    audio = call.received.audio[0]

    def on():
        video.upstream_loss = audio.upstream_loss = .06
        call.publisher = dict(cause='packetLoss', transport=condition('warning', 'packetLoss'))
        call.publisher_uplink = condition('warning', 'packetLoss')

    def off():
        video.upstream_loss = audio.upstream_loss = 0
        call.publisher = dict(cause='none', transport=condition())
        call.publisher_uplink = condition()

    off()
    subscribe(call, sends_stats=True)
    call.at(35, on)
    call.at(75, off)
    call.wrong(35, 75, 'packetLoss', 'remote', 'uplink', also_side=('bothOrUnclear',), trail=8)


@scenario(duration=90)
def loss10_chrome_multi_downlink_all(call):
    call.remote_participants(5, 500e3)
    call.change(call.downlink, 35, 70, loss=.06)
    call.wrong(35, 70, 'packetLoss', 'local', 'downlink', also_side=('bothOrUnclear',),
               mids=[stream.mid for stream in call.received.audio + call.received.video], trail=8)


@scenario(duration=90)
def loss11_chrome_multi_one_uplink(call):
    call.remote_participants(4, 500e3)
    video, audio = (call.received.video[2], call.received.audio[2])
    for stream in (video, audio):
        call.change(stream, 35, 70, upstream_loss=.09)
    call.wrong(35, 70, 'packetLoss', 'remote', 'uplink', also_side=('bothOrUnclear',),
               mids=[audio.mid, video.mid], trail=8)
