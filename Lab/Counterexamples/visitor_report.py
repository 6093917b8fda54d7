# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The reports of the calls of `visitor.py`, as each engine writes them."""
from stranger_network import at
from visitor_network import T0


def report(call, how=None):
    """Adds a report to the lines of a call; `how`: late by some seconds, or the one before again."""
    t = call.sim.now
    if how and how[0] == 'repeat' and call.lines:
        l = dict(call.lines[-1][1])
        l['time'] = round(T0 + t * 1000, 3)
        call.lines.append((t, l))
        return
    ts = round(T0 + t * 1000 + call.draw.uniform(-3, 6), 3 if not call.firefox else 0)
    stats = []
    firefox, safari, native, chrome = call.firefox, call.safari, call.native, call.chrome
    T = call.id('transport_0') if firefox else 'T01'

    def add(type, id, ts=ts, **m):
        stats.append({'id': call.id(id), 'timestamp': ts, 'type': type, **{k: v for k, v in m.items() if v is not None}})

    def rounded(x, n=4):
        return round(x, n)

    pt = {'VP8': 96, 'H264': 102, 'VP9': 98, 'AV1': 45}[call.codec]
    codec = lambda k, io: f'C{io}T01_111_minptime=10;useinbandfec=1' if k == 'audio' else f'C{io}T01_{pt}'
    kinds = {('O', x.kind) for x in call.tx} | {('I', x.kind) for x in call.rx if x.received}
    for io, k in sorted(kinds):
        add('codec', codec(k, io), payloadType=111 if k == 'audio' else pt, mimeType='audio/opus' if k == 'audio' else 'video/' + call.codec,
            clockRate=48000 if k == 'audio' else 90000, channels=2 if k == 'audio' else None,
            sdpFmtpLine='minptime=10;useinbandfec=1' if k == 'audio' else None, transportId=T,
            codecType=None if not firefox else 'encode' if io == 'O' else 'decode')
    pair, local, remote = f'CP{call.pair}{call.base % 9973}', f'I{call.pair}l{call.base % 97}', f'I0r{call.base % 89}'
    bs, br = call.up.bytes_sent - call.before_bytes_sent, call.down.bytes_received - call.before_bytes_received
    ps, pr = call.up.packets_sent - call.before_packets_sent, call.down.packets_received - call.before_packets_received
    p = dict(transportId=T, localCandidateId=call.id(local), remoteCandidateId=call.id(remote), state='succeeded', nominated=True, priority=7205771498370236000,
             bytesSent=bs, bytesReceived=br, writable=True, currentRoundTripTime=rounded(call.rtt, 3), totalRoundTripTime=rounded(call.total_rtt, 3),
             responsesReceived=call.responses)
    lr = round(T0 + call.down.last_received * 1000, 1)
    if firefox:
        p.update(readable=True, selected=True, componentId=1, lastPacketSentTimestamp=int(ts - 2), lastPacketReceivedTimestamp=int(lr))
    else:
        p.update(packetsSent=ps, packetsReceived=pr, requestsSent=1, requestsReceived=call.responses + 2, responsesSent=call.responses + 2,
                 consentRequestsSent=call.responses, packetsDiscardedOnSend=0, bytesDiscardedOnSend=0,
                 availableOutgoingBitrate=int(call.up.congestion.estimate))
        if chrome:
            p.update(lastPacketSentTimestamp=round(ts - 2, 1), lastPacketReceivedTimestamp=lr)
    add('candidate-pair', pair, **p)
    hides = safari or native
    relay = call.relay
    add('local-candidate', local, transportId=None if firefox else T, candidateType='relay' if relay else 'host' if call.topology == 'sfu' else 'srflx',
        protocol='udp', port=51000 + call.pair, address=None if hides else '203.0.113.%d' % (20 + call.pair), priority=2122262783 if not relay else 8265471,
        networkType=None if firefox or safari else ('wifi', 'cellular')[call.pair % 2], isRemote=None if firefox else False, relayProtocol=relay,
        url='turn:turn.example.net:443?transport=tcp' if relay and (not safari) else None)
    add('remote-candidate', remote, transportId=None if firefox else T, candidateType='host' if call.topology == 'sfu' else 'srflx', protocol='udp',
        port=10000 if call.topology == 'sfu' else 60011, address=None if hides else '198.51.100.9', priority=2130706431, isRemote=None if firefox else True)
    if not firefox:
        add('transport', 'T01', bytesSent=bs, bytesReceived=br, packetsSent=ps, packetsReceived=pr, dtlsState='connected', iceState=call.ice,
            iceRole='controlling', iceLocalUsernameFragment=f'u{call.base % 9999}', selectedCandidatePairId=pair,
            selectedCandidatePairChanges=call.pair_changes, tlsVersion='FEFD', dtlsCipher='TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
            srtpCipher='AEAD_AES_128_GCM', dtlsRole='client')
        add('peer-connection', 'P', dataChannelsOpened=0, dataChannelsClosed=0)
    media = lambda k: None if native else k

    def receiver_report(l, kind, oid):
        q = call.reports.get(l)
        if q and q['n']:
            add('remote-inbound-rtp', ('RIA' if kind == 'audio' else 'RIV') + str(l.ssrc), ts=round(T0 + q['ts'] * 1000, 1), kind=kind,
                mediaType=kind if firefox else None, ssrc=l.ssrc, localId=call.id(oid), packetsLost=q['lost'], jitter=rounded(q['j'], 5),
                roundTripTime=rounded(q['rtt']), totalRoundTripTime=rounded(q['tot']), roundTripTimeMeasurements=q['n'], fractionLost=int(q['fr'] * 256) / 256,
                packetsReceived=q['recv'] if firefox else None, codecId=None if firefox else codec(kind, 'O'), transportId=None if firefox else T)
            return call.id(('RIA' if kind == 'audio' else 'RIV') + str(l.ssrc))

    for x in call.tx:
        if x.kind == 'audio':
            oid = f'OT01A{x.ssrc}'
            rid = receiver_report(x, 'audio', oid)
            add('outbound-rtp', oid, kind='audio', mediaType=media('audio'), ssrc=x.ssrc, mid=x.mid, codecId=call.id(codec('audio', 'O')),
                mediaSourceId=call.id('SA1'), remoteId=rid, transportId=T if not firefox else None, packetsSent=x.packets, bytesSent=x.bytes,
                headerBytesSent=x.packets * 28, retransmittedPacketsSent=0, retransmittedBytesSent=0, nackCount=0, targetBitrate=None if firefox else x.rate,
                active=None if firefox else bool(at(x.active, t)), totalPacketSendDelay=None if firefox else rounded(x.pacing))
            add('media-source', 'SA1', kind='audio', trackIdentifier=f'mic{call.base % 7919}',
                **{} if firefox else dict(audioLevel=rounded(x.loudness, 6), totalAudioEnergy=x.energy, totalSamplesDuration=rounded(x.duration, 2)))
        else:
            sid = f'SV{x.layers[0].ssrc % 991}'
            here = at(x.present, t)
            act = bool(at(x.active, t))
            for l in x.layers:
                oid = f'OT01V{l.ssrc}'
                rid = receiver_report(l, 'video', oid)
                fps = l.rate_shown(t)
                m = dict(kind='video', mediaType=media('video'), ssrc=l.ssrc, mid=x.mid, rid=l.rid, codecId=call.id(codec('video', 'O')),
                         mediaSourceId=call.id(sid) if here else None, remoteId=rid, transportId=T if not firefox else None, packetsSent=l.packets,
                         bytesSent=l.bytes, headerBytesSent=l.packets * 24, retransmittedPacketsSent=l.repairs, retransmittedBytesSent=l.repaired_bytes,
                         framesEncoded=l.encoded, framesSent=l.encoded, hugeFramesSent=l.huge, nackCount=l.nacks, pliCount=l.plis, firCount=0,
                         qpSum=None if call.codec == 'H264' and (not chrome) else l.qp, totalEncodeTime=rounded(l.encode_time),
                         totalEncodedBytesTarget=int(l.target_bytes), frameWidth=l.width if l.encoded else None, frameHeight=l.height if l.encoded else None,
                         framesPerSecond=fps or None, contentType='screenshare' if x.screen and (chrome or native) else None)
                if not firefox:
                    m.update(keyFramesEncoded=l.keys, targetBitrate=int(sum(y.target for y in x.layers)) if act and here else 0,
                             totalPacketSendDelay=rounded(l.pacing, 3), active=act, qualityLimitationReason=x.reason,
                             qualityLimitationDurations=dict(x.limited), qualityLimitationResolutionChanges=x.changes)
                    if not safari:
                        m.update(encoderImplementation='VideoToolbox' if native else 'SimulcastEncoderAdapter (libvpx, libvpx, libvpx)' if x.mode ==
                                 'sim' else {'VP8': 'libvpx', 'VP9': 'libvpx', 'AV1': 'libaom', 'H264': 'OpenH264'}[call.codec])
                    if chrome:
                        m.update(powerEfficientEncoder=False, rtxSsrc=l.ssrc + 1, scalabilityMode='L1T3' if x.mode == 'sim' else 'L1T1')
                add('outbound-rtp', oid, **m)
            if here:
                add('media-source', sid, kind='video', trackIdentifier=f'cam{x.layers[0].ssrc % 7919}',
                    **{} if firefox else dict(width=x.size[0], height=x.size[1], frames=x.frames, framesPerSecond=len([y for y in x.captured if y > t - 1])))
    for x in call.rx:
        if x.mid in call.gone:
            continue
        k = 'A' if x.kind == 'audio' else 'V'
        iid, ro = f'IT01{k}{x.ssrc}', f'RO{k}{x.ssrc}'
        m = dict(kind=x.kind, mediaType=media(x.kind), ssrc=x.ssrc, mid=x.mid, trackIdentifier=f'r{x.kind[0]}{x.publisher}-{call.base % 7919}',
                 transportId=T if not firefox else None, codecId=call.id(codec(x.kind, 'I')) if x.received else None,
                 remoteId=call.id(ro) if x.last_report else None, packetsReceived=x.received + (x.repairs if chrome else 0),
                 bytesReceived=x.bytes + (x.repaired_bytes if chrome else 0), headerBytesReceived=x.received * (28 if k == 'A' else 24),
                 packetsLost=x.lost_count(), jitter=rounded(x.jitter_seen, 4),
                 lastPacketReceivedTimestamp=round(T0 + x.last_packet * 1000, 0 if firefox else 1) if x.last_packet is not None else None)
        if k == 'A':
            m.update(packetsDiscarded=x.discarded, fecPacketsReceived=x.recovered, fecPacketsDiscarded=0, totalSamplesReceived=x.samples,
                     concealedSamples=x.concealed, silentConcealedSamples=x.silent, concealmentEvents=x.events, insertedSamplesForDeceleration=x.inserted,
                     removedSamplesForAcceleration=x.removed, jitterBufferDelay=rounded(x.held, 1), jitterBufferEmittedCount=x.emitted,
                     audioLevel=rounded(x.loudness, 5), totalAudioEnergy=x.energy, totalSamplesDuration=rounded(x.duration, 2))
            if not firefox:
                m.update(jitterBufferTargetDelay=rounded(x.targets, 1), jitterBufferMinimumDelay=rounded(x.least, 1),
                         totalProcessingDelay=rounded(x.processed, 1), playoutId='AP' if chrome else None)
        else:
            f = x.rate_shown()
            m.update(nackCount=x.nacks, pliCount=x.plis, firCount=0, framesReceived=x.received_frames, framesDecoded=x.decoded, framesDropped=x.dropped,
                     totalDecodeTime=rounded(x.decode_time), totalInterFrameDelay=rounded(x.between), totalSquaredInterFrameDelay=rounded(x.between_squared),
                     totalProcessingDelay=rounded(x.processed, 3), jitterBufferDelay=rounded(x.held, 3), jitterBufferEmittedCount=x.emitted,
                     qpSum=x.qp if call.codec != 'H264' else None, frameWidth=x.width if x.decoded else None, frameHeight=x.height if x.decoded else None,
                     framesPerSecond=f or None, contentType='screenshare' if x.screen and (chrome or native) else None)
            if not firefox:
                m.update(keyFramesDecoded=x.keys, freezeCount=x.freezes, totalFreezesDuration=rounded(x.frozen, 3), pauseCount=x.pauses,
                         totalPausesDuration=rounded(x.paused, 3), jitterBufferTargetDelay=rounded(x.targets, 3), jitterBufferMinimumDelay=rounded(x.least, 3),
                         totalAssemblyTime=rounded(x.assembly, 3), framesAssembledFromMultiplePackets=x.multi)
                if chrome:
                    m.update(retransmittedPacketsReceived=x.repairs, retransmittedBytesReceived=x.repaired_bytes, rtxSsrc=x.ssrc + 1,
                             powerEfficientDecoder=False, decoderImplementation='libvpx' if call.codec in ('VP8', 'VP9') else 'dav1d')
                if native:
                    m['decoderImplementation'] = 'VideoToolbox'
        add('inbound-rtp', iid, **m)
        if x.last_report:
            add('remote-outbound-rtp', ro, ts=round(T0 + x.last_report[0] * 1000, 1), kind=x.kind, mediaType=x.kind if firefox else None, ssrc=x.ssrc,
                localId=call.id(iid), packetsSent=x.last_report[1], bytesSent=x.last_report[2], reportsSent=None if firefox else x.last_report[3],
                remoteTimestamp=round(T0 + x.last_report[4] * 1000 + 217, 1), codecId=None if firefox else codec(x.kind, 'I'),
                transportId=T if not firefox else None, totalRoundTripTime=None if firefox else 0, roundTripTimeMeasurements=None if firefox else 0)
    if chrome and any(x.kind == 'audio' for x in call.rx):
        q = call.played
        n = 48000 * t - q['n']
        q['n'] += n
        q['d'] += n * .019
        add('media-playout', 'AP', kind='audio', synthesizedSamplesDuration=rounded(q['syn'], 3), synthesizedSamplesEvents=q['ev'],
            totalSamplesDuration=rounded(t, 3), totalPlayoutDelay=rounded(q['d'], 1), totalSamplesCount=int(q['n']))
    l = dict(time=ts if not how else round(T0 + (t + how[1]) * 1000, 3), pc='pc-1', stats=stats)
    i = at(call.intent, t)
    if i:
        l['intent'] = i
    call.lines.append((t + (how[1] if how else 0), l))
