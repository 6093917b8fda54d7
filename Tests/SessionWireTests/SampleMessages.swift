// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaPolicy
import SessionWire
import WebRTCStats

/// One message of each type, each with every member set that it can have, and some without.
enum SampleMessages {
    static let content = StreamContent(
        name: "camera", hasAudio: true, hasVideo: true, videoType: .camera,
        videoDimensions: .init(width: 1280, height: 720))
    static let connection = ConnectionDescription(id: "c1", name: "alice", creationTime: 1_700_000_000_000)
    static let stream = StreamDescription(
        id: "st1", connection: connection, creationTime: 1_700_000_001_000, content: content,
        senderStatsTrack: true)
    static let candidate = LegCandidate(
        leg: "cam", mid: "0", lineIndex: 0, candidate: "candidate:1 1 udp 2122260223 192.0.2.1 50000 typ host"
    )

    static var sample: StreamSample {
        var media = MediaFigures()
        media.packets = 1000
        media.packetsLost = -1
        media.bytes = 1_200_000
        media.bitrate = 512_000.5
        media.maximumBitrate = 600_000
        media.jitter = 0.004
        media.width = 640
        media.height = 360
        media.frameRate = 29.97
        media.framesSent = 300
        media.freezeCount = 1
        media.totalFreezesDuration = 250
        media.pauseCount = 0
        media.totalPausesDuration = 0
        media.qualityLimitationReason = .bandwidth
        media.audioLevel = 0.25
        media.mos = 4.2
        media.layers = [
            .init(
                rid: "l", enabled: true, sending: true, width: 320, height: 180, frameRate: 29.97,
                bitrate: 150_000),
            .init(rid: "h", enabled: true, sending: false),
        ]
        var sample = StreamSample()
        sample.networkCondition = .good
        sample.networkConditionReason = .packetLoss
        sample.connectionEstimatedBandwidth = 2_500_000
        sample.roundTripTime = 0.04
        sample.fractionLost = 0.02
        sample.bandwidthDemand = 1_500_000
        sample.remoteNetworkCondition = .excellent
        sample.remoteNetworkConditionReason = NetworkReason.none
        sample.networkDegradationSource = .local
        sample.diagnosis = .init(
            cause: .packetLoss, direction: .downlink, side: .local, severity: .disturbing)
        sample.events = [
            .networkConditionChanged(NetworkConditionChange(side: .local, from: .excellent, to: .good)),
            .callQuality(
                CallQualityWarning(
                    kind: .highInboundPacketLoss, phase: .trigger, media: .video, direction: .inbound)),
        ]
        sample.audio = .init()
        sample.video = media
        sample.levels = SampleQuality.levels
        return sample
    }

    static var report: StatsReport {
        var stream = InboundRTPStats(id: "IT01V", timestamp: 1_700_000_002_000)
        stream.packetsReceived = 100
        stream.packetsLost = -2
        var report = StatsReport(timestamp: 1_700_000_002_000)
        report.inboundRTP = [stream]
        return report
    }

