# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""67 calls as support people see them, and what is true of each second of them: several streams through a router, peers of different engines, long report
intervals, and several phases; by an author who had not seen the rules, the other sets, or their scores, only the format and the facts.

The links are those of `guest_network.py`, what sends over them is in `guest_transport.py` and `guest_media.py`, what receives in `guest_receivers.py`, and
the router in `guest_router.py`; `guest_call.py` puts calls together, and `guest_report.py` writes their reports. The labels are the author's.
"""
import gc
import math
from guest_call import Call
from guest_media import Voice

CLIMB = 25  # seconds in which an estimate climbs again
CALLS = []


def guest(seed=1):
    """All calls of the set as (manifest entry, lines); each seed draws others."""
    for number, (build, *properties) in enumerate(CALLS):
        yield made(number, seed, build, properties)


def made(number, seed, build, properties):
    """A call's entry and lines. Collections of garbage are put off, for a call makes hundreds of thousands of small objects."""
    thresholds = gc.get_threshold()
    gc.set_threshold(300000, 20, 20)
    try:
        c = Call(build.__name__.replace('_', '-'), seed * 1000 + number, *properties)
        build(c)
        return c.run()
    finally:
        gc.set_threshold(*thresholds)


def call(length, interval, engine, topology):
    """Makes the function below it a call of the set; its length and the interval of its reports are seconds."""
    def register(build):
        CALLS.append((build, length, interval, engine, topology))
        return build
    return register


# Bandwidth


@call(120, 1, 'chrome', 'sfu')
def bw_pub_simulcast_uplink(c):
    c.publish()
    c.simulcast_intent()
    c.change(30, c.uplink, capacity=480e3, queue=.4)
    c.change(78, c.uplink, capacity=20e6, queue=.25)
    c.truth = 'Publisher with simulcast: its uplink carries only 480 kbps from 30 to 78 s'
    c.expects(30, 78, 'publisher', 'bandwidth', at_least='noticeable', tail=CLIMB)


@call(130, 2, 'firefox', 'sfu')
def bw_pub_firefox_uplink(c):
    c.publish(simulcast=False)
    c.publisher_intent()
    c.change(36, c.uplink, capacity=330e3, queue=.5)
    c.change(92, c.uplink, capacity=20e6)
    c.truth = 'Firefox publisher (no estimate in its reports): uplink of 330 kbps from 36 to 92 s'
    c.expects(36, 92, 'publisher', ['bandwidth'], tail=CLIMB)


@call(110, 1, 'chrome', 'sfu')
def bw_sub_four_own_downlink(c):
    c.subscribe(4, layers=2, adapts=False)
    c.change(30, c.downlink, capacity=1.7e6, queue=.35)
    c.change(75, c.downlink, capacity=40e6)
    c.truth = "Subscriber of four: its own downlink carries 1.7 Mbps from 30 to 75 s, the SFU sends 2.6 Mbps regardless; all streams suffer"
    c.expects(30, 75, 'subscriber', ['bandwidth', 'packetLoss'], 'local', at_least='disturbing', tail=CLIMB)


@call(150, 5, 'chrome', 'sfu')
def bw_sub_three_own_downlink_5s(c):
    c.subscribe(3)
    c.change(45, c.downlink, capacity=420e3, queue=.6)
    c.change(105, c.downlink, capacity=40e6)
    c.truth = 'Subscriber of three, reports 5 s apart: own downlink of 420 kbps from 45 to 105 s; the SFU pauses two streams soon'
    c.expects(45, 57, 'subscriber', ['bandwidth', 'packetLoss', 'media'], tail=0)
    c.allows(57, 130, 'subscriber', ['none', 'bandwidth', 'packetLoss', 'media', 'jitter', 'recovering'])


@call(120, 1, 'chrome', 'p2p')
def bw_p2p_chrome_safari_up(c):
    c.peer_to_peer()
    c.change(35, c.uplink, capacity=420e3, queue=.5)
    c.change(85, c.uplink, capacity=20e6)
    c.truth = 'Two-way call: what is sent fits only in 420 kbps from 35 to 85 s; what is received is fine'
    c.expects(35, 85, 'publisher', 'bandwidth', tail=CLIMB)
    c.allows(35, 95, 'subscriber', ['none', 'latency', 'bandwidth', 'recovering'])


