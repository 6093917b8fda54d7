# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Calls of the set passenger in which something is wrong: what is done to links, devices, and streams, and whose they are."""
from passenger_link import Others, Policer
from passenger_media import conference, pair, talk

HARM = 'packetLoss|bandwidth|latency|jitter'


def span(call, least=25, most=40):
    """When it happens: not at once, and long enough to be judged."""
    begin = call.rng.uniform(18, 28)
    call.length = max(call.length, 90)
    return begin, min(begin + call.rng.uniform(least, most), call.length - 12)


def both(call, begin, end, cause, side='local', **more):
    call.fault(begin, end, 'publisher', cause, **more)
    call.fault(begin, end, 'subscriber', cause, side, **more)


def change(call, begin, end, links, **values):
    """Values of links for a while."""
    before = [{k: getattr(link, k) for k in values} for link in links]
    call.at(begin, lambda: [link.set(**values) for link in links])
    call.at(end, lambda: [link.set(**b) for link, b in zip(links, before)])


# This end's access.

def upload_of_others(call):
    conference(call, 'dsl') if call.rng.random() < 0.6 else pair(call, 'dsl')
    begin, end = span(call)
    call.up.set(rate=call.rng.uniform(1.4e6, 2.4e6))
    call.up.buffer = call.up.rate * call.rng.uniform(0.5, 1.0) / 8
    others = []
    call.at(begin, lambda: others.append(Others(call, call.up, call.rng.choice([2, 3]))))
    call.at(end, lambda: others[0].stop())
    call.fault(begin, end, 'publisher', HARM)
    call.fault(begin, end, 'subscriber', 'latency|none|bandwidth|recovering', 'local|bothOrUnclear|none|unknown', force=True)
    call.truth = 'someone uploads over the same DSL: a queue of half a second on the uplink'


def policed_up(call):
    conference(call, 'cable', simulcast=True)
    begin, end = span(call)
    change(call, begin, end, [call.up], policer=Policer(call.rng.uniform(0.5e6, 0.9e6), 12e3))
    call.fault(begin, end, 'publisher', 'packetLoss|bandwidth')
    call.truth = 'a policer drops what exceeds 0.5 to 0.9 Mbit/s upwards'


def policed_down(call):
    conference(call, 'cable', others=3)
    begin, end = span(call)
    change(call, begin, end, [call.down], policer=Policer(call.rng.uniform(0.3e6, 0.6e6), 10e3))
    call.fault(begin, end, 'subscriber', 'packetLoss|bandwidth', 'local|server|bothOrUnclear')
    call.truth = 'a policer drops what exceeds 0.3 to 0.6 Mbit/s downwards'


def handover(call):
    conference(call, 'lte')
    begin, end = span(call, 30, 45)
    call.every(begin, end, lambda: call.rng.uniform(4, 7), lambda: [link.stall(call.now + call.rng.uniform(0.5, 1.3)) for link in (call.up, call.down)])
    both(call, begin, end, HARM + '|connection', 'local|server|bothOrUnclear')
    call.truth = 'a drive along LTE cells: the radio stalls for about a second every few seconds'


def cell(call):
    conference(call, 'lte', others=3)
    begin, end = span(call)
    rate = call.rng.uniform(130e3, 260e3)
    change(call, begin, end, [call.down], rate=rate, buffer=rate * 1.2 / 8)
    call.fault(begin, end, 'subscriber', HARM, 'local|bothOrUnclear')
    call.truth = 'a congested cell: the downlink has 130 to 260 kbit/s and a deep queue'


def cell_up(call):
    conference(call, 'lte')
    begin, end = span(call)
    rate = call.rng.uniform(160e3, 350e3)
    change(call, begin, end, [call.up], rate=rate, buffer=rate * 1.0 / 8)
    call.fault(begin, end, 'publisher', HARM)
    call.fault(begin, end, 'subscriber', 'latency|none|bandwidth|recovering', 'local|bothOrUnclear|none|unknown', force=True)
    call.truth = "the cell's uplink has 160 to 350 kbit/s"


