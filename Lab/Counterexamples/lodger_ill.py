# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Calls of the set lodger with an ill network. Each docstring is the call's truth."""
SIMULCAST = dict(simulcast=True)


def ill(call, begin, end, role, cause, after=25, other=None, **more):
    """A problem, its aftermath, and what the other role may say of it."""
    call.expects(begin, end, role, cause, **more)
    until = min(call.length, end + after)
    if until > end:
        call.expects(end, until, role, 'none recovering ' + cause)
    if other:
        call.expects(begin, until, 'publisher' if role == 'subscriber' else 'subscriber', 'none recovering ' + other)
    return call


def narrow_uplink_always(new, r):
    """The uplink carries a quarter of what the camera wants, from before the first report."""
    call = new(topology='p2p', warm=14)
    call.up.rate = r.uniform(280e3, 420e3)
    return ill(call, 0, 90, 'publisher', 'bandwidth', other='latency')


def narrow_uplink_minute(new, r):
    """The uplink to the router narrows for most of a minute; layers are given up."""
    call, begin = new(others=4, camera=SIMULCAST, interval=5, length=120), r.uniform(25, 35)
    end = begin + r.uniform(45, 55)
    call.during(call.up, begin, end, rate=r.uniform(350e3, 500e3))
    return ill(call, begin, end, 'publisher', 'bandwidth packetLoss', other='latency')


def shrinking_uplink(new, r):
    """The uplink shrinks little by little from plenty to a fifth of what is wanted."""
    call, begin = new(topology='p2p', length=150), r.uniform(20, 30)
    for k in range(14):
        call.up.at(call.warm + begin + 5 * k, rate=2.2e6 * 0.85 ** k)
    call.expects(begin, begin + 22, 'publisher', 'none bandwidth')
    return ill(call, begin + 22, 150, 'publisher', 'bandwidth', other='latency')


def narrow_uplink_firefox(new, r):
    """The uplink narrows for good; Firefox neither gives an estimate nor says what limits it."""
    call, begin = new(topology='p2p', engine='firefox', length=100), r.uniform(25, 35)
    call.during(call.up, begin, None, rate=r.uniform(220e3, 300e3))
    return ill(call, begin, 100, 'publisher', 'bandwidth packetLoss', other='latency')


def narrow_uplink_shared_screen(new, r):
    """Shares a busy screen over an uplink that is too narrow; its frames become coarse, not small."""
    call, begin = new(others=2, length=110, camera=dict(width=1920, height=1080, fps=15, screen=True, prefer='maintain-resolution', most=2.5e6, complexity=1.0)), r.uniform(20, 30)
    end = begin + 50
    call.during(call.up, begin, end, rate=r.uniform(250e3, 350e3))
    return ill(call, begin, end, 'publisher', 'bandwidth packetLoss', other='latency')


def own_upload(new, r):
    """A backup of the same household fills the uplink's deep queue."""
    call, begin = new(topology='p2p', length=110), r.uniform(20, 30)
    end = begin + r.uniform(40, 50)
    call.up.rate, call.up.queue = r.uniform(2.5e6, 4e6), r.uniform(0.7, 1.1)
    call.during(call.up, begin, end, cross=0.97)
    return ill(call, begin, end, 'publisher', 'bandwidth latency', after=40, other='latency bandwidth')


def own_upload_room(new, r):
    """As above through a router and in Safari: uploads fill the queue."""
    call, begin = new(others=3, engine='safari', length=100), r.uniform(20, 30)
    end = begin + r.uniform(35, 45)
    call.up.rate, call.up.queue = r.uniform(2.5e6, 4e6), r.uniform(0.6, 0.9)
    call.during(call.up, begin, end, cross=0.97)
    return ill(call, begin, end, 'publisher', 'bandwidth latency', after=40, other='latency bandwidth')


def narrow_downlink_always(new, r):
    """Between two: what arrives has passed a link of 300 to 400 kbit/s from the start."""
    call = new(topology='p2p', warm=14)
    call.down.rate = r.uniform(280e3, 400e3)
    call.extra['doubt'] = 'The sender may have capped its bitrate; only quantisers and a small queue say otherwise.'
    return ill(call, 0, 90, 'subscriber', 'bandwidth none', other='latency')


