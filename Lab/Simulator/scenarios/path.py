# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Paths that change and paths that fail."""
from scenario import scenario


@scenario(role='both', topology='p2p', duration=100)
def hand01_chrome_wifi_to_cell(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    for link in call.links:
        call.change(link, 40, 44, is_down=True)
        call.change(link, 44, propagation=.045, jitter=.003)
    call.at(44, lambda: call.select_pair('cellular', 'Zk91'))
    call.wrong(40, 44, 'connection', 'bothOrUnclear', 'both', also_side=('local',), also=('none',), lead=3,
               trail=12)


@scenario(role='send', duration=110, intent=True)
def hand02_chrome_longer_path(call):
    call.microphone()
    call.camera()
    for link in call.links:
        call.change(link, 40, propagation=.2)
    call.at(40, lambda: call.select_pair('vpn', 'Qq3x'))
    call.wrong(40, 110, 'latency', 'local', 'both', also_side=('bothOrUnclear',), lead=12,
               note='one step, still afterwards, changed pair')


@scenario(duration=90, intent=True)
def out01_chrome_downlink_8s(call):
    call.remote_audio()
    call.remote_video()
    for link in call.links:
        call.change(link, 40, 49, is_down=True)
    call.wrong(40, 49, 'connection', 'local', 'both', also_side=('bothOrUnclear',), lead=3, trail=12)


@scenario(engine='firefox', topology='p2p', role='both', duration=110, interval=2)
def out02_firefox_p2p_12s(call):
    call.microphone()
    call.camera()
    call.remote_audio()
    call.remote_video()
    for link in call.links:
        call.change(link, 50, 63, is_down=True)
    call.wrong(50, 63, 'connection', 'bothOrUnclear', 'both', also_side=('local',), lead=4, trail=14)


@scenario(engine='native', role='send', interval=10, duration=220, intent=True)
def out03_native_send_30s_10s(call):
    call.microphone()
    call.camera()
    for link in call.links:
        call.change(link, 95, 135, is_down=True)
    call.wrong(95, 135, 'connection', 'local', 'both', also_side=('bothOrUnclear',), lead=16, trail=30)


@scenario(engine='safari', topology='p2p', role='both', duration=90)
def out04_safari_audio_6s(call):
    call.microphone()
    call.remote_audio()
    for link in call.links:
        call.change(link, 40, 47, is_down=True)
    call.wrong(40, 47, 'connection', 'bothOrUnclear', 'both', also_side=('local',), lead=3, trail=9)