def swings(call):
    conference(call, '5g', others=3)
    begin, end = span(call, 35, 45)
    links = (call.up, call.down)
    before = [link.rate for link in links]
    call.every(begin, end, lambda: call.rng.uniform(1.0, 2.5), lambda: [link.set(rate=call.rng.choice([0.12e6, 0.2e6, 0.4e6, 9e6])) for link in links])
    call.at(end, lambda: [link.set(rate=b) for link, b in zip(links, before)])
    both(call, begin, end, HARM, 'local|server|bothOrUnclear')
    call.truth = '5G at the edge of millimetre waves: the rate swings between 0.12 and 9 Mbit/s'


def interference(call):
    conference(call, 'wifi', others=call.rng.choice([2, 3])) if call.rng.random() < 0.7 else talk(call, 'wifi')
    begin, end = span(call)
    change(call, begin, end, [call.up, call.down], loss=call.rng.uniform(0.06, 0.13), burst=call.rng.uniform(1.5, 4), retry=0.25)
    both(call, begin, end, 'packetLoss|jitter|bandwidth', 'local|server|bothOrUnclear')
    call.truth = 'a microwave oven: Wi-Fi loses bursts after its retries, both ways'


def dozing(call):
    conference(call, 'wifi')
    begin, end = span(call)
    change(call, begin, end, [call.down], doze=call.rng.uniform(0.25, 0.4))
    call.fault(begin, end, 'subscriber', 'jitter|latency|bandwidth', 'local|bothOrUnclear')
    call.fault(begin, end, 'publisher', 'latency|jitter|bandwidth|none|recovering', force=True)
    call.truth = 'power save of the Wi-Fi: the access point hands out what waits each 250 to 400 ms'


def geostationary(call):
    conference(call, 'geo', trip=0.01) if call.rng.random() < 0.5 else pair(call, 'geo', trip=0.01)
    side = 'local|server|bothOrUnclear|unknown' if call.topology == 'sfu' else None
    call.fault(0, call.length, 'publisher', 'latency', force=True)
    call.fault(0, call.length, 'subscriber', 'latency', side, force=True)
    call.truth = 'a geostationary satellite: a round trip above 600 ms'


def slow_orbit(call):
    conference(call, 'leo')
    begin, end = 15, call.length - 5
    call.every(begin, end, lambda: 5.0, lambda: [link.stall(call.now + call.rng.uniform(0.6, 1.1)) for link in (call.up, call.down)])
    both(call, begin, end, HARM + '|connection', 'local|server|bothOrUnclear')
    call.truth = 'a dish behind trees: every 5 s the beam is gone for 0.6 to 1.1 s'


def black_hole(call):
    conference(call, 'fibre', codec='VP8')
    begin, end = span(call)
    links = [call.up, call.down] if call.rng.random() < 0.5 else [call.down]
    change(call, begin, end, links, mtu=1000)
    call.fault(begin, end, 'subscriber', 'packetLoss|bandwidth|connection|media', 'local|server|bothOrUnclear')
    if call.up in links:
        call.fault(begin, end, 'publisher', 'packetLoss|bandwidth|connection|media')
    call.truth = 'a VPN with a small MTU: large packets vanish, small ones do not'


def quota(call):
    conference(call, 'lte', others=3)
    begin = call.rng.uniform(20, 30)
    call.length = max(call.length, 100)
    rate = call.rng.uniform(110e3, 220e3)
    change(call, begin, 1000, [call.up, call.down], rate=rate, buffer=rate * 1.5 / 8)
    both(call, begin, call.length, HARM, 'local|bothOrUnclear', tail=0)
    call.truth = 'the quota of the plan is used up: 110 to 220 kbit/s each way from then on'


def proxy(call):
    call.relay = call.rng.choice(['tcp', 'tls'])
    conference(call, 'office', others=3)
    begin, end = span(call)
    for link in (call.up, call.down):
        link.set(tcp=True, overhead=70, delay=link.delay + 0.02)
    change(call, begin, end, [call.up, call.down], loss=call.rng.uniform(0.025, 0.05), burst=2)
    both(call, begin, end, 'jitter|latency|bandwidth', 'local|server|bothOrUnclear')
    call.truth = 'TURN over TCP through a proxy while packets are lost: all waits behind each loss'