@call(150, 2, 'chrome', 'sfu')
def bw_pub_two_phases(c):
    c.publish()
    c.simulcast_intent()
    c.change(28, c.uplink, capacity=650e3, queue=.3)
    c.change(58, c.uplink, capacity=20e6)
    c.change(98, c.uplink, capacity=230e3, queue=.4)
    c.change(134, c.uplink, capacity=20e6)
    c.truth = 'Uplink of 650 kbps at 28-58 s, then clean, then 230 kbps at 98-134 s'
    c.expects(28, 58, 'publisher', 'bandwidth', tail=CLIMB)
    c.expects(98, 134, 'publisher', 'bandwidth', at_least='disturbing', tail=CLIMB)


@call(120, 1, 'chrome', 'sfu')
def bw_pub_bufferbloat_other_upload(c):
    c.publish(simulcast=False)
    c.publisher_intent()

    def saw(now):
        return .32 + .30 * (((now - 32) % 9) / 9)

    c.change(32, c.uplink, capacity=600e3, wobble=saw, queue=.8)
    c.change(80, c.uplink, capacity=20e6, wobble=None)
    c.truth = "Another upload in the house fills the modem's queue from 32 to 80 s: 600 kbps left, round trips of 0.35-0.7 s"
    c.expects(32, 80, 'publisher', ['bandwidth'], at_least='noticeable', tail=32)


@call(150, 10, 'safari', 'p2p')
def bw_p2p_safari_10s(c):
    c.peer_to_peer()
    c.change(40, c.uplink, capacity=300e3, queue=.5)
    c.change(110, c.uplink, capacity=20e6)
    c.truth = 'Safari, reports 10 s apart: 300 kbps for what is sent from 40 to 110 s'
    c.expects(40, 110, 'publisher', 'bandwidth', at_least='noticeable', tail=25)
    c.allows(40, 125, 'subscriber', ['none', 'latency', 'bandwidth', 'recovering'])


@call(150, 5, 'native', 'sfu')
def bw_sub_native_one_5s(c):
    c.subscribe(1, layers=1, adapts=False)
    c.subscriber_intent(rate=1.2e6)
    c.change(50, c.downlink, capacity=520e3, queue=.6)
    c.change(100, c.downlink, capacity=40e6)
    c.truth = 'App with libwebrtc subscribes one 720p stream without layers from an SFU that cannot adapt: downlink of 520 kbps from 50 to 100 s'
    c.expects(50, 100, 'subscriber', ['bandwidth', 'packetLoss'], 'local', at_least='bad', tail=CLIMB)


@call(150, 5, 'chrome', 'sfu')
def bw_pub_vp9_svc_5s(c):
    c.publish(svc='L3T3_KEY', video_codec='video/VP9', rate=1.5e6)
    c.publisher_intent(rate=1.5e6)
    c.change(50, c.uplink, capacity=300e3, queue=.4)
    c.change(110, c.uplink, capacity=20e6)
    c.truth = 'VP9 SVC publisher: uplink of 300 kbps from 50 to 110 s, the upper spatial layers are left out'
    c.expects(50, 110, 'publisher', 'bandwidth', tail=CLIMB)


@call(120, 2, 'chrome', 'sfu')
def bw_pub_lossy_bottleneck(c):
    c.publish(screen=True)
    c.change(40, c.uplink, capacity=380e3, queue=.3, loss=.015)
    c.change(90, c.uplink, capacity=20e6, loss=.0005)
    c.truth = 'Audio, camera and screen: uplink of 380 kbps with 1.5 % random loss besides from 40 to 90 s; the capacity is the main cause'
    c.expects(40, 90, 'publisher', ['bandwidth'], at_least='noticeable', tail=CLIMB)


# CPU


@call(120, 1, 'chrome', 'sfu')
def cpu_pub_encoder(c):
    c.publish(simulcast=False)
    c.publisher_intent()
    c.slow_encoder(30, 85, 8.5)
    c.truth = 'The encoder cannot keep up from 30 to 85 s (another program uses the processor)'
    c.expects(30, 85, 'publisher', 'cpu', tail=20)


@call(140, 2, 'native', 'p2p')
def cpu_p2p_native_encoder(c):
    c.peer_to_peer()
    c.slow_encoder(40, 105, 11)
    c.truth = 'App with libwebrtc: encoding takes too long from 40 to 105 s'
    c.expects(40, 105, 'publisher', 'cpu', tail=20)


@call(120, 1, 'chrome', 'sfu')
def cpu_sub_six_decoders(c):
    c.subscribe(6, layers=2)
    c.change(40, c.connection, decode_factor=36.0)
    c.change(90, c.connection, decode_factor=1.0)
    c.truth = 'Subscriber of six: decoding takes longer than the frames last from 40 to 90 s; the network is fine'
    c.expects(40, 90, 'subscriber', 'cpu', at_least='noticeable')


