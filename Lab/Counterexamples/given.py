# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The given set: 30 files that a review of the first rules wrote by hand, each against one weakness. Figures, seeds, and order
of random draws are those of the review and stay as they are: a changed digit is another call. Truth intervals are seconds since
the first report; a tick's figures cover the second before its report, hence 19 where the code says t >= 20."""
import random
from calls import pub, sub

T0 = 1_795_000_000_000.0
CALLS = []


def rb(rnd, n, p):
    return sum(rnd.random() < p for _ in range(n))


def cond(c='excellent', r='none'):
    return {"isIdle": False, "networkCondition": c, "networkConditionReason": r}

class Base:
    def __init__(s, pc):
        s.pc, s.t, s.lines, s.step = pc, 0, [], 0.0
        s.tx = s.rx = 100000; s.resp = 1; s.trtt = 0.02; s.rtt = .03; s.est = 3e6; s.pair = 'CP1'; s.ice = 'connected'
    def path(s, ts, tx, rx, newrtt):
        s.tx += tx; s.rx += rx
        if newrtt: s.resp += 1; s.trtt += s.rtt
        p = dict(type='candidate-pair', id=s.pair, timestamp=ts, transportId='T1', state='succeeded', nominated=True,
                 bytesSent=s.tx, bytesReceived=s.rx, currentRoundTripTime=s.rtt, totalRoundTripTime=s.trtt, responsesReceived=s.resp)
        if s.est is not None: p['availableOutgoingBitrate'] = s.est
        return [dict(type='transport', id='T1', timestamp=ts, bytesSent=s.tx, bytesReceived=s.rx, iceState=s.ice, dtlsState='connected',
                     selectedCandidatePairId=s.pair, iceLocalUsernameFragment='u1'), p,
                dict(type='codec', id='C111', timestamp=ts, mimeType='audio/opus', payloadType=111, clockRate=48000),
                dict(type='codec', id='C96', timestamp=ts, mimeType='video/VP8', payloadType=96, clockRate=90000)]
    def emit(s, ts, stats, intent, remote=None, **more):
        d = dict(time=ts, pc=s.pc, stats=stats, **more)
        if intent: d['intent'] = intent
        if remote: d['remote'] = remote
        s.lines.append(d)
    def save(s, name, truth, *expect, doubt=None, topology=None, interval=1):
        whole = dict(name=name, set='given', engine='chrome', topology=topology or 'sfu', interval=interval, hasIntent=s.intent is not None,
                     truth=truth, expect=list(expect))
        if doubt: whole['doubt'] = doubt
        if s.step: whole['elapsed'] = [k * interval for k in range(len(s.lines))]
        CALLS.append((whole, s.lines))