def own_downlink(call):
    if call.rng.random() < 0.4:
        talk(call, 'wifi', others=3)
    else:
        conference(call, 'cable', others=3)
    begin, end = span(call)
    change(call, begin, end, [call.down], loss=call.rng.uniform(0.08, 0.2), burst=call.rng.choice([1, 3, 6]))
    call.fault(begin, end, 'subscriber', 'packetLoss|bandwidth', 'local|server|bothOrUnclear')
    call.truth = "this end's downlink loses 8 to 20 %: all streams suffer"


def own_uplink(call):
    conference(call, 'wifi')
    begin, end = span(call)
    change(call, begin, end, [call.up], loss=call.rng.uniform(0.06, 0.16), burst=call.rng.choice([1, 2, 5]))
    call.fault(begin, end, 'publisher', 'packetLoss|bandwidth')
    call.truth = "this end's uplink loses 6 to 16 %, what it receives is well"


def narrow_screen(call):
    conference(call, 'dsl', camera=False)
    call.film(screen='video', wide=1920, high=1080, fps=30, most=2.5e6, sharp=call.rng.random() < 0.5)
    begin, end = span(call)
    rate = call.rng.uniform(180e3, 300e3)
    change(call, begin, end, [call.up], rate=rate, buffer=rate * 0.6 / 8)
    call.fault(begin, end, 'publisher', HARM, force=True)
    call.fault(begin, end, 'subscriber', 'latency|none|bandwidth|recovering', 'local|bothOrUnclear|none|unknown', force=True)
    call.truth = 'a film plays on the shared screen while the uplink has 180 to 300 kbit/s'


def home_router(call):
    conference(call, 'cable', others=3)
    begin, end = span(call)
    call.every(begin, end, lambda: call.rng.uniform(1.2, 2.2), lambda: [link.stall(call.now + call.rng.uniform(0.25, 0.6)) for link in (call.up, call.down)])
    change(call, begin, end, [call.up, call.down], loss=0.04, burst=5)
    both(call, begin, end, HARM, 'local|server|bothOrUnclear')
    call.truth = 'the home router is overloaded: it stalls and drops both ways'


# The router.

def overloaded(call):
    conference(call, 'fibre', others=call.rng.choice([3, 4]))
    begin, end = span(call)
    loss = call.rng.uniform(0.07, 0.14)
    change(call, begin, end, [call.up, call.down, *[f.up for f in call.far]], loss=loss, burst=3, jitter=0.012)
    both(call, begin, end, 'packetLoss|jitter|bandwidth', 'server|local|bothOrUnclear')
    call.truth = 'the router is overloaded: it drops packets of all, both ways'


# Other participants.

def lossy_publisher(call):
    conference(call, 'fibre', others=3, tops=[2, 1, 1])
    far = call.far[call.rng.randrange(3)]
    begin, end = span(call)
    change(call, begin, end, [far.up], loss=call.rng.uniform(0.1, 0.22), burst=call.rng.choice([2, 4, 8]))
    call.fault(begin, end, 'subscriber', 'packetLoss|bandwidth|media', 'remote', track=far)
    call.truth = "one publisher's uplink loses 10 to 22 %: of all streams only this one's suffer"


def stalling_publisher(call):
    conference(call, 'cable', others=3)
    far = call.far[1]
    begin, end = span(call)
    call.every(begin, end, lambda: call.rng.uniform(2.5, 4.5), lambda: far.up.stall(call.now + call.rng.uniform(0.7, 1.5)))
    call.fault(begin, end, 'subscriber', HARM + '|connection|media', 'remote', track=far)
    call.truth = "one publisher's radio stalls for a second every few seconds"


def starved_publisher(call):
    conference(call, 'fibre', others=2, tops=[2, 1])
    far = call.far[0]
    begin, end = span(call)
    rate = call.rng.uniform(35e3, 60e3)
    change(call, begin, end, [far.up], rate=rate, buffer=rate * 0.8 / 8)
    call.fault(begin, end, 'subscriber', HARM + '|media', 'remote', track=far)
    call.truth = "one publisher's uplink has 35 to 60 kbit/s"


def lost_publisher(call):
    conference(call, 'wifi', others=3)
    far = call.far[1]
    begin = call.rng.uniform(25, 35)
    end = begin + call.rng.uniform(20, 30)
    change(call, begin, end, [far.up, far.down], dead=True)
    call.optional(begin, end, 'subscriber', 'media|connection|packetLoss|device|none', 'a participant who vanishes sends as little as one who mutes', far)
    call.expect_free(end, end + 22)
    call.truth = 'one publisher loses the network for 20 to 30 s'