@call(150, 5, 'chrome', 'sfu')
def cpu_sub_four_decoders_5s(c):
    c.subscribe(4)
    c.change(50, c.connection, decode_factor=14.0)
    c.change(110, c.connection, decode_factor=1.0)
    c.truth = 'Subscriber of four 720p streams, reports 5 s apart: the decoders are overloaded from 50 to 110 s'
    c.expects(50, 110, 'subscriber', 'cpu', at_least='noticeable')


@call(130, 2, 'safari', 'p2p')
def cpu_p2p_safari_encoder(c):
    c.peer_to_peer()
    c.slow_encoder(45, 130, 9.5)
    c.truth = 'Safari: encoder overloaded from 45 s to the end'
    c.expects(45, 130, 'publisher', 'cpu')


# Single streams


def withhold_key_frames(publisher):
    """From now on nothing of a video can be decoded."""
    publisher.forwarded_video.no_key_frames = True
    publisher.received_video.needs_key = True


@call(100, 1, 'chrome', 'sfu')
def one_of_four_frozen(c):
    c.subscribe(4)
    publisher = c.publishers[2]
    c.at(34, withhold_key_frames, publisher)
    c.change(72, publisher.forwarded_video, no_key_frames=False)
    c.truth = 'Third video freezes from 34 to 72 s: packets come, no key frame does; the others are fine'
    c.expects(34, 72, 'subscriber', 'media', track=publisher.video_stream.mid, at_least='disturbing')


@call(100, 2, 'chrome', 'sfu')
def one_of_four_never_arrives(c):
    c.subscribe(4)
    publisher = c.publishers[1]
    publisher.video_stream.drop = lambda packet, now: True
    publisher.video_stream.is_dropped_behind_path = True
    c.truth = "Second video: the server's sender reports count packets, none ever arrives"
    c.expects(6, 100, 'subscriber', ['media', 'packetLoss'], track=publisher.video_stream.mid, at_least='disturbing', tail=0)
    c.allows(0, 6, 'subscriber', ['none', 'media', 'packetLoss'])


@call(90, 1, 'chrome', 'sfu')
def one_of_five_undecodable(c):
    c.subscribe(5)
    publisher = c.publishers[3]
    publisher.received_video.undecodable = True
    c.truth = 'Fourth video cannot be decoded from the start (wrong key of end-to-end encryption)'
    c.expects(5, 90, 'subscriber', 'media', track=publisher.video_stream.mid, at_least='disturbing', tail=0)
    c.allows(0, 5, 'subscriber', ['none', 'media'])


@call(120, 2, 'chrome', 'sfu')
def one_of_three_lossy(c):
    c.subscribe(3, adapts=False)
    publisher = c.publishers[1]
    c.change(40, publisher.video_stream, drop=lambda packet, now: packet.is_repair or c.simulation.random.random() < .06)
    c.change(80, publisher.video_stream, drop=None)
    c.truth = "6 % of the second video's packets and all their retransmissions are lost within the SFU from 40 to 80 s; nothing else is"
    c.expects(40, 80, 'subscriber', ['packetLoss', 'media'], track=publisher.video_stream.mid, at_least='noticeable')


@call(150, 5, 'chrome', 'sfu')
def one_of_four_frozen_5s(c):
    c.subscribe(4)
    publisher = c.publishers[0]
    c.at(60, withhold_key_frames, publisher)
    c.change(110, publisher.forwarded_video, no_key_frames=False)
    c.truth = 'First video frozen from 60 to 110 s although its packets arrive, reports 5 s apart'
    c.expects(60, 110, 'subscriber', 'media', track=publisher.video_stream.mid, at_least='disturbing')


@call(110, 2, 'safari', 'sfu')
def one_audio_of_four_stops(c):
    c.subscribe(4, talk=[.5, .4, .85, .3])
    publisher = c.publishers[2]
    c.change(45, publisher.audio_stream, drop=lambda packet, now: True)
    c.truth = "Third participant's sound stops at 45 s: the server's sender reports go on counting, no packet arrives"
    c.expects(45, 110, 'subscriber', ['media', 'packetLoss'], track=publisher.audio_stream.mid, at_least='noticeable')


# Another participant's uplink against one's own downlink


@call(120, 1, 'chrome', 'sfu')
def remote_uplink_loss_one_of_four(c):
    c.subscribe(4, talk=[.5, .8, .3, .3])
    publisher = c.publishers[1]
    c.change(35, publisher.uplink, loss=.08)
    c.change(85, publisher.uplink, loss=.0005)
    c.truth = "Second participant's own uplink loses 8 % from 35 to 85 s: only his sound has holes, the SFU repairs his video"
    c.expects(35, 85, 'subscriber', 'packetLoss', 'remote', at_least='noticeable')


