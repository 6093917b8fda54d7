// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import TestSupport
import Testing
import WebRTCStats

@testable import CallQuality

/// Browsers send only what `Web/client/judged.js` lists: it has to be all that is judged.
@Suite("What browsers send of their reports")
struct JudgedMembersTests {
    /// Reports of a call in which packets come steadily.
    private static let reportsBefore = 4

    /// The names in the lists of a script.
    private static func names(in script: String = "judged.js") throws -> Set<String> {
        let text = try String(contentsOf: Repository.url("Web/client/\(script)"), encoding: .utf8)
        return Set(
            text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }

    /// A report with nothing but what is listed.
    private static func judged(_ report: StatsReport, _ names: Set<String>) -> StatsReport {
        var builder = StatsReportBuilder()
        report.forEachEntry { type, entry in
            guard names.contains(type) else { return }
            builder.begin(type: type, id: entry.id, timestamp: entry.timestamp)
            for member in entry.members where names.contains(member.name) {
                builder.set(StatsReportBuilder.key(for: member.name), member.value)
            }
        }
        return builder.finish()
    }

    @Test("is all that a publisher is judged by")
    func publisher() throws {
        let names = try Self.names()
        var whole = PublisherObserver()
        var sent = PublisherObserver()
        for report in try Recordings.series("chromium_pub") {
            let judged = Self.judged(report, names)
            let (wanted, found) = (whole.handle(report), sent.handle(judged))
            #expect(found == wanted)
            #expect(judged.certificates.isEmpty && judged.outboundRTP.count == report.outboundRTP.count)
        }
    }

    @Test("is all that a subscriber is judged by")
    func subscriber() throws {
        let names = try Self.names()
        var whole = SubscriberObserver()
        var sent = SubscriberObserver()
        for report in try Recordings.series("chromium_sub") {
            let (wanted, found) = (whole.handle(report), sent.handle(Self.judged(report, names)))
            #expect(found == wanted)
        }
    }

    @Test("has what shows that a jitter buffer has grown")
    func jitterBuffer() throws {
        let names = try Self.names()
        var observer = SubscriberObserver()
        var causes: Set<Diagnosis.Cause> = []
        var before = 0.0
        for (index, recorded) in try Recordings.series("chromium_sub").enumerated() {
            var report = recorded
            // It aims at 20 ms in the first reports, and at 250 from then on.
            for entry in report.inboundRTP.indices where report.inboundRTP[entry].kind == .audio {
                let emitted = Double(report.inboundRTP[entry].jitterBufferEmittedCount ?? 0)
                if index < Self.reportsBefore { before = emitted }
                report.inboundRTP[entry].jitterBufferMinimumDelay =
                    before * 0.02 + (emitted - before) * 0.25
                report.inboundRTP[entry].jitter = index < Self.reportsBefore ? 0.002 : 0.02
            }
            causes.insert(observer.handle(Self.judged(report, names)).diagnosis.cause)
        }
        #expect(causes.contains(.jitter))
    }

    @Test("has what shows freezes that an engine does not count")
    func freezes() throws {
        let names = try Self.names()
        var observer = SubscriberObserver(), counts: [Int?] = []
        for (index, recorded) in try Recordings.series("chromium_sub").enumerated() {
            var report = recorded
            for entry in report.inboundRTP.indices where report.inboundRTP[entry].kind == .video {
                // Forty milliseconds apart, but for one second.
                let frames = Double(report.inboundRTP[entry].framesDecoded ?? 0)
                let gap = index < Self.reportsBefore ? 0.0 : 1
                report.inboundRTP[entry].freezeCount = nil
                report.inboundRTP[entry].totalFreezesDuration = nil
                report.inboundRTP[entry].totalInterFrameDelay = frames * 0.04 + gap
                report.inboundRTP[entry].totalSquaredInterFrameDelay = frames * 0.0016 + gap
            }
            counts.append(observer.handle(Self.judged(report, names)).video?.freezeCount)
        }
        #expect(counts[Self.reportsBefore - 1] == 0 && counts.last == 1)
    }

    @Test("is all that a network test reads", arguments: ["chromium_pub", "chromium_sub"])
    func tested(recording: String) throws {
        let names = try Self.names(in: "tested.js")
        var (whole, sent) = (PathMeasurements(), PathMeasurements())
        for (index, report) in try Recordings.series(recording).enumerated() {
            let (tested, now) = (Self.judged(report, names), Duration.seconds(index))
            #expect(LegCounters(tested) == LegCounters(report))
            #expect(Reception(tested, knownAt: now) == Reception(report, knownAt: now))
            #expect(PreCallReport.Connectivity(tested) == PreCallReport.Connectivity(report))
            whole.addPublisher(report, at: now)
            sent.addPublisher(tested, at: now)
        }
        let wanted = whole.pass(from: .zero, to: .seconds(1000), isAudioOnly: false)
        let found = sent.pass(from: .zero, to: .seconds(1000), isAudioOnly: false)
        #expect(found.limitation == wanted.limitation)
        #expect(found.uplinkRoundTripTime == wanted.uplinkRoundTripTime)
    }

    @Test("holds no address")
    func addresses() throws {
        let names = try Self.names()
        for name in ["address", "ip", "port", "relatedAddress", "usernameFragment", "url", "fingerprint"] {
            #expect(!names.contains(name))
        }
    }
}