# Devices.

def busy_encoder(call):
    if call.rng.random() < 0.5:
        pair(call, codec=call.rng.choice(['VP8', 'VP9']))
    else:
        conference(call, 'fibre')
    begin, end = span(call, 35, 50)
    call.at(begin, lambda: setattr(call.sender.processor, 'speed', call.rng.uniform(0.1, 0.16)))
    call.at(end, lambda: setattr(call.sender.processor, 'speed', 1.0))
    call.fault(begin, end, 'publisher', 'cpu', tail=30)
    call.truth = 'another program takes the processor: the encoder cannot keep up'


def throttled(call):
    pair(call, 'lte', codec=call.rng.choice(['VP8', 'H264']))
    call.length = max(call.length, 120)
    for k in range(8):
        call.at(20 + 4 * k, lambda k=k: [setattr(call.sender.processor, 'speed', 0.5 * 0.74 ** k), setattr(call.decoder, 'speed', 0.35 * 0.8 ** k)])
    call.sender.processor.speed = 0.55
    call.decoder.speed = 0.5
    call.fault(30, call.length, 'publisher', 'cpu', tail=0)
    call.optional(30, call.length, 'subscriber', 'cpu|none', 'the decoder slows too')
    call.truth = 'a phone gets hot: its processor slows step by step'


def busy_decoder(call):
    conference(call, 'fibre', others=3, tops=[2, 2, 1])
    begin, end = span(call)
    call.at(begin, lambda: setattr(call.decoder, 'speed', call.rng.uniform(0.045, 0.07)))
    call.at(end, lambda: setattr(call.decoder, 'speed', 1.0))
    call.fault(begin, end, 'subscriber', 'cpu', 'local')
    call.truth = 'the decoder cannot keep up: frames are dropped'


def silent_microphone(call):
    talk(call, others=2) if call.rng.random() < 0.5 else conference(call)
    begin, end = span(call)
    mic = call.sender.mics[0]
    call.at(begin, lambda: setattr(mic, 'muted', True))
    call.at(end, lambda: setattr(mic, 'muted', False))
    call.optional(begin, end, 'publisher', 'device|media|none', 'digital zeros: dead or muted')
    call.truth = 'the microphone gives zeros for a while'


def seized_camera(call):
    conference(call) if call.rng.random() < 0.6 else pair(call)
    begin, end = span(call)
    source = call.sender.sources[0]
    call.at(begin, lambda: setattr(source, 'on', False))
    call.at(end, lambda: setattr(source, 'on', True))
    call.fault(begin, end, 'publisher', 'device|media', tail=12, force=True)
    call.truth = 'another application takes the camera: its track gives no frames'


# The connection.

def outage(call):
    conference(call) if call.rng.random() < 0.5 else pair(call)
    begin = call.rng.uniform(25, 35)
    end = begin + call.rng.uniform(16, 24)
    change(call, begin, end, [call.up, call.down], dead=True)
    side = None if call.topology == 'p2p' else 'local|server|bothOrUnclear|unknown'
    call.fault(begin, end, 'publisher', 'connection', force=True, low='bad', tail=30)
    call.fault(begin, end, 'subscriber', 'connection', side, force=True, low='bad', tail=30)
    call.truth = 'the network is gone for about 20 s and comes back'


def roaming(call):
    conference(call, 'wifi')
    begin = call.rng.uniform(25, 35)
    end = begin + call.rng.uniform(11, 15)
    change(call, begin, end, [call.up, call.down], dead=True)
    call.at(end, lambda: [call.reporter.restart('cellular'), call.out.reset(300e3), call.up.set(delay=0.035, jitter=0.004), call.down.set(delay=0.035, jitter=0.004)])
    side = 'local|server|bothOrUnclear|unknown'
    call.fault(begin, end, 'publisher', 'connection', force=True, low='bad', tail=30)
    call.fault(begin, end, 'subscriber', 'connection', side, force=True, low='bad', tail=30)
    call.truth = 'Wi-Fi is gone; an ICE restart over mobile data comes after 11 to 15 s'