@call(120, 1, 'chrome', 'sfu')
def own_downlink_loss_four(c):
    c.subscribe(4)
    c.change(35, c.downlink, loss=.08)
    c.change(85, c.downlink, loss=.0005)
    c.truth = 'The own downlink loses 8 % from 35 to 85 s: all eight streams alike'
    c.expects(35, 85, 'subscriber', 'packetLoss', 'local', at_least='noticeable')


@call(150, 5, 'chrome', 'sfu')
def remote_uplink_loss_one_of_three_5s(c):
    c.subscribe(3, talk=[.8, .4, .4])
    publisher = c.publishers[0]
    c.change(50, publisher.uplink, bursts=(.012, .12, .9))
    c.change(110, publisher.uplink, bursts=None)
    c.truth = "First participant's uplink loses packets in bursts (8 %) from 50 to 110 s, reports 5 s apart"
    c.expects(50, 110, 'subscriber', ['packetLoss'], 'remote', at_least='noticeable')


@call(150, 10, 'chrome', 'sfu')
def own_downlink_loss_five_10s(c):
    c.subscribe(5, adapts=False, layers=2)
    c.change(50, c.downlink, loss=.1)
    c.change(110, c.downlink, loss=.0005)
    c.truth = 'The own downlink loses 10 % from 50 to 110 s, reports 10 s apart, five participants'
    c.expects(50, 110, 'subscriber', 'packetLoss', 'local', at_least='noticeable')


@call(120, 2, 'chrome', 'sfu')
def remote_wifi_stalls_one_of_four(c):
    c.subscribe(4, talk=[.4, .4, .4, .8])
    publisher = c.publishers[3]
    publisher.uplink.queue = 1.0
    publisher.transport.congestion.lowest = 250e3
    c.stall([publisher.uplink], 40, 90, (.8, 1.7), .18, .4)
    c.truth = "Fourth participant's Wi-Fi stalls for 0.2-0.4 s each 1-2 s from 40 to 90 s: only his streams jitter"
    c.expects(40, 90, 'subscriber', ['jitter'], 'remote')


@call(120, 2, 'chrome', 'sfu')
def own_wifi_stalls_four(c):
    c.subscribe(4, adapts=False)
    c.downlink.queue = 1.0
    c.stall([c.downlink, c.uplink], 40, 90, (.6, 1.4), .2, .42)
    c.truth = 'The own Wi-Fi stalls for 0.2-0.4 s each 1-2 s from 40 to 90 s: all streams together'
    c.expects(40, 90, 'subscriber', ['jitter'], 'local')


@call(110, 1, 'chrome', 'sfu')
def remote_gone_one_of_three(c):
    c.subscribe(3, talk=[.5, .9, .5])
    publisher = c.publishers[1]
    c.change(45, [publisher.uplink, publisher.downlink], is_down=True)
    c.change(63, [publisher.uplink, publisher.downlink], is_down=False)
    c.truth = "Second participant's network is gone from 45 to 63 s: his sound and video stop together, the others go on"
    c.expects(45, 63, 'subscriber', ['media', 'connection', 'none'], tail=12)


@call(150, 2, 'chrome', 'sfu')
def own_then_remote(c):
    c.subscribe(4, talk=[.5, .5, .8, .4])
    publisher = c.publishers[2]
    c.change(28, c.downlink, loss=.09)
    c.change(58, c.downlink, loss=.0005)
    c.change(95, publisher.uplink, loss=.085)
    c.change(130, publisher.uplink, loss=.0005)
    c.truth = "First the own downlink loses 9 % (28-58 s), later the third participant's uplink 8.5 % (95-130 s)"
    c.expects(28, 58, 'subscriber', 'packetLoss', 'local', at_least='noticeable')
    c.expects(95, 130, 'subscriber', 'packetLoss', 'remote', at_least='noticeable')


@call(120, 1, 'chrome', 'sfu')
def remote_uplink_narrow_one_of_four(c):
    c.subscribe(4, layers=1, rate=8e5, talk=[.8, .4, .4, .4])
    publisher = c.publishers[0]
    publisher.uplink.queue = .7
    c.change(40, publisher.uplink, capacity=150e3)
    c.change(80, publisher.uplink, capacity=20e6)
    c.truth = "First participant's uplink falls to 150 kbps from 40 to 80 s: only his streams lose, jitter and shrink"
    c.expects(40, 52, 'subscriber', ['bandwidth', 'packetLoss', 'jitter', 'media'], 'remote', tail=0)
    c.allows(52, 100, 'subscriber', ['none', 'bandwidth', 'packetLoss', 'jitter', 'media', 'recovering'])