def narrow_downlink_follows(new, r):
    """The downlink narrows; the router follows with lower layers and pauses for the four streams."""
    call, begin = new(others=4, wanted=1, length=120), r.uniform(25, 35)
    end = begin + r.uniform(45, 55)
    call.during(call.down, begin, end, rate=r.uniform(320e3, 420e3))
    call.expects(begin, begin + 12, 'subscriber', 'bandwidth packetLoss', side=['local', 'bothOrUnclear'], note='then streams are paused, and nothing may be seen')
    call.expects(begin, begin + 12, 'publisher', 'none recovering latency')
    return ill(call, begin + 12, end, 'subscriber', 'bandwidth packetLoss none', other='latency', side=['local', 'bothOrUnclear'])


def narrow_downlink_floods(new, r):
    """The downlink narrows and the router does not follow: its queue overflows, packets are lost on every stream."""
    call, begin = new(others=4, wanted=1, follows=False, length=110), r.uniform(25, 35)
    end = begin + r.uniform(40, 50)
    call.during(call.down, begin, end, rate=r.uniform(0.9e6, 1.15e6))
    return ill(call, begin, end, 'subscriber', 'bandwidth packetLoss', other='latency', side=['local', 'bothOrUnclear'])


def own_download(new, r):
    """Downloads of the same household fill the downlink's deep queue, between two."""
    call, begin = new(topology='p2p', interval=5, length=110), r.uniform(20, 30)
    end = begin + r.uniform(40, 50)
    call.down.rate, call.down.queue = r.uniform(4e6, 6e6), r.uniform(0.6, 1.0)
    call.during(call.down, begin, end, cross=0.97)
    return ill(call, begin, end, 'subscriber', 'bandwidth latency', after=45, other='latency bandwidth')


def own_download_room(new, r):
    """Downloads fill the downlink's deep queue; nine streams come late and jitter."""
    call, begin = new(others=9, engine='firefox', interval=2, length=120), r.uniform(24, 34)
    end = begin + r.uniform(44, 52)
    call.down.rate, call.down.queue = r.uniform(4e6, 6e6), r.uniform(0.6, 1.0)
    call.during(call.down, begin, end, cross=0.97)
    return ill(call, begin, end, 'subscriber', 'bandwidth latency jitter', after=40, other='latency bandwidth', side=['local', 'bothOrUnclear'])


def lossy_uplink(new, r):
    """One packet in twelve is lost on the uplink to the router."""
    call, begin = new(others=3, camera=SIMULCAST), r.uniform(20, 30)
    end = begin + r.uniform(35, 45)
    call.during(call.up, begin, end, loss=r.uniform(0.07, 0.1))
    return ill(call, begin, end, 'publisher', 'packetLoss', after=15)


def lossy_uplink_firefox(new, r):
    """One packet in eight is lost on the uplink, between two, in Firefox."""
    call, begin = new(topology='p2p', engine='firefox'), r.uniform(20, 30)
    end = begin + r.uniform(35, 45)
    call.during(call.up, begin, end, loss=r.uniform(0.1, 0.14))
    return ill(call, begin, end, 'publisher', 'packetLoss', after=20)


def lossy_downlink(new, r):
    """One packet in fourteen is lost on the downlink, on all streams alike."""
    call, begin = new(others=4, wanted=1), r.uniform(20, 30)
    end = begin + r.uniform(35, 45)
    call.during(call.down, begin, end, loss=r.uniform(0.06, 0.09))
    return ill(call, begin, end, 'subscriber', 'packetLoss', after=15, side=['local', 'bothOrUnclear'])


def lossy_downlink_direct(new, r):
    """One packet in ten of what arrives is lost, between two."""
    call, begin = new(topology='p2p', engine='safari', warm=0.3), r.uniform(20, 30)
    end = begin + r.uniform(35, 45)
    call.during(call.down, begin, end, loss=r.uniform(0.08, 0.12))
    return ill(call, begin, end, 'subscriber', 'packetLoss', after=15)


def lossy_voice(new, r):
    """Audio alone: one packet in seven is lost in both directions."""
    call, begin = new(topology='p2p', video=False, engine='native', interval=2, length=100), r.uniform(20, 30)
    end, loss = begin + r.uniform(38, 48), r.uniform(0.12, 0.18)
    call.during(call.up, begin, end, loss=loss).during(call.down, begin, end, loss=loss)
    return ill(ill(call, begin, end, 'publisher', 'packetLoss', after=15), begin, end, 'subscriber', 'packetLoss', after=15)