def asleep(call):
    conference(call)
    begin = call.rng.uniform(25, 35)
    end = begin + call.rng.uniform(25, 40)
    call.length = max(call.length, 105)
    call.asleep = [(begin, end)]
    call.at(begin, lambda: setattr(call, 'sleeps', True))
    call.at(end, lambda: setattr(call, 'sleeps', False))
    change(call, begin, end + 1.5, [call.up, call.down], dead=True)
    call.expect_free(begin - 2, end + 32)
    call.truth = 'the lid is closed for half a minute: no reports, and a connection that needs a while'


# Both ends.

def lossy_pair(call):
    pair(call, 'wifi', 'cable', red=0)
    call.mate = call.engine
    begin, end = span(call)
    change(call, begin, end, [call.up], loss=call.rng.uniform(0.07, 0.15), burst=call.rng.choice([1, 2, 4]))
    call.fault(begin, end, 'publisher', 'packetLoss|bandwidth')
    call.fault(begin, end, 'subscriber', 'packetLoss|bandwidth', far=True)
    call.truth = 'A loses 7 to 15 % on its uplink'


def narrow_pair(call):
    pair(call, 'dsl', 'fibre')
    call.mate = call.engine
    begin, end = span(call)
    rate = call.rng.uniform(130e3, 220e3)
    change(call, begin, end, [call.up], rate=rate, buffer=rate * 0.9 / 8)
    call.fault(begin, end, 'publisher', HARM)
    call.fault(begin, end, 'subscriber', 'latency|none|bandwidth|recovering', force=True)
    call.fault(begin, end, 'subscriber', HARM, far=True)
    call.fault(begin, end, 'publisher', 'latency|none|bandwidth|recovering', far=True, force=True)
    call.truth = "A's uplink has 130 to 220 kbit/s"


def poor_far_downlink(call):
    pair(call, 'fibre', 'wifi')
    call.mate = call.engine
    begin, end = span(call)
    change(call, begin, end, [call.far[0].down], loss=call.rng.uniform(0.08, 0.15), burst=3, retry=0.2)
    call.fault(begin, end, 'publisher', 'packetLoss|jitter|bandwidth')
    call.fault(begin, end, 'subscriber', 'packetLoss|jitter|bandwidth', far=True)
    call.truth = "B's Wi-Fi loses 8 to 15 % of what A sends"


def red_or_not(call):
    red = call.rng.random() < 0.5
    talk(call, 'wifi', others=2, red=int(red), dtx=False)
    begin, end = span(call)
    change(call, begin, end, [call.down], loss=0.12 if red else call.rng.uniform(0.1, 0.16), burst=1 if red else 3)
    call.fault(begin, end, 'subscriber', 'packetLoss', 'local|server|bothOrUnclear')
    call.truth = 'audio alone loses more than 10 % downwards, ' + ('RED repairs most of it' if red else 'and nothing repairs its bursts')


ILL = [(upload_of_others, 3, 'x'), (policed_up, 2, 'm'), (policed_down, 2, 'm'), (handover, 2, 'm'), (cell, 2, 'm'), (cell_up, 2, 'm'), (swings, 2, 'm'), (interference, 3, 'm'), (dozing, 2, 'm'), (geostationary, 2, 'x'),
       (slow_orbit, 1, 'm'), (black_hole, 2, 'm'), (quota, 2, 'm'), (proxy, 3, 'm'), (own_downlink, 3, 'm'), (own_uplink, 2, 'm'), (narrow_screen, 2, 'm'), (home_router, 1, 'm'), (overloaded, 2, 'm'),
       (lossy_publisher, 3, 'm'), (stalling_publisher, 2, 'm'), (starved_publisher, 1, 'm'), (lost_publisher, 1, 'm'), (busy_encoder, 3, 'x'), (throttled, 1, 'p'), (busy_decoder, 2, 'm'), (silent_microphone, 2, 'm'),
       (seized_camera, 2, 'x'), (outage, 2, 'x'), (roaming, 1, 'm'), (asleep, 1, 'm'), (lossy_pair, 2, 'p'), (narrow_pair, 2, 'p'), (poor_far_downlink, 1, 'p'), (red_or_not, 2, 'm')]