# Delay


@call(120, 2, 'chrome', 'p2p')
def delay_p2p_vpn(c):
    c.peer_to_peer()
    c.change(45, [c.uplink, c.downlink], propagation=.26)
    c.truth = 'A VPN is switched on at 45 s: round trips of 0.55 s from then on'
    for role in ('publisher', 'subscriber'):
        c.expects(45, 120, role, 'latency', at_least='noticeable')


@call(140, 5, 'chrome', 'sfu')
def delay_pub_satellite_5s(c):
    c.publish(simulcast=False)
    c.publisher_intent()
    c.uplink.propagation, c.downlink.propagation = .31, .3
    c.truth = 'Publisher behind a satellite: round trips of 0.62 s all the time, the capacity is enough'
    c.expects(5, 140, 'publisher', 'latency', at_least='noticeable')
    c.allows(0, 5, 'publisher', ['none', 'latency'])


@call(110, 1, 'chrome', 'sfu')
def delay_sub_detour(c):
    c.subscribe(1, layers=1)
    c.subscriber_intent(rate=1.2e6)
    c.change(40, [c.uplink, c.downlink], propagation=.29)
    c.change(85, [c.uplink, c.downlink], propagation=.015)
    c.truth = "The subscriber's own path takes a detour from 40 to 85 s: round trips of 0.58 s"
    c.expects(40, 85, 'subscriber', 'latency', 'local')


@call(150, 10, 'native', 'p2p')
def delay_p2p_native_10s(c):
    c.peer_to_peer(video=False)
    c.change(52, [c.uplink, c.downlink], propagation=.33)
    c.truth = 'Voice call of an app, reports 10 s apart: round trips of 0.68 s from 52 s on'
    for role in ('publisher', 'subscriber'):
        c.expects(52, 150, role, 'latency', at_least='noticeable')


# Jitter and stalls


@call(120, 1, 'chrome', 'p2p')
def jitter_p2p_voice_stalls(c):
    c.peer_to_peer(video=False)
    c.downlink.queue = 1.0
    c.stall([c.downlink], 35, 85, (.4, 1.1), .12, .34)
    c.truth = 'Voice call: what is received comes in stalls of 0.1-0.3 s about each second from 35 to 85 s'
    c.expects(35, 85, 'subscriber', 'jitter')
    c.allows(35, 90, 'publisher', ['none', 'jitter', 'latency'])


@call(120, 1, 'chrome', 'sfu')
def jitter_pub_wifi(c):
    c.publish(simulcast=False)
    c.publisher_intent()
    c.uplink.queue = 1.0
    c.stall([c.uplink], 40, 90, (.5, 1.3), .12, .34)
    c.truth = "The publisher's Wi-Fi stalls for 0.1-0.3 s about each second from 40 to 90 s"
    c.expects(40, 90, 'publisher', ['jitter', 'latency', 'bandwidth'], tail=20)


@call(150, 5, 'firefox', 'p2p')
def jitter_p2p_firefox_5s(c):
    c.peer_to_peer()
    c.downlink.queue = 1.0
    c.stall([c.downlink], 50, 105, (.4, 1.0), .15, .4)
    c.truth = 'Firefox, reports 5 s apart: stalls of 0.15-0.4 s about each second in what is received from 50 to 105 s'
    c.expects(50, 105, 'subscriber', ['jitter'])
    c.allows(50, 115, 'publisher', ['none', 'jitter', 'latency'])


@call(120, 2, 'safari', 'sfu')
def jitter_sub_safari(c):
    c.subscribe(2, adapts=False)
    c.downlink.queue = 1.0
    c.stall([c.downlink, c.uplink], 45, 92, (.4, 1.2), .15, .4)
    c.truth = 'Safari subscriber of two: its Wi-Fi stalls for 0.15-0.4 s about each second from 45 to 92 s'
    c.expects(45, 92, 'subscriber', 'jitter', 'local')


@call(120, 1, 'native', 'p2p')
def jitter_p2p_then_clean_then_loss(c):
    c.peer_to_peer()
    c.downlink.queue = 1.0
    c.stall([c.downlink], 22, 50, (.4, 1.0), .15, .38)
    c.change(82, c.downlink, loss=.08)
    c.change(108, c.downlink, loss=.0005)
    c.truth = 'Stalls in what is received at 22-50 s, then clean, then 8 % loss at 82-108 s'
    c.expects(22, 50, 'subscriber', 'jitter')
    c.expects(82, 108, 'subscriber', 'packetLoss', at_least='noticeable')
    c.allows(22, 55, 'publisher', ['none', 'jitter', 'latency'])