class Pub(Base):
    """A publisher: audio 50 packets/s, one video; RTX on its own SSRC; RR of video each s, of audio each 5 s."""
    def __init__(s, pc='alice', video=True, maximum=2.5e6, size=(1280, 720), fps=30, layers=None, routing='routed', camera=True):
        super().__init__(pc)
        s.video, s.fps, s.size, s.cap = video, fps, size, fps
        s.a = dict(p=0, b=0, lost=0, e=0.0, d=0.0, rt=0, rts=T0, rrtt=.03, j=.004, n=0); s.v = dict(p=0, b=0, lost=0, f=0, enc=0.0, cf=0, n=0, rts=T0, j=.006)
        s.level = .05; s.reason = 'none'; s.target = maximum
        s.intent = dict(role='publisher', routing=routing, audio=dict(enabled=True, muted=False, discontinuous=False, maximumBitrate=32000),
            video=dict(enabled=video, cameraOn=True, videoType='camera', preferredFrameRate=fps, retransmission='ownSSRC',
                       layers=layers or [dict(enabled=True, maximumBitrate=maximum, maximumFrameRate=fps, size=dict(width=size[0], height=size[1]))]))
    def tick(s, dt=1, vpk=260, vrate=2.4e6, vlost=0, alost=0, mrtt=None, rr_audio=None, rr_video=True, rx=9000, remote=None, newpair=None, emit=True, **more):
        s.t += dt; ts = T0 + (s.t + s.step) * 1000; a, v = s.a, s.v
        a['p'] += 50 * dt; a['b'] += 4000 * dt; a['e'] += s.level ** 2 * dt; a['d'] += dt; a['lost'] += alost
        if rr_audio if rr_audio is not None else s.t % 5 == 0:
            a['rts'] = ts - 200; a['n'] += 1; a['rl'] = a['lost']; a['rrtt'] = mrtt if mrtt is not None else s.rtt
        st = s.path(ts, int((4000 + (vrate / 8 if s.video else 0)) * dt), rx, newpair if newpair is not None else s.t % 3 == 0)
        st += [dict(type='outbound-rtp', id='OA', timestamp=ts, kind='audio', ssrc=11, mid='0', codecId='C111', mediaSourceId='SA', packetsSent=a['p'],
                    bytesSent=a['b'], headerBytesSent=a['p'] * 28, retransmittedPacketsSent=0, targetBitrate=32000, active=True),
               dict(type='media-source', id='SA', timestamp=ts, kind='audio', audioLevel=s.level, totalAudioEnergy=a['e'], totalSamplesDuration=a['d'])]
        if a['n']: st.append(dict(type='remote-inbound-rtp', id='RA', timestamp=a['rts'], kind='audio', ssrc=11, localId='OA', packetsLost=a['rl'],
                     jitter=a['j'], roundTripTime=a['rrtt'], totalRoundTripTime=a['rrtt'] * a['n'], roundTripTimeMeasurements=a['n']))
        if s.video:
            v['p'] += int(vpk * dt); v['b'] += int(vrate / 8 * dt); v['f'] += int(s.fps * dt); v['cf'] += int(s.cap * dt); v['enc'] += s.fps * dt * .006; v['lost'] += vlost
            if rr_video: v['rts'] = ts - 100; v['n'] += 1; v['rl'] = v['lost']; v['rrtt'] = mrtt if mrtt is not None else s.rtt
            st += [dict(type='outbound-rtp', id='OV', timestamp=ts, kind='video', ssrc=22, rtxSsrc=23, mid='1', codecId='C96', mediaSourceId='SV', packetsSent=v['p'],
                        bytesSent=v['b'], headerBytesSent=v['p'] * 24, retransmittedPacketsSent=0, retransmittedBytesSent=0, framesEncoded=v['f'], framesSent=v['f'], framesPerSecond=s.fps,
                        frameWidth=s.size[0], frameHeight=s.size[1], totalEncodeTime=v['enc'], totalPacketSendDelay=v['p'] * .004, qualityLimitationReason=s.reason,
                        targetBitrate=s.target, active=True, **({'rid': s.rid} if hasattr(s, 'rid') else {})),
                   dict(type='media-source', id='SV', timestamp=ts, kind='video', width=s.size[0], height=s.size[1], frames=v['cf'], framesPerSecond=s.cap)]
            if v['n']: st.append(dict(type='remote-inbound-rtp', id='RV', timestamp=v['rts'], kind='video', ssrc=22, localId='OV', packetsLost=v['rl'],
                     jitter=v['j'], roundTripTime=v['rrtt'], totalRoundTripTime=v['rrtt'] * v['n'], roundTripTimeMeasurements=v['n']))
        if emit: s.emit(ts, st, s.intent, remote, **more)
        return ts, st