def bursts_up(new, r):
    """The radio drops most packets for a fifth of a second every few seconds, on the uplink."""
    call, begin = new(topology='p2p', length=100), r.uniform(20, 30)
    end = begin + r.uniform(45, 55)
    call.during(call.up, begin, end, burst=(1.6, 0.2, 0.8))
    return ill(call, begin, end, 'publisher', 'packetLoss', after=20)


def bursts_down(new, r):
    """Bursts of loss on the downlink: all streams freeze and crackle together."""
    call, begin = new(others=4, wanted=1, engine='native', length=100), r.uniform(20, 30)
    end = begin + r.uniform(45, 55)
    call.during(call.down, begin, end, burst=(1.6, 0.22, 0.8))
    return ill(call, begin, end, 'subscriber', 'packetLoss', after=20, side=['local', 'bothOrUnclear'])


def radio_stalls(new, r):
    """The radio is away for 0.3 to 0.8 s every few seconds (a scan of channels); what was held comes in a heap."""
    call, begin = new(topology='p2p', length=100), r.uniform(20, 30)
    end = begin + r.uniform(45, 55)
    for link in (call.up, call.down):
        call.during(link, begin, end, stall=(2.2, 0.3, 0.8), queue=2.0)
    return ill(ill(call, begin, end, 'subscriber', 'jitter latency', after=35), begin, end, 'publisher', 'jitter latency bandwidth none', after=35)


def radio_repeats(new, r):
    """The radio repeats one packet in forty, which takes 90 ms: jitter without loss on nine streams."""
    call, begin = new(others=9, follows=False, engine='safari', length=100), r.uniform(20, 30)
    end = begin + r.uniform(45, 55)
    call.during(call.down, begin, end, retry=(r.uniform(0.02, 0.03), r.uniform(0.08, 0.11)))
    return ill(call, begin, end, 'subscriber', 'jitter', other='latency jitter', side=['local', 'bothOrUnclear'])


def cellular(new, r):
    """A cellular link whose delay drifts by 100 ms and more: congestion control backs off although there is room."""
    call, begin = new(topology='p2p', engine='native', interval=2, length=110), r.uniform(20, 30)
    end = begin + r.uniform(45, 55)
    call.during(call.up, begin, end, wander=(r.uniform(0.05, 0.07), 0.5), delay=0.14).during(call.down, begin, end, wander=(r.uniform(0.05, 0.07), 0.5), delay=0.14)
    return ill(ill(call, begin, end, 'publisher', 'jitter bandwidth latency', after=45), begin, end, 'subscriber', 'jitter latency bandwidth', after=45)


def policed_uplink(new, r):
    """A policer drops what exceeds 600 kbit/s on the uplink, without a queue."""
    call, begin = new(topology='p2p', engine='native', length=110), r.uniform(20, 30)
    end = begin + r.uniform(50, 60)
    call.during(call.up, begin, end, policer=(r.uniform(450e3, 650e3), 12000))
    return ill(call, begin, end, 'publisher', 'packetLoss bandwidth', after=25)


def policed_downlink(new, r):
    """A policer drops what exceeds its rate on the downlink of a room whose router does not adapt."""
    call, begin = new(others=4, wanted=1, follows=False, length=110), r.uniform(20, 30)
    end = begin + r.uniform(50, 60)
    call.during(call.down, begin, end, policer=(r.uniform(1.2e6, 1.4e6), 20000))
    return ill(call, begin, end, 'subscriber', 'packetLoss bandwidth', after=20, side=['local', 'bothOrUnclear'])


def satellite(new, r):
    """A satellite link: a round trip of 580 to 680 ms, steady, nothing lost."""
    call = new(topology='p2p', engine='firefox')
    call.up.delay = call.down.delay = r.uniform(0.28, 0.33)
    return call.expects(0, 90, 'publisher', 'latency').expects(0, 90, 'subscriber', 'latency')


def longer_route(new, r):
    """A VPN comes up in mid-call: the round trip rises from 40 ms to 420 to 500 ms and stays."""
    call, begin = new(others=3, length=100), r.uniform(30, 40)
    call.up.at(begin + call.warm, delay=r.uniform(0.2, 0.24)).at(begin + call.warm, jitter=0.001)
    call.down.at(begin + call.warm, delay=r.uniform(0.2, 0.24))
    return call.expects(begin, 100, 'publisher', 'latency').expects(begin, 100, 'subscriber', 'latency none')