    static let client: [String: ClientMessage] = [
        "join": .init(
            id: 1, .join(.init(token: "header.claims.signature", client: "sightline-cli 0.1.0 (Linux)"))),
        "join-again": .init(
            id: 1,
            .join(
                .init(
                    token: "header.claims.signature", client: "sightline-cli 0.1.0 (Linux)", resumable: true,
                    restore: "body.seal"))),
        "resume": .init(id: 14, .resume(.init(token: "body.seal", received: 7))),
        "ack": .init(id: 0, .ack(.init(received: 8))),
        "publish-again": .init(
            id: 2, seq: 1,
            .publish(
                .init(
                    leg: "cam", content: content, senderStatsTrack: true, restore: "body.seal",
                    offer: "v=0\r\n"))),
        "publish": .init(
            id: 2, .publish(.init(leg: "cam", content: content, senderStatsTrack: true, offer: "v=0\r\n"))),
        "subscribe": .init(
            id: 3,
            .subscribe(
                .init(
                    leg: "s1", stream: "st1",
                    preference: .init(
                        preferredResolution: .init(width: 320, height: 180), preferredFrameRate: 15),
                    offer: "v=0\r\n"))
        ),
        "offer": .init(id: 4, .offer(.init(leg: "cam", offer: "v=0\r\n"))),
        "replace": .init(id: 5, .replace(.init(leg: "cam2", replaces: "cam", offer: "v=0\r\n"))),
        "candidate": .init(id: 6, .candidate(candidate)),
        "prefer": .init(id: 7, .prefer(.init(leg: "s1", preference: .init(subscribeToVideo: false)))),
        "update": .init(
            id: 8,
            .update(.init(leg: "cam", content: .init(hasAudio: false, hasVideo: true, videoType: .screen)))),
        "unsubscribe": .init(id: 9, .unsubscribe(.init(leg: "s1"))),
        "unpublish": .init(id: 10, .unpublish(.init(leg: "cam"))),
        "telemetry": .init(
            id: 11,
            .telemetry(
                .init(events: [
                    .init(eventId: "e1", capturedAt: 1_700_000_002_000, leg: "cam", sample: sample),
                    .init(eventId: "e2", capturedAt: 1_700_000_002_000.5, leg: "s1", report: report),
                ]))),
        "leave-confirming": .init(id: 21, seq: 9, received: 12, .leave),
        "leave": .init(id: 12, .leave),
        "networkQuality": .init(id: 13, .networkQuality(SampleQuality.request)),
        "networkQuality-own": .init(id: 13, .networkQuality(SampleQuality.ownRequest)),
        "publish-handle": .init(id: 13, .publish(.init(leg: "cam", content: content, offer: nil))),
        "subscribe-handle": .init(id: 14, .subscribe(.init(leg: "s1", stream: "st1", offer: nil))),
        "relay": .init(
            id: 15, .relay(.init(leg: "d1", publication: "cam", subscriberId: "sb1", offer: "v=0\r\n"))),
        "answer": .init(id: 16, .answer(.init(leg: "s1/1", answer: "v=0\r\n"))),
        "answer-none": .init(
            id: 17, .answer(.init(leg: "s1/1", answer: nil, message: "no codec in common"))),
        "settled": .init(id: 18, .settled(.init(leg: "s1/1"))),
        "legLost": .init(id: 19, .legLost(.init(leg: "s1/1"))),
        "giveUp": .init(
            id: 20, .giveUp(.init(publication: "cam", subscriberId: "sb1", message: "no path was found"))),
        "forceUnpublish": .init(id: 21, .forceUnpublish(.init(stream: "st1"))),
        "forceDisconnect": .init(id: 22, .forceDisconnect(.init(connection: "c2"))),
        "saturate": .init(id: 23, .saturate(.init(leg: "s1", bitrate: 5_000_000, seconds: 2.5))),
        "rate": .init(id: 24, .rate(rating)),
        "networkTest": .init(
            id: 25,
            .networkTest(
                .init(
                    time: 1250.5, course: .measuring(fillsUplink: true),
                    readings: [
                        .init(
                            leg: "c1", time: 1200,
                            changes: [
                                .int(-1), .double(1_700_000_002_990.5),
                                .array([.string("transport"), .string("T")]),
                            ])
                    ]))),
        "networkTest-ended": .init(
            id: 26,
            .networkTest(
                .init(
                    time: 9000,
                    course: .ended(
                        outcome: .init(
                            start: 1_700_000_000_000,
                            steps: [.init(step: .udpPath, start: 900, duration: 8100, outcome: .failed)],
                            failure: .init(step: .udpPath, code: "timeout", message: "no path was found")))))),
    ]

    private static var rating: CallRating {
        do { return try CallRating(2, reason: "echo", comment: "I heard myself.") } catch {
            preconditionFailure("\(error)")
        }
    }

