// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaPolicy
import RouterWire
import SessionWire
import WebRTCStats

@testable import SessionCore

/// Messages made of choices.
enum CoreMessages {
    private static let numbers = [0, 1, -1, 640, 1 << 53, .max, .min]
    private static let figures = [0, 1, 0.5, -1, 1e6, 9e15, 1e300, .leastNonzeroMagnitude]

    private static let offsets = [0, 500, -60_000, -120_000, 1e6, 9e15, -9e15]

    private static func leg(_ choices: inout Choices) -> LegName {
        LegName(choices.pick(["a", "b", "c", "d", ""]) + choices.pick(["", "1", "2", "/1", "/2"]))
    }

    private static func name(_ choices: inout Choices, _ names: [String]) -> String {
        choices.pick(names + ["nobody"])
    }

    private static func preference(_ choices: inout Choices) -> VideoPreference {
        .init(
            subscribeToVideo: choices.flag(),
            preferredResolution: choices.flag()
                ? nil : .init(width: choices.pick(numbers), height: choices.pick(numbers)),
            preferredFrameRate: choices.flag() ? nil : choices.pick(figures))
    }

    private static func content(_ choices: inout Choices) -> StreamContent {
        .init(name: "cam", hasAudio: choices.flag(), hasVideo: choices.flag())
    }

    static func body(_ choices: inout Choices, _ names: CoreNames) -> ClientMessage.Body {
        switch choices.number(below: 26) {
        case 0, 1:
            .publish(
                .init(
                    leg: leg(&choices), content: content(&choices), senderStatsTrack: choices.flag(),
                    restore: choices.flag() ? names.tokens.last : nil, testsNetwork: choices.flag(),
                    offer: choices.flag() ? nil : "o"))
        case 2, 3:
            .subscribe(
                .init(
                    leg: leg(&choices), stream: name(&choices, names.streams),
                    preference: preference(&choices),
                    testsNetwork: choices.flag(), offer: choices.flag() ? nil : "o"))
        case 4: .offer(.init(leg: leg(&choices), offer: "o"))
        case 5: .replace(.init(leg: leg(&choices), replaces: leg(&choices), offer: "o"))
        case 6:
            .candidate(.init(leg: leg(&choices), mid: nil, lineIndex: choices.pick(numbers), candidate: "c"))
        case 7: .prefer(.init(leg: leg(&choices), preference: preference(&choices)))
        case 8: .update(.init(leg: leg(&choices), content: content(&choices)))
        case 9: .unsubscribe(.init(leg: leg(&choices)))
        case 10: .unpublish(.init(leg: leg(&choices)))
        case 11: .networkQuality(.init(remote: choices.pick([.none, .minimal, .moderate, .detailed])))
        case 12:
            .relay(
                .init(
                    leg: leg(&choices), publication: leg(&choices),
                    subscriberId: name(&choices, names.subscribers), offer: "o"))
        case 13: .answer(.init(leg: leg(&choices), answer: choices.flag() ? "a" : nil))
        case 14: .settled(.init(leg: leg(&choices)))
        case 15: .legLost(.init(leg: leg(&choices)))
        case 16:
            .giveUp(
                .init(
                    publication: leg(&choices), subscriberId: name(&choices, names.subscribers), message: "no"
                ))
        case 17: .saturate(.init(leg: leg(&choices), bitrate: choices.pick(figures)))
        case 18: .forceUnpublish(.init(stream: name(&choices, names.streams)))
        case 19: .forceDisconnect(.init(connection: name(&choices, names.connections)))
        case 20: .leave
        case 21: .ack(.init(received: choices.flag() ? choices.pick(numbers) : Int(choices.byte())))
        case 22: .resume(.init(token: name(&choices, names.tokens), received: Int(choices.byte())))
        case 23: (try? CallRating(Int(choices.byte() % 5) + 1, reason: "r")).map { .rate($0) } ?? .leave
        case 24: .networkTest(networkTest(&choices))
        default: .telemetry(.init(events: [event(&choices)]))
        }
    }