class Sub(Base):
    """A subscriber: audio 50 packets/s, `n` videos of 260 packets/s."""
    def __init__(s, pc='bob', n=1, intent=True, video=True, routing='routed', rate=2.4e6):
        super().__init__(pc); s.est = 300000
        s.A = dict(p=0, l=0, b=0, c=0, e=0.0, j=.004); s.V = [dict(p=0, l=0, x=0, b=0, f=0, fr=0, dec=0.0, w=1280, h=720, frozen=False, rate=rate) for _ in range(n if video else 0)]
        s.vj = .008; s.dec = .004; s.frm = 0; s.meas = 0; s.leg = dict(est=4e6, rate=rate, reason='none'); s.pli = 0
        s.intent = None if not intent else dict(role='subscriber', routing=routing, audio=dict(enabled=True, muted=False, maximumBitrate=32000),
            video=dict(enabled=True, cameraOn=True, videoType='camera', retransmission='ownSSRC', wantedLayer=dict(enabled=True, maximumBitrate=rate, size=dict(width=1280, height=720))))
    def legfacts(s, legrtt=None):
        s.frm += 30; v = dict(estimatedBandwidth=s.leg['est'], reason=s.leg['reason'], videoFramesSent=s.frm,
            wantedLayer=dict(enabled=True, maximumBitrate=s.leg['rate'], size=dict(width=1280, height=720)), sentLayer=dict(enabled=True, maximumBitrate=s.leg['rate'], size=dict(width=1280, height=720)))
        if legrtt is not None: s.meas += 1; v.update(roundTripTime=legrtt, roundTripTimeMeasurements=s.meas)
        return dict(age=.4, value=v)
    def tick(s, dt=1, vlost=0, alost=0, repaired=True, flowing=True, vpk=260, decode=True, remote='leg', newpair=None, legrtt=None, rx=None):
        s.t += dt; ts = T0 + (s.t + s.step) * 1000; A = s.A; n = dt if flowing else 0
        A['p'] += 50 * n - (alost if flowing else 0); A['l'] += alost; A['b'] += 4000 * n; A['e'] += .05 ** 2 * dt
        total = 4000 * n
        st = [dict(type='inbound-rtp', id='IA', timestamp=ts, kind='audio', ssrc=31, mid='0', codecId='C111', packetsReceived=A['p'], packetsLost=A['l'], jitter=A['j'], bytesReceived=A['b'],
                   headerBytesReceived=A['p'] * 28, totalSamplesReceived=int(48000 * s.t), concealedSamples=A['c'], silentConcealedSamples=0, totalAudioEnergy=A['e'], totalSamplesDuration=float(s.t),
                   jitterBufferDelay=48000 * s.t * .04, jitterBufferEmittedCount=int(48000 * s.t), audioLevel=.05)]
        for k, V in enumerate(s.V):
            lost = vlost if k == 0 else 0; fix = lost if repaired else 0
            V['p'] += int(vpk * n) - lost + fix; V['l'] += lost; V['x'] += fix; V['b'] += int(V['rate'] / 8 * n); total += int(V['rate'] / 8 * n)
            if decode and not V['frozen'] and flowing: V['f'] += int(30 * dt); V['dec'] += 30 * dt * s.dec
            if decode and flowing: V['fr'] += int(30 * dt)
            e = dict(type='inbound-rtp', id=f'IV{k}', timestamp=ts, kind='video', ssrc=1000 + 2 * k, rtxSsrc=1001 + 2 * k, mid=str(k + 1), codecId='C96', packetsReceived=V['p'], packetsLost=V['l'],
                     retransmittedPacketsReceived=V['x'], retransmittedBytesReceived=V['x'] * 1100, jitter=s.vj, bytesReceived=V['b'], headerBytesReceived=V['p'] * 24, nackCount=V['x'], pliCount=s.pli,
                     framesReceived=V['fr'], framesDecoded=V['f'], framesDropped=0, keyFramesDecoded=1 if V['f'] else 0, totalDecodeTime=V['dec'], freezeCount=0, totalFreezesDuration=0, pauseCount=0, totalPausesDuration=0)
            if V['f']: e.update(frameWidth=V['w'], frameHeight=V['h'], framesPerSecond=30)
            st.append(e)
        st += s.path(ts, 1500, int(total) if rx is None else rx, newpair if newpair is not None else s.t % 3 == 0)
        if remote == 'leg': remote = dict(senderStatsTrack=False, leg=s.legfacts(legrtt), uplink=dict(age=.4, value=cond()))
        s.emit(ts, st, s.intent, remote)


