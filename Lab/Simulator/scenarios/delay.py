# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Delay that varies (jitter) and delay that is long (latency)."""
from scenario import scenario


@scenario(topology='p2p', role='both', duration=100, audio_report_interval=2.0)
def jit01_chrome_p2p_downlink(call):
    call.microphone()
    call.remote_audio()
    call.change(call.downlink, 30, 75, jitter=.15)
    call.wrong(30, 75, 'jitter', 'bothOrUnclear', 'downlink', also_side=('local', 'remote'), trail=10)


@scenario(engine='safari', duration=100, interval=2)
def jit02_safari_downlink(call):
    call.remote_audio()
    call.remote_video(700e3, 640, 360)
    call.change(call.downlink, 36, 80, jitter=.03, wander=.045)
    call.wrong(36, 80, 'jitter', 'local', 'downlink', also_side=('bothOrUnclear',), trail=12)


@scenario(role='send', duration=150, intent=True)
def jit03_chrome_congestion_control_held(call):
    call.microphone()
    call.camera()
    call.change(call.uplink, 35, 110, wander=.014, jitter=.009)
    call.wrong(35, 110, 'jitter', 'local', 'uplink', recovers=call.sent, lead=10,
               note='nothing queues, nothing is lost; estimate falls again and again by delay variation')


@scenario(engine='firefox', topology='p2p', role='both', duration=110)
def jit04_firefox_4g_held_whole(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    call.uplink.wander = .02
    call.uplink.jitter = .011
    call.uplink.propagation = .035
    call.wrong(0, 110, 'jitter', 'bothOrUnclear', 'uplink', also_side=('local',), also=('unknown',), lead=16)


@scenario(duration=100, intent=True)
def jit05_short_stalls_freeze(call):
    call.remote_audio()
    call.remote_video(1.5e6)
    for second in range(35, 75):
        call.at(second + .2, lambda: call.stall(call.downlink, .34))
    call.wrong(35, 75, 'jitter', 'local', 'downlink', also=('connection', 'bandwidth'), trail=9,
               note='300 ms stalls each second; no loss, no cap: jitter, short outages would be fair as well')


@scenario(topology='p2p', role='both', duration=100)
def turn01_chrome_tcp_relay(call):
    call.candidate_type, call.relay_protocol = ('relay', 'tcp')
    call.uplink.is_tcp = call.downlink.is_tcp = True
    call.uplink.propagation = call.downlink.propagation = .035
    call.microphone()
    call.camera(1.2e6)
    call.remote_audio()
    call.remote_video(1.2e6)
    call.change(call.uplink, 35, 80, loss=.03)
    call.change(call.downlink, 35, 80, loss=.03)
    call.wrong(35, 80, 'jitter', 'bothOrUnclear', 'both', also=('packetLoss', 'connection', 'bandwidth'),
               also_side=('local', 'remote'), trail=12,
               note='loss under TCP shows as head-of-line stalls, never as lost packets')


@scenario(topology='p2p', role='both', duration=90, propagation=.27)
def lat01_chrome_p2p_steady(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    call.wrong(0, 90, 'latency', 'bothOrUnclear', 'both', lead=10)


@scenario(engine='firefox', role='send', duration=110)
def lat02_firefox_vpn_step(call):
    call.microphone()
    call.camera()
    call.change(call.uplink, 40, propagation=.22)
    call.change(call.downlink, 40, propagation=.22)
    call.wrong(40, 110, 'latency', 'bothOrUnclear', 'both', also_side=('local',), lead=10)


@scenario(engine='native', role='send', duration=100, intent=True, propagation=.31, interval=2)
def lat03_native_satellite(call):
    call.microphone()
    call.camera()
    call.wrong(0, 100, 'latency', 'local', 'both', also_side=('bothOrUnclear',), lead=10)


@scenario(engine='safari', topology='p2p', role='both', duration=200, interval=5)
def lat04_safari_audio_5s(call):
    call.microphone()
    call.remote_audio()
    call.change(call.uplink, 80, propagation=.24)
    call.change(call.downlink, 80, propagation=.24)
    call.wrong(80, 200, 'latency', 'bothOrUnclear', 'both', lead=15)