    private static func networkTest(_ choices: inout Choices) -> ClientMessage.NetworkTest {
        let course: ClientMessage.NetworkTest.Course =
            switch choices.number(below: 4) {
            case 0: .connecting
            case 1: .ended(outcome: .init(start: abs(choices.pick(offsets)), steps: []))
            default: .measuring(fillsUplink: choices.flag())
            }
        let changes: [StatsValue] = [
            .int(choices.flag() ? -1 : 2), .double(choices.pick(figures)),
            .array([
                .string("transport"), .string("T"), .string("bytesReceived"), .double(choices.pick(figures)),
            ]),
        ]
        return .init(
            time: Double(choices.byte()) * 100, course: course,
            readings: [.init(leg: leg(&choices), time: Double(choices.byte()) * 100, changes: changes)])
    }

    private static func event(_ choices: inout Choices) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(leg(&choices))e", capturedAt: 1_700_000_000_000 + choices.pick(offsets),
            leg: leg(&choices),
            choices.flag() ? .report(report(&choices)) : .sample(sample(&choices), number: nil))
    }

    private static func sample(_ choices: inout Choices) -> StreamSample {
        var sample = StreamSample()
        sample.networkCondition = choices.pick([.critical, .good, .excellent, .unknown, nil])
        sample.roundTripTime = choices.pick(figures)
        sample.fractionLost = choices.pick(figures)
        sample.connectionEstimatedBandwidth = choices.pick(figures)
        var media = MediaFigures()
        media.mos = choices.pick(figures)
        media.bitrate = choices.pick(figures)
        media.frameRate = choices.pick(figures)
        media.freezeCount = choices.pick(numbers)
        media.totalFreezesDuration = choices.pick(figures)
        media.packetsLost = Int64(choices.pick(numbers))
        media.width = choices.pick(numbers)
        media.height = choices.pick(numbers)
        if choices.flag() { sample.audio = media } else { sample.video = media }
        return sample
    }

    private static func report(_ choices: inout Choices) -> StatsReport {
        var report = StatsReport(timestamp: 1_700_000_000_000 + Double(choices.byte()) * 250)
        var entry = InboundRTPStats(id: "I", timestamp: report.timestamp)
        entry.ssrc = 1
        entry.kind = choices.pick([.audio, .video])
        entry.packetsReceived = choices.flag() ? UInt64(choices.byte()) : .max
        entry.packetsLost = Int64(choices.pick(numbers))
        entry.jitter = choices.pick(figures)
        entry.bytesReceived = choices.flag() ? UInt64(choices.byte()) << 8 : .max
        report.inboundRTP = [entry]
        return report
    }

    static func notice(_ choices: inout Choices, _ names: CoreNames) -> RouterNotice {
        let leg = LegName(name(&choices, names.legs))
        switch choices.number(below: 8) {
        case 0, 1: return .answer(.init(leg: leg, answer: "a"))
        case 2:
            return .failure(
                .init(
                    leg: choices.flag() ? nil : leg, code: choices.pick([.closed, .internal, .tooMany]),
                    message: "", endsLeg: choices.flag()))
        case 3:
            return .state(.init(leg: leg, state: choices.pick(["connected", "failed", "disconnected", ""])))
        case 4: return .candidate(.init(leg: leg, mid: nil, lineIndex: nil, candidate: ""))
        case 5: return .fallback(.init(leg: leg, state: choices.pick([.on, .warned, .off])))
        default:
            let layer = LayerFigures(
                sending: choices.flag(), width: choices.pick(numbers), height: choices.pick(numbers),
                frameRate: choices.pick(figures), bitrate: choices.pick(figures))
            let policy = PolicyState(
                wanted: layer, sent: choices.flag() ? layer : nil, reason: .wanted,
                allocated: choices.pick(figures), maximumBitrate: choices.pick(figures))
            return .report(
                .init(
                    leg: leg, kind: choices.pick([.publisher, .subscriber]), stream: "",
                    stats: report(&choices),
                    layers: [layer, layer], policy: choices.flag() ? policy : nil))
        }
    }
}