def given():
    """All calls of the set as (manifest entry, lines)."""
    CALLS.clear()
    # 1 Somebody listens for a minute with noise suppression: the level is below -60 dBFS.
    p = Pub()
    for t in range(75): p.level = .05 * (1 + t % 3) if t < 8 else .0008; p.tick()
    p.save('01-silent-listener', 'nothing wrong')
    # 2 Wi-Fi: 3 % loss, every fourth RTT sample at 150 ms; the loss-based estimate is short.
    r = random.Random(7); p = Pub(); p.est = 4e6
    for t in range(130):
        bad = 20 <= t < 100; p.est = max(1.6e6, p.est * .85) * r.uniform(.97, 1.03) if bad else min(4e6, p.est * 1.08)
        p.target = min(2.5e6, p.est - 32e3); p.reason = 'none'; p.v['j'] = .009; rtt = .15 if bad and r.random() < .25 else .025 + r.uniform(0, .01)
        p.tick(vlost=rb(r, 260, .03) if bad else 0, alost=rb(r, 50, .03) if bad else 0, mrtt=rtt, vrate=min(p.target, 2.4e6))
    p.save('02-wifi-loss-and-stalls', 'packetLoss (Wi-Fi) for 80 s', pub(19, 99, 'packetLoss'))
    # 3 One burst of 120 ms each 30 s, repaired by RTX.
    s = Sub()
    for t in range(95): b = t in (20, 50, 80); s.tick(vlost=31 if b else 0, alost=6 if b else 0)
    s.save('03-single-bursts-repaired', 'nothing one sees or hears (0.4 % loss, all repaired)')
    # 4 9 % loss, all repaired.
    r = random.Random(1); s = Sub()
    for t in range(100): b = 20 <= t < 80; s.tick(vlost=rb(r, 260, .09) if b else 0, alost=rb(r, 50, .09) if b else 0, legrtt=.025)
    s.save('04-nine-percent-repaired', 'packetLoss, hardly noticeable: video intact, no concealed samples (RED)', sub(19, 79, 'packetLoss', 'local', atMost='noticeable'))
    # 5 Publisher capped, adapted; default senderStatsTrack=false: subscriber sees 160x90.
    s = Sub()
    for t in range(60):
        if t >= 20:
            for V in s.V: V.update(w=160, h=90, rate=9e4)
            s.leg.update(rate=9e4)
        s.tick(vpk=260 if t < 20 else 12)
    s.save('05-publisher-capped-default-settings', 'bandwidth, uplink, remote', sub(19, 59, 'bandwidth', 'remote'),
           doubt='the figures show a small picture without loss or delay: that the uplink made it small is only the likeliest reason')
    # 6 Own Wi-Fi jitter while the publisher is far away.
    s = Sub()
    for t in range(60):
        s.A['j'] = .004 if t < 20 else .042 + .001 * (t % 5)
        s.tick(remote=dict(senderStatsTrack=True, leg=s.legfacts(.03), publisher=dict(age=.5, value=dict(cause='latency', transport=cond()))))
    s.save('06-own-jitter-far-publisher', 'jitter, downlink, local', sub(19, 59, 'jitter', 'local'))
    # 7 Bufferbloat: another upload keeps the modem's queue full.
    for name, f, fall in (('07a-bufferbloat-steady', lambda t, r: 1.5 * r.uniform(.92, 1.08), True), ('07b-bufferbloat-sawtooth', lambda t, r: 1.05 + .45 * ((t - 22) % 12) / 12, True), ('07c-bufferbloat-estimate-holds', lambda t, r: .6 * r.uniform(.93, 1.07), False)):
        r = random.Random(2); p = Pub(maximum=1.5e6); p.est = 2e6
        for t in range(125):
            bad = 20 <= t < 90; p.est = (max(350e3, p.est * .6) if fall else p.est) if bad else min(2e6, p.est * 1.08); p.target = min(1.5e6, p.est - 32e3)
            p.reason = 'bandwidth' if p.est < 1.4e6 else 'none'
            p.rtt = .03 if not bad else (.6 if t == 20 else 1.1 if t == 21 else f(t, r)) if fall else (.2 if t == 20 else f(t, r)); p.tick(vrate=p.target * .95, vpk=160, mrtt=p.rtt)
        p.save(name, 'bandwidth (uplink queue filled by another upload)', pub(19, 89, 'bandwidth'))
    # 8 Ten participants on one peer connection (an SFU's dump): participant 3 freezes, the largest stream changes each second.
    r = random.Random(8); s = Sub(n=10, intent=False)
    for t in range(60):
        for k, V in enumerate(s.V): V.update(rate=r.uniform(4e5, 6e5), w=(1280, 640, 320)[k % 3], h=(720, 360, 180)[k % 3], frozen=k == 3 and t >= 20)
        s.tick(remote=None, vpk=55)
    s.save('08-ten-participants-one-frozen', 'participant 3 frozen for 40 s; nothing else', sub(19, 59, 'media unknown', track='4'), topology='sfu-one')
    # 9 66 streams on one peer connection.
    s = Sub(n=65, intent=False)
    for t in range(60):
        for V in s.V: V['rate'] = 1e5
        s.tick(remote=None, vpk=12, vlost=30 if 40 <= t < 50 else 0)
    s.save('09-sixty-six-streams', '6.5 Mbps; nothing wrong but short loss of one stream', sub(39, 49, 'packetLoss none', atMost='noticeable'), topology='sfu-one')
    # 10 Pictures never decode (wrong E2EE key, no key frame, MTU): bytes come, frames do not.
    s = Sub()
    for t in range(60): s.pli += 2; s.tick(decode=False)
    s.save('10-black-from-the-start', 'media: no picture ever', sub(0, 59, 'media'))
    # 11 Hold in the middle of loss: nothing is sent any more, RTCP goes on.
    s = Sub()
    for t in range(120): hold = t >= 26; s.tick(flowing=not hold, vlost=26 if 20 <= t < 26 else 0, alost=5 if 20 <= t < 26 else 0, rx=200 if hold else None)
    s.save('11-hold-during-loss', 'packetLoss for 6 s, then nothing to judge', sub(19, 25, 'packetLoss', 'local', atMost='noticeable'))
    # 12 A peer-to-peer dump: nobody knows the routing.
    r = random.Random(12); s = Sub(intent=False)
    for t in range(60): b = t >= 20; s.tick(remote=None, vlost=rb(r, 260, .05) if b else 0, alost=rb(r, 50, .05) if b else 0)
    s.save('12-p2p-dump', 'packetLoss, side bothOrUnclear (or unknown)', sub(19, 59, 'packetLoss', 'bothOrUnclear unknown'), topology='p2p')
    # 13 A hardware decoder with one frame of latency.
    s = Sub(); s.dec = .031
    for t in range(40): s.tick()
    s.save('13-hardware-decoder', 'nothing wrong: 30 fps decoded, none dropped')
    # 14 A camera in the evening: 10 fps of 30.
    p = Pub()
    for t in range(60): p.cap = p.fps = 30 if t < 20 else 10; p.tick()
    p.save('14-low-light-camera', 'picture at 10 fps: noticeable, device works', pub(19, 59, 'none device media unknown', atMost='noticeable'))
    # 15 Audio to an SFU or gateway without transport-cc: all that comes back is an RR each 5 s.
    p = Pub(video=False); p.est = 3e5
    for t in range(120): p.tick(rx=80 if p.t % 5 == 4 else 0, newpair=t % 3 == 0)
    p.save('15-audio-sendonly-rr-5s', 'nothing wrong')
    # 16 The clock is set back by ten minutes.
    r = random.Random(3); s = Sub()
    for t in range(300):
        if t == 60: s.step = -600
        q = .05 if 20 <= t < 40 else .12 if 120 <= t < 180 else 0; s.tick(vlost=rb(r, 260, q), alost=rb(r, 50, q), legrtt=.03)
    s.save('16a-clock-back-then-loss', '12 % loss at 120-180 s', sub(19, 39, 'packetLoss', 'local'), sub(119, 179, 'packetLoss', 'local'))
    r = random.Random(3); s = Sub()
    for t in range(300):
        if t == 30: s.step = -600
        q = .05 if 20 <= t < 40 else 0; s.tick(vlost=rb(r, 260, q), alost=rb(r, 50, q), legrtt=.03)
    s.save('16b-clock-back-in-loss', 'loss is over at 40 s', sub(19, 39, 'packetLoss', 'local'))
    # 17 A handover without a change of the pair.
    r = random.Random(9); s = Sub(); s.rtt = .04
    for t in range(120):
        s.rtt = (.04 if t < 30 else .12) + r.uniform(-.008, .012); b = t >= 45
        s.tick(remote=None, vlost=rb(r, 260, .02) if b else 0, alost=rb(r, 50, .02) if b else 0)
    s.save('17-handover-same-pair', 'packetLoss from 45 s', sub(44, 119, 'packetLoss'))
    # 18 A relayed publisher whose uplink loses 1.4 % to all of four subscribers.
    r = random.Random(11); ps = [Pub(pc='alice', routing='relayed') for _ in range(4)]; lines = []
    for t in range(90):
        for k, p in enumerate(ps):
            ts, st = p.tick(vlost=rb(r, 260, .014) if t >= 10 else 0, alost=rb(r, 50, .014) if t >= 10 else 0, emit=False)
            lines.append(dict(time=ts, pc='alice', stats=st, intent=p.intent, connection=dict(connectionId=f'c{k}', subscriberId=f's{k}'), remainingInTick=3 - k))
    ps[0].lines = lines
    ps[0].save('18-relayed-uplink-1.4-percent', "the publisher's uplink (all four alike)", pub(9, 89, 'packetLoss'), topology='p2p')
    # 19 A round trip time around 200 ms.
    r = random.Random(5); p = Pub()
    for t in range(180): p.rtt = r.uniform(.186, .212); p.tick(mrtt=p.rtt)
    p.save('19-rtt-around-200', 'one steady state', pub(0, 179, 'none latency', atMost='noticeable'))
    # 20 A quiet picture: 0.7 of 2.5 Mbps needed; one back-off at 30 s, then the estimate is limited by the application.
    for name, low in (('20a-content-limited', .7e6), ('20b-content-limited-quieter', .45e6)):
        p = Pub(); p.est = 5e6
        for t in range(150):
            sent = .7e6 if t < 30 else low; p.est = .85 * .7e6 if t == 30 else min(p.est * 1.08, 1.5 * sent + 1e4) if t > 30 else 5e6
            p.target = min(2.5e6, p.est - 32e3); p.rtt = .14 if t in (29, 30) else .03; p.tick(vrate=sent, vpk=80, mrtt=p.rtt)
        p.save(name, 'nothing wrong but for a second', pub(28, 38, 'none recovering bandwidth jitter', atMost='noticeable'))
    # 21 Wi-Fi stalls that only delay: congestion control backs off each 15 s.
    r = random.Random(12); p = Pub(); p.est = 5e6
    for t in range(320):
        hit = t > 20 and t % 15 == 5; p.est = .85 * 2.4e6 if hit else min(5e6, p.est * 1.08); p.target = min(2.5e6, p.est - 32e3); p.v['j'] = .014 if hit else .006
        p.rtt = .25 if hit and r.random() < .6 else .02; p.tick(mrtt=p.rtt, vrate=min(p.target, 2.4e6))
    p.save('21-backoffs', 'nothing one sees')
    # 22 The camera gives 640x360 where 1280x720 in three layers is configured.
    L = [dict(rid=i, enabled=True, maximumBitrate=m, maximumFrameRate=30, size=dict(width=w, height=h)) for i, m, w, h in (('q', 150000, 320, 180), ('h', 500000, 640, 360), ('f', 1500000, 1280, 720))]
    p = Pub(layers=L, size=(320, 180)); p.rid = 'h'; p.target = 650000
    for t in range(90): p.est = min(1.36e6, 3e5 * 1.5 ** (t + 1)); p.tick(vrate=6e5, vpk=70)
    p.save('22-small-camera-simulcast', 'nothing wrong with the network (layers q and f show nothing here)')
    # 23 Evidence of one kind, blame of another.
    for name, kw, truth, expect, doubt in (
            ('23a-own-rtt-remote-loss', dict(rtt=.52, j=.004, c=('fair', 'packetLoss'), cause='packetLoss'), 'latency: local', sub(19, 59, 'latency', 'local'), None),
            ('23b-own-jitter-remote-loss', dict(rtt=.03, j=.066, c=('fair', 'packetLoss'), cause='packetLoss'), 'jitter: local', sub(19, 59, 'jitter', 'local'), None),
            ('23c-own-1-percent-remote-critical', dict(rtt=.03, j=.004, c=('critical', 'bandwidth'), cause='bandwidth', own=.012), 'bandwidth, uplink, remote, unusable',
             sub(19, 59, 'bandwidth', 'remote', atLeast='unusable'), 'the receiver still shows 720p at 30 fps: by what people notice the severity could be far lower')):
        r = random.Random(6); s = Sub()
        for t in range(60):
            b = t >= 20; s.rtt = kw['rtt'] if b else .03; s.A['j'] = kw['j'] + .0005 * (t % 4) if b else .004; q = kw.get('own', 0) if b else 0
            s.tick(vlost=rb(r, 260, q), alost=rb(r, 50, q), remote=dict(senderStatsTrack=True, leg=s.legfacts(s.rtt), publisher=dict(age=.5, value=dict(cause=kw['cause'] if b else 'none', transport=cond(*kw['c']) if b else cond()))))
        s.save(name, truth, expect, doubt=doubt)
    # 24 An outage of 12 s, reports ten seconds apart.
    s = Sub()
    for t in range(14): out = t == 7; s.tick(dt=10, flowing=not out, rx=0 if out else None)
    s.save('24-outage-reports-10s', 'connection for >= 10 s', sub(60, 70, 'connection'), interval=10)
    return list(CALLS)