def long_voice(new, r):
    """Audio alone over 420 to 520 ms of round trip; talkers interrupt each other."""
    call = new(topology='p2p', video=False, engine='chrome', interval=5, length=120)
    call.farUp.delay = call.farDown.delay = r.uniform(0.2, 0.25)
    return call.expects(0, 120, 'publisher', 'latency').expects(0, 120, 'subscriber', 'latency')


def relayed_by_tls(new, r):
    """TURN over TLS on a lossy path: nothing is lost, everything waits for what TCP repeats."""
    call, begin = new(others=2, relay='tls', engine='firefox', length=110), r.uniform(20, 30)
    end = begin + r.uniform(50, 60)
    for link in (call.up, call.down):
        link.reliable = True
        call.during(link, begin, end, loss=r.uniform(0.007, 0.011), queue=3.0)
    return ill(ill(call, begin, end, 'subscriber', 'jitter latency bandwidth', after=40), begin, end, 'publisher', 'jitter latency bandwidth', after=40)


def blackout(new, r):
    """Nothing passes for three seconds, in either direction."""
    call, begin = new(topology='p2p'), r.uniform(30, 45)
    end = begin + 3.2
    call.outage(begin, end)
    return ill(ill(call, begin, end, 'subscriber', 'connection packetLoss', after=20), begin, end, 'publisher', 'connection packetLoss none bandwidth', after=20)


def long_blackout(new, r):
    """Nothing passes for ten seconds; ICE is disconnected and comes back by itself."""
    call, begin = new(others=3, camera=SIMULCAST, engine='safari'), r.uniform(30, 40)
    end = begin + r.uniform(9.5, 12)
    call.outage(begin, end)
    return ill(ill(call, begin, end, 'subscriber', 'connection'), begin, end, 'publisher', 'connection')


def failed_and_restarted(new, r):
    """The access is gone for 24 s; ICE fails and an ICE restart on another network mends it."""
    call, begin = new(topology='p2p', length=120), r.uniform(30, 40)
    end = begin + 24
    call.outage(begin, end).repair(end + 0.5, 'cellular')
    return ill(ill(call, begin, end + 0.5, 'subscriber', 'connection'), begin, end + 0.5, 'publisher', 'connection')


def blackouts_firefox(new, r):
    """Two outages of six seconds, 30 s apart, in Firefox, which reports no transport."""
    call, begin = new(others=2, engine='firefox', length=110), r.uniform(20, 30)
    for start in (begin, begin + 36):
        call.outage(start, start + 6.2)
        ill(ill(call, start, start + 6.2, 'subscriber', 'connection packetLoss'), start, start + 6.2, 'publisher', 'connection packetLoss')
    return call


def deaf_downlink(new, r):
    """Only the downlink dies for eight seconds: what is sent arrives, nothing comes back."""
    call, begin = new(others=2, length=90), r.uniform(30, 40)
    end = begin + r.uniform(8, 9)
    call.during(call.down, begin, end, down=True)
    return ill(ill(call, begin, end, 'subscriber', 'connection'), begin, end, 'publisher', 'connection none unknown bandwidth')


def small_packets_only(new, r):
    """A tunnel comes up in which only packets below 1000 bytes pass on the uplink: audio is fine, video is lost."""
    call, begin = new(topology='p2p', length=100), r.uniform(25, 35)
    call.during(call.up, begin, None, mtu=1000)
    call.extra['doubt'] = 'The smaller the encoder makes its frames, the more of them pass.'
    return ill(call, begin, 100, 'publisher', 'packetLoss connection bandwidth')


def small_packets_arrive(new, r):
    """In a tunnel only packets below 1000 bytes arrive: frames that need more never become complete."""
    call, begin = new(others=2, wanted=1, length=100), r.uniform(25, 35)
    call.during(call.down, begin, None, mtu=1000)
    return ill(call, begin, 100, 'subscriber', 'packetLoss media connection')


ILL = [narrow_uplink_always, narrow_uplink_minute, shrinking_uplink, narrow_uplink_firefox, narrow_uplink_shared_screen, own_upload, own_upload_room,
       narrow_downlink_always, narrow_downlink_follows,
       narrow_downlink_floods, own_download, own_download_room, lossy_uplink, lossy_uplink_firefox, lossy_downlink, lossy_downlink_direct, lossy_voice, bursts_up,
       bursts_down, radio_stalls, radio_repeats,
       cellular, policed_uplink, policed_downlink, satellite, longer_route, long_voice, relayed_by_tls, blackout, long_blackout, failed_and_restarted, blackouts_firefox,
       deaf_downlink, small_packets_only,
       small_packets_arrive]