# Loss


@call(120, 1, 'native', 'p2p')
def loss_p2p_both_ways(c):
    c.peer_to_peer()
    c.change(40, [c.uplink, c.downlink], loss=.07)
    c.change(88, [c.uplink, c.downlink], loss=.0005)
    c.truth = '7 % random loss in both directions from 40 to 88 s'
    for role in ('publisher', 'subscriber'):
        c.expects(40, 88, role, 'packetLoss', at_least='noticeable')


@call(150, 5, 'chrome', 'sfu')
def loss_pub_uplink_5s(c):
    c.publish()
    c.simulcast_intent()
    c.change(50, c.uplink, loss=.08)
    c.change(105, c.uplink, loss=.0005)
    c.truth = 'Simulcast publisher, reports 5 s apart: uplink loses 8 % at random from 50 to 105 s'
    c.expects(50, 105, 'publisher', ['packetLoss'], at_least='noticeable')


@call(120, 2, 'firefox', 'sfu')
def loss_sub_firefox(c):
    c.subscribe(3, layers=2)
    c.change(40, c.downlink, loss=.09)
    c.change(85, c.downlink, loss=.0005)
    c.truth = 'Firefox subscriber of three: own downlink loses 9 % from 40 to 85 s'
    c.expects(40, 85, 'subscriber', 'packetLoss', 'local', at_least='noticeable')


@call(150, 1, 'chrome', 'p2p')
def loss_two_phases(c):
    c.peer_to_peer()
    c.change(25, c.downlink, bursts=(.015, .12, .85))
    c.change(55, c.downlink, bursts=None)
    c.change(100, c.downlink, loss=.06)
    c.change(132, c.downlink, loss=.0005)
    c.truth = 'Bursty loss (9 %) in what is received at 25-55 s, clean, random 6 % at 100-132 s'
    c.expects(25, 55, 'subscriber', 'packetLoss', at_least='noticeable')
    c.expects(100, 132, 'subscriber', 'packetLoss', at_least='noticeable')


# Outages


@call(100, 1, 'chrome', 'sfu')
def outage_sub_13s(c):
    c.subscribe(4)
    c.change(40, [c.uplink, c.downlink], is_down=True)
    c.change(53, [c.uplink, c.downlink], is_down=False)
    c.truth = "The subscriber's network is gone from 40 to 53 s"
    c.expects(40, 53, 'subscriber', 'connection', 'local', at_least='bad')


@call(120, 2, 'chrome', 'p2p')
def outage_p2p_ice_restart(c):
    c.peer_to_peer()
    links = [c.uplink, c.downlink]
    c.change(45, links, is_down=True)
    c.change(70, links, is_down=False)
    c.at(71.5, c.connection.change_pair)
    c.truth = 'Nothing passes from 45 to 70 s; ICE fails, a restart repairs the call at 71.5 s'
    for role in ('publisher', 'subscriber'):
        c.expects(45, 71.5, role, 'connection', at_least='bad', tail=15)


@call(150, 10, 'safari', 'sfu')
def outage_pub_10s(c):
    c.publish()
    c.simulcast_intent()
    links = [c.uplink, c.downlink]
    c.change(62, links, is_down=True)
    c.change(96, links, is_down=False)
    c.at(97, c.connection.change_pair)
    c.truth = "Safari publisher, reports 10 s apart: network gone from 62 to 96 s, then a restart"
    c.expects(62, 97, 'publisher', 'connection', at_least='disturbing', tail=25)


@call(140, 1, 'chrome', 'p2p')
def outage_then_bandwidth(c):
    c.peer_to_peer()
    links = [c.uplink, c.downlink]
    c.change(30, links, is_down=True)
    c.change(41, links, is_down=False)
    c.change(80, c.uplink, capacity=350e3, queue=.5)
    c.change(118, c.uplink, capacity=20e6)
    c.truth = 'Nothing passes from 30 to 41 s; later (80-118 s) only 350 kbps for what is sent'
    for role in ('publisher', 'subscriber'):
        c.expects(30, 41, role, 'connection', at_least='disturbing', tail=20)
    c.expects(80, 118, 'publisher', 'bandwidth', tail=CLIMB)
    c.allows(80, 130, 'subscriber', ['none', 'latency', 'bandwidth', 'recovering'])


# Devices


