// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import SessionWire
import Testing

@testable import SessionServer

@Suite("What calls are counted as")
struct CallMeterTests {
    /// A call of two, of whom bob receives what alice sends.
    private struct Scenario {
        var meter = CallMeter()
        private var event: Int64 = 0
        static let flow = FlowKey(connection: "bob", number: 1)

        init() {
            for name in ["alice", "bob"] {
                meter.count(
                    .connection(
                        .init(name: name, session: "s", participant: nil, role: .publisher, joinedAt: 0)))
            }
            meter.count(
                .flow(.init(key: Self.flow, session: "s", stream: "cam", role: .subscriber, createdAt: 1000))
            )
        }

        mutating func sample(at second: Double, _ change: (inout StreamSample) -> Void) {
            var sample = StreamSample()
            change(&sample)
            event += 1
            let mark = EventMark(time: second * 1000, capturedAt: second * 1000, event: event)
            meter.count(.sample(.init(flow: Self.flow, observer: .client, mark: mark, sample: sample)))
        }

        /// A second that is as bad as that.
        mutating func second(_ second: Double, _ severity: Diagnosis.Severity?) {
            sample(at: second) { sample in
                let cause = severity == nil ? Diagnosis.Cause.none : .packetLoss
                sample.diagnosis = Diagnosis(cause: cause, side: .local, severity: severity)
                sample.video = MediaFigures()
                sample.video?.packets = UInt64(second)
            }
        }

        mutating func end() {
            for name in ["alice", "bob"] { meter.count(.connectionLeft(name: name, at: 0, reason: .left)) }
        }
    }

    private static let view = CallFigures.View(observer: "client", role: "subscriber")

    @Test("time counts by what was judged of it, and gaps count for no more than a tick can be")
    func seconds() {
        var scenario = Scenario()
        for second in 2...11 { scenario.second(Double(second), second > 7 ? .bad : nil) }
        scenario.second(1000, .bad)
        // Sent again.
        scenario.second(11, .bad)
        // No one knows.
        scenario.sample(at: 1001) { $0.diagnosis = Diagnosis(cause: .unknown) }
        let figures = scenario.meter.figures
        #expect(figures.judged == [Self.view: 20])
        let kind = CallFigures.Impairment(
            view: Self.view, cause: "packetLoss", side: "local", severity: "bad")
        #expect(figures.impaired == [kind: 14])
    }

    @Test(
        "a call is what most of its time was, once everyone has left",
        arguments: [
            (0, 0, CallFigures.Outcome.good), (4, 0, .good), (6, 0, .impaired), (0, 9, .impaired),
            (0, 11, .bad),
        ])
    func outcomes(disturbing: Int, bad: Int, wanted: CallFigures.Outcome) {
        var scenario = Scenario()
        for second in 1...100 {
            let severity: Diagnosis.Severity? =
                second <= bad ? .bad : second <= bad + disturbing ? .disturbing : nil
            scenario.second(Double(second), severity)
        }
        #expect(scenario.meter.figures.outcomes.isEmpty)
        scenario.end()
        scenario.meter.count(.sessionEnded(name: "s", at: 0))
        #expect(scenario.meter.figures.outcomes == [wanted: 1])
        #expect(scenario.meter.figures.departures == [.left: 2])
    }

    @Test("a call without media is one, and a session that no one came to is no call")
    func noMedia() {
        var scenario = Scenario()
        scenario.meter.count(.session(name: "empty", kind: .hosted(.routed), createdAt: 0))
        scenario.meter.count(.sessionEnded(name: "empty", at: 0))
        scenario.meter.count(.sessionEnded(name: "s", at: 0))
        #expect(scenario.meter.figures.outcomes == [.noMedia: 1])
        // What comes late is of no call.
        scenario.second(5, .bad)
        #expect(scenario.meter.figures.judged.isEmpty)
    }

    @Test("freezes count as a share of the time that was watched, media from their first packet")
    func frozen() {
        var scenario = Scenario()
        for second in [1.5, 3.5, 11.5] {
            scenario.sample(at: second) { sample in
                sample.video = MediaFigures()
                sample.video?.packets = second > 2 ? 1 : 0
                sample.video?.totalFreezesDuration = second == 11.5 ? 700 : 200
                sample.video?.mos = 4.1
                sample.roundTripTime = 0.08
            }
        }
        scenario.end()
        let figures = scenario.meter.figures
        #expect(abs(figures.frozen.sum - 0.05) < 1e-9)
        #expect(figures.timeToMedia["subscriber"]?.sum == 2.5)
        #expect(figures.quality[.videoScore]?[Self.view]?.counts[6] == 3)
        #expect(figures.quality[.roundTripTime]?[Self.view]?.counts[2] == 3)
        #expect(figures.quality[.audioScore] == nil)
    }

    @Test("a process tells what it takes of the machine; one that is gone tells nothing")
    func process() throws {
        #expect(ProcessLoad(process: .max) == nil)
        #if os(Linux)
        let own = try #require(ProcessLoad(process: ProcessInfo.processInfo.processIdentifier))
        #expect(own.processorSeconds > 0 && own.residentBytes > 1 << 20)
        #expect(abs(own.startedAt - Date().timeIntervalSince1970) < 7 * 86_400)
        #expect((ProcessLoad.openDescriptors ?? 0) > 2)
        let threads = ProcessLoad.threads(of: ProcessInfo.processInfo.processIdentifier)
        #expect(threads.count > 1 && threads.values.contains { $0 > 0 })
        #expect(ProcessLoad.threads(of: .max).isEmpty)
        #endif
    }
}