    static let server: [String: ServerMessage] = [
        "joined": .init(re: 1, .joined(joined(nil))),
        "joined-resumable": .init(re: 1, .joined(joined(.init(token: "body.seal", seconds: 60)))),
        "resumed": .init(re: 14, .resumed(.init(received: 9))),
        "ack": .init(.ack(.init(received: 9))),
        "restartICE": .init(seq: 2, .restartICE(.init(legs: ["cam", "s1"]))),
        "published-resumable": .init(
            re: 2, seq: 1,
            .published(.init(leg: "cam", stream: stream, answer: "v=0\r\n", restore: "body.seal"))),
        "published": .init(re: 2, .published(.init(leg: "cam", stream: stream, answer: "v=0\r\n"))),
        "subscribed": .init(re: 3, .subscribed(.init(leg: "s1", answer: "v=0\r\n"))),
        "answered": .init(re: 4, .answered(.init(leg: "cam", answer: "v=0\r\n"))),
        "done": .init(re: 7, .done),
        "done-confirming": .init(re: 21, seq: 13, received: 9, .done),
        "acknowledged": .init(
            re: 11, .acknowledged(.init(eventIds: ["e1", "e2"], receivedAt: 1_700_000_002_100))),
        "error": .init(re: 13, .error(.init(.unknownLeg, "there is no such leg, or no more"))),
        "error-event": .init(.error(.init(.init(rawValue: "newerCode"), "what a newer server may say"))),
        "connectionCreated": .init(.connectionCreated(connection)),
        "connectionDestroyed": .init(.connectionDestroyed(.init(id: "c1", reason: "lost"))),
        "streamCreated": .init(.streamCreated(stream)),
        "streamUpdated": .init(.streamUpdated(stream)),
        "streamDestroyed": .init(.streamDestroyed(.init(id: "st1", reason: "unpublished"))),
        "candidate": .init(.candidate(candidate)),
        "mediaLost": .init(
            .mediaLost(.init(legs: ["cam", "s1"], message: "the media router lost these legs"))),
        "facts-sender": .init(
            .facts(
                .init(
                    leg: "s1", capturedAt: 1_700_000_003_000,
                    sender: .init(
                        estimatedBandwidth: 1_500_000, maximumAllocatedBitrate: 6_000_000,
                        wantedLayer: intent("f", 1280, 720), sentLayer: intent("h", 640, 360),
                        reason: .bandwidth, videoFramesSent: 250, roundTripTime: 0.04),
                    publisher: .init(capturedAt: 1_700_000_002_000, age: 900, sample: sample),
                    uplink: .init(networkCondition: .fair, networkConditionReason: .packetLoss),
                    levels: SampleQuality.video))),
        "facts-publication": .init(
            .facts(
                .init(
                    leg: "cam", capturedAt: 1_700_000_003_000, largestWantedLayer: "h",
                    pathTiming: .init(capacityBound: 2_400_000, sustainedDelay: 0.0125, delaySpread: 0.0375)))
        ),
        "fallback": .init(.fallback(.init(leg: "s1", state: .warned))),
        "networkQuality": .init(.networkQuality(SampleQuality.update)),
        "judged": .init(seq: 3, .judged(SampleQuality.judgement)),
        "networkTest": .init(
            re: 25, seq: 4,
            .networkTest(
                .init(
                    actions: [
                        .begin(step: .bandwidth), .setFrameRate(rate: .few),
                        .fill(
                            directions: [.uplink, .downlink], bitrate: 1_000_000, seconds: 3,
                            downlinkSeconds: 1.5), .silence,
                        .release(start: 500_000, maximumVideo: 400_000), .renewSubscription,
                        .renewStreamWithoutVideo, .stopVideo,
                        .sample(sample: PreCallSample(time: 1250, step: .quality), done: 0.5), .finish,
                    ], limit: 14_000))),
        "networkTest-result": .init(
            re: 26, seq: 5,
            .networkTest(
                .init(
                    result: .init(
                        PreCallReport(
                            verdict: .audioAndVideo,
                            timing: .init(
                                start: 1_700_000_000_000, end: 1_700_000_009_000, duration: 9000)))))),
        "facts-relayed": .init(
            .facts(
                .init(
                    leg: "s1/1", capturedAt: 1_700_000_003_000,
                    sender: .init(
                        estimatedBandwidth: 1_500_000, wantedLayer: intent(nil, 640, 360),
                        sentLayer: intent(nil, 640, 360), reason: .wanted, videoFramesSent: 250,
                        roundTripTime: 0.04),
                    networkDegradationSource: .remote))),
        "subscribed-handle": .init(
            re: 14, .subscribed(.init(leg: "s1", answer: nil, subscriberId: "sb1"))),
        "published-handle": .init(re: 13, .published(.init(leg: "cam", stream: stream, answer: nil))),
        "routes": .init(
            .routes(
                .init(
                    leg: "cam", router: true,
                    subscribers: [
                        .init(subscriberId: "sb1", connectionId: "c2", subscribesToVideo: false, turn: 1)
                    ]))),
        "offered": .init(.offered(.init(leg: "s1/1", subscription: "s1", offer: "v=0\r\n"))),
        "subscriptionEnded": .init(.subscriptionEnded(.init(id: "s1", reason: "failed"))),
        "facts-counters": .init(
            .facts(
                .init(leg: "cam", capturedAt: 1_700_000_003_000, counters: counters))),
        "facts-beside": .init(
            .facts(
                .init(
                    leg: "cam", capturedAt: 1_700_000_003_000, counters: counters,
                    beside: [
                        "s1": LegCounters(
                            timestamp: 1_700_000_002_750, bytesReceived: 4567, packetsReceived: 45)
                    ]))),
        "goodbye": .init(.goodbye(.init(reason: "shutdown"))),
    ]

    private static func joined(_ resumption: Resumption?) -> ServerMessage.Joined {
        .init(
            session: "s", mediaMode: .routed, role: .publisher, connection: connection,
            connections: [.init(id: "c2", name: nil, creationTime: 1_700_000_000_500)],
            streams: [stream],
            iceServers: [
                .init(urls: ["stun:stun.example:3478"]),
                .init(urls: ["turn:turn.example:3478?transport=udp"], username: "u", credential: "p"),
            ], resumption: resumption)
    }

    private static func intent(_ rid: String?, _ width: Int, _ height: Int) -> LayerIntent {
        .init(rid: rid, maximumBitrate: 500_000, size: VideoSize(width: width, height: height))
    }
}