@call(110, 1, 'chrome', 'sfu')
def device_mic_dead(c):
    c.publish(simulcast=False, voice=Voice(c.simulation, talk=.8))
    c.publisher_intent()
    c.change(38, c.microphone.voice, dead=True)
    c.truth = 'The microphone delivers digital silence from 38 s on; nobody muted it'
    c.expects(38, 110, 'publisher', 'device', at_least='noticeable')


@call(110, 2, 'chrome', 'sfu')
def device_camera_dead(c):
    c.publish()
    c.simulcast_intent()
    c.change(45, c.camera, dead=True)
    c.change(85, c.camera, dead=False)
    c.truth = 'The camera delivers no frame from 45 to 85 s; it was not switched off'
    c.expects(45, 85, 'publisher', 'device', at_least='disturbing')


@call(140, 5, 'native', 'sfu')
def device_mic_dead_from_start_5s(c):
    c.publish(video=False)
    c.microphone.voice.dead = True
    c.publisher_intent(video=False, has_camera=lambda now: False)
    c.truth = 'Voice call of an app: the microphone delivers digital silence from the start, not muted'
    c.expects(10, 140, 'publisher', 'device', at_least='noticeable')
    c.allows(0, 10, 'publisher', ['none', 'device'])


# Clean


def show(publisher, shown):
    """The subscriber shows a video, or no longer; the router sends it accordingly."""
    publisher.forwarded_video.unwanted = not shown
    publisher.forwarded_video.pause(not shown)


@call(150, 2, 'chrome', 'sfu')
def clean_large_meeting(c):
    c.subscribe(6, talk=[.9, .1, .1, .1, .5, .1])
    for index in (1, 2, 3, 5):
        publisher = c.publishers[index]
        publisher.voice.muted = True
        c.change(1.5 + index * .2, publisher.forwarded_audio, paused=True)
    for second, speaks, stops in ((25, [1], [0]), (60, [3], [1]), (95, [0, 5], [3])):
        for index in speaks:
            publisher = c.publishers[index]
            c.change(second, publisher.voice, muted=False, talk=.8)
            c.change(second, publisher.forwarded_audio, paused=False)
        for index in stops:
            publisher = c.publishers[index]
            c.change(second + 1, publisher.voice, muted=True)
            c.change(second + 2.2, publisher.forwarded_audio, paused=True)
    for second, index, hidden in ((.2, 4, True), (.2, 5, True), (26, 4, False), (27, 2, True), (61, 2, False), (62, 1, True), (97, 1, False), (98, 5, False),
                                  (120, 5, True)):
        c.at(second, show, c.publishers[index], not hidden)
    c.truth = 'Nothing wrong: a meeting of seven, most are muted, speakers change, the SFU pauses and resumes streams'


@call(120, 1, 'chrome', 'sfu')
def clean_layers_switch(c):
    c.subscribe(4)
    for second, index, layer in ((20, 0, 0), (28, 1, 1), (35, 0, 2), (47, 2, 0), (60, 2, 2), (60, 3, 0), (75, 1, 2), (80, 3, 1), (95, 0, 1)):
        c.change(second, c.publishers[index].forwarded_video, wanted=layer)
    c.truth = 'Nothing wrong: the windows are resized, layers go up and down with them'


@call(140, 5, 'chrome', 'sfu')
def clean_gallery_resized_5s(c):
    c.subscribe(5)
    for second in (30, 85):
        for publisher in c.publishers:
            c.change(second, publisher.forwarded_video, wanted=0)
    for publisher in c.publishers[:2]:
        c.change(60, publisher.forwarded_video, wanted=2)
    for publisher in c.publishers:
        c.change(110, publisher.forwarded_video, wanted=1)
    c.truth = 'Nothing wrong: from large windows to a gallery of thumbnails and back'


@call(120, 2, 'chrome', 'sfu')
def clean_tab_hidden(c):
    c.subscribe(3)
    for publisher in c.publishers:
        c.at(40, show, publisher, False)
        c.at(85, show, publisher, True)
    c.skipped = {30}
    c.late = {25: .7, 33: .6}
    c.truth = 'Nothing wrong: the tab is hidden from 40 to 85 s and the page pauses all videos; the sound goes on'


@call(150, 5, 'chrome', 'sfu')
def clean_screen_still_pub_5s(c):
    c.publish(screen=True)
    c.screen.still = .55
    c.change(40, c.screen, still=.997)
    c.change(105, c.screen, still=.6)
    c.truth = 'Nothing wrong: audio, camera and a screen that stands still for more than a minute'


@call(120, 2, 'chrome', 'sfu')
def clean_screen_still_sub(c):
    c.subscribe(3, layers=1, rate=9e5)
    camera = c.publishers[0].camera
    camera.is_screen = True
    c.publishers[0].video_stream.is_screen = True
    camera.frame_rate = 15
    camera.complexity = .3
    camera.width, camera.height = 1920, 1080
    camera.scales = False
    camera.still = .5
    c.change(35, camera, still=.99)
    c.change(95, camera, still=.4)
    c.truth = 'Nothing wrong: one of three streams is a screen share that stands still from 35 to 95 s'


@call(120, 1, 'chrome', 'p2p')
def clean_phone_hold(c):
    c.peer_to_peer(video=False)

    def hold(on):
        c.microphone.is_on_hold = c.far_microphone.is_on_hold = on
        c.microphone.stream.active = not on
        c.received_audio.is_on_hold = on
        if not on:
            c.received_audio.resume()

    c.at(45, hold, True)
    c.at(82, hold, False)
    c.truth = 'Nothing wrong: a voice call that is on hold from 45 to 82 s'


@call(120, 1, 'chrome', 'p2p')
def clean_5g(c):
    c.peer_to_peer()

    def wobble(now):
        return .011 + .011 * math.sin(now / 3.1) * math.sin(now / 7.7 + 1)

    for link in (c.far_uplink, c.far_downlink):
        link.propagation = .005
    for link in (c.uplink, c.downlink):
        link.propagation = .009
        link.wobble = wobble
        link.jitter = .0025
        link.loss = .002
        link.queue = .4
    c.truth = 'Nothing wrong: 5G with round trips between 30 and 80 ms, a few ms of jitter, 0.2 % loss'


@call(110, 2, 'chrome', 'sfu')
def clean_low_light(c):
    c.publish(simulcast=False)
    c.change(30, c.camera, frame_rate=15, complexity=1.1)
    c.truth = 'Nothing wrong: in the evening the camera gives 15 frames a second from 30 s on'


@call(100, 1, 'native', 'sfu')
def clean_thumbnail(c):
    c.subscribe(1)
    c.publishers[0].forwarded_video.wanted = 0
    c.publishers[0].forwarded_video.target = 0
    c.publishers[0].forwarded_video.take_layers()
    c.subscriber_intent(rate=150e3, width=320, height=180)
    c.truth = 'Nothing wrong: a thumbnail of 320x180 is wanted and comes'


@call(150, 10, 'safari', 'sfu')
def clean_audio_only_listener_10s(c):
    c.subscribe(4, videos=0, dtx=True)
    c.truth = 'Nothing wrong: a listener of four voices with discontinuous transmission, reports 10 s apart'


@call(130, 1, 'chrome', 'sfu')
def clean_pub_mutes_camera_off(c):
    c.publish()
    c.simulcast_intent(is_muted=lambda now: 25 <= now < 60, has_camera=lambda now: not 50 <= now < 80)
    c.change(25, c.microphone.voice, muted=True)
    c.change(60, c.microphone.voice, muted=False)
    c.change(50, c.camera, on=False)
    c.change(80, c.camera, on=True, next_frame=80)

    def change_microphone():
        c.microphone.track = c.track()
        c.microphone.source = '09'
        c.microphone.voice.energy = c.microphone.voice.duration = 0.0

    c.at(100, change_microphone)
    c.truth = 'Nothing wrong: mute, camera off and on, another microphone at 100 s'


@call(150, 10, 'firefox', 'p2p')
def clean_firefox_10s(c):
    c.peer_to_peer()
    c.late = {4: 2.2, 9: 1.4}
    c.skipped = {7}
    c.truth = 'Nothing wrong: Firefox, reports 10 s apart, two late and one missing'


@call(140, 5, 'safari', 'p2p')
def clean_safari_new_pair_5s(c):
    c.peer_to_peer()
    c.at(62, c.connection.change_pair, 'cellular')
    c.change(62, [c.uplink, c.downlink], propagation=.03)
    c.truth = 'Nothing wrong: from Wi-Fi to a mobile network without a gap at 62 s (new pair, 35 ms more)'


@call(100, 1, 'native', 'p2p')
def clean_native_ice_restart(c):
    c.peer_to_peer(dtx=True)
    c.at(50, c.connection.change_pair)
    c.truth = 'Nothing wrong: ICE restart at 50 s, voices with DTX'


@call(110, 2, 'firefox', 'sfu')
def clean_sub_firefox_camera_off(c):
    c.subscribe(3, dtx=True)
    c.change(35, c.publishers[1].camera, on=False)
    c.change(75, c.publishers[1].camera, on=True)
    c.truth = 'Nothing wrong: the second of three participants switches the camera off from 35 to 75 s, DTX'
