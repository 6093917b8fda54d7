// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import Sightline
import Synchronization
import Testing
import WebRTCStats

@Suite("Call monitor", .timeLimit(.minutes(1)))
struct CallMonitorTests {
    /// Reports as a test scripts them.
    private final class Script: StatsSource {
        private let reads = Mutex(0)
        private let report: @Sendable (Int) async throws -> StatsReport

        init(_ report: @escaping @Sendable (Int) async throws -> StatsReport) { self.report = report }

        var count: Int { reads.withLock { $0 } }

        func statistics() async throws -> StatsReport {
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            return try await report(number)
        }
    }

    private let clock = VirtualClock()

    private func configuration(_ interval: Duration = .seconds(1)) -> CallMonitorConfiguration {
        var configuration = CallMonitorConfiguration()
        configuration.interval = interval
        configuration.clock = clock.sessionClock
        return configuration
    }

    private func pass(_ duration: Duration) async {
        await eventually("the monitor sleeps") { clock.sleepers == 1 }
        clock.advance(by: duration)
    }

    @Test("An app's own connection is observed in both directions, once a second")
    func bothDirections() async throws {
        let source = Script { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        let monitor = CallMonitor(source, configuration: configuration())
        var observations = monitor.observations().makeAsyncIterator()
        monitor.start()
        monitor.start()
        for tick in 1...4 {
            #expect(await observations.next()?.subscriber == nil)
            let received = try #require(await observations.next()?.subscriber)
            #expect(received.timestamp == Double(tick) * 1000)
            #expect(source.count == tick)
            await pass(.seconds(1))
        }
        monitor.stop()
        monitor.stop()
        await eventually("no one sleeps") { clock.sleepers == 0 }
        #expect(await all(of: monitor.observations()).isEmpty)
    }

    /// Keeps what a delegate hears.
    private final class Listener: CallMonitorDelegate, Sendable {
        private let heard = Mutex<[CallMonitorEvent]>([])

        var observations: [CallMonitorEvent] { heard.withLock { $0 } }

        func callMonitor(_ monitor: CallMonitor, didObserve event: CallMonitorEvent) {
            heard.withLock { $0.append(event) }
        }
    }

    @Test("A delegate hears what a sequence does, in the same order, until it is taken away")
    func delegate() async throws {
        let source = Script { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        let monitor = CallMonitor(source, configuration: configuration())
        let listener = Listener()
        monitor.delegate = listener
        var observations = monitor.observations().makeAsyncIterator()
        monitor.start()
        var seen: [CallMonitorEvent] = []
        for _ in 1...3 {
            for _ in 1...2 { seen.append(try #require(await observations.next())) }
            await pass(.seconds(1))
        }
        let expected = seen
        await eventually("the delegate has heard as much") { listener.observations.count >= expected.count }
        #expect(Array(listener.observations.prefix(expected.count)) == expected)
        monitor.delegate = nil
        #expect(monitor.delegate == nil)
        monitor.stop()
    }

    @Test("The interval is bounded", arguments: [(0.01, 0.2), (60, 10), (0.5, 0.5)])
    func interval(_ asked: Double, _ expected: Double) async {
        let source = Script { StatsReport(timestamp: Double($0)) }
        let monitor = CallMonitor(source, roles: [.publisher], configuration: configuration(.seconds(asked)))
        monitor.start()
        await pass(.seconds(expected) - .milliseconds(1))
        #expect(source.count == 1)
        await pass(.milliseconds(1))
        await eventually("the second report") { source.count == 2 }
        monitor.stop()
    }

    @Test("A slow report lets ticks fall out instead of piling up")
    func slowReports() async {
        let clock = clock
        let source = Script { number in
            if number == 2 { try await clock.sleep(for: .seconds(3.5)) }
            return StatsReport(timestamp: Double(number) * 1000)
        }
        let monitor = CallMonitor(source, roles: [.publisher], configuration: configuration())
        monitor.start()
        await pass(.seconds(1))
        await eventually("the slow one is asked") { source.count == 2 }
        await pass(.seconds(3.5))
        await eventually("ticks fell out") { monitor.skippedTicks == 3 }
        #expect(source.count == 2)
        await pass(.milliseconds(500))
        await eventually("in step again") { source.count == 3 }
        monitor.stop()
    }

    @Test("A failed report is reported, and the next one is read all the same")
    func failingReports() async {
        let source = Script { number in
            if number == 1 { throw MediaEngineError(.closed, "gone") }
            return StatsReport(timestamp: 1000)
        }
        let monitor = CallMonitor(source, roles: [.subscriber], configuration: configuration())
        var observations = monitor.observations().makeAsyncIterator()
        monitor.start()
        #expect(await observations.next()?.error?.code == .mediaEngine)
        await pass(.seconds(1))
        #expect(await observations.next()?.subscriber != nil)
        monitor.stop()
    }

    @Test("Totals continue when the peer connection is replaced")
    func replacedSource() async throws {
        let first = Script { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        let second = Script { .audio(packets: UInt64(50 * $0), at: 5000 + Double($0) * 1000) }
        let monitor = CallMonitor(first, roles: [.subscriber], configuration: configuration())
        var observations = monitor.observations().makeAsyncIterator()
        var totals: [UInt64] = []
        monitor.start()
        for tick in 1...6 {
            let received = try #require(await observations.next()?.subscriber)
            totals.append(received.audio?.packets ?? 0)
            if tick == 3 { monitor.setSource(second) }
            await pass(.seconds(1))
        }
        monitor.stop()
        #expect(totals == totals.sorted())
        #expect(try #require(totals.last) > totals[2])
    }

    @Test("Facts age from the moment they were given")
    func ageingFacts() async throws {
        let source = Script { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        let monitor = CallMonitor(source, roles: [.subscriber], configuration: configuration())
        let leg = SenderMetrics(estimatedBandwidth: 700_000)
        monitor.setRemoteMetrics(RemoteMetrics(senderStatsTrack: true, leg: Aged(leg, age: 4)))
        var observations = monitor.observations().makeAsyncIterator()
        monitor.start()
        var seen: [Bool] = []
        for _ in 1...5 {
            let received = try #require(await observations.next()?.subscriber)
            seen.append(received.senderStats != nil)
            await pass(.seconds(1))
        }
        monitor.stop()
        #expect(seen == [true, true, true, false, false])
    }

    @Test("Whoever records gets each report with what it is judged by, once for each role")
    func reportsForRecorders() async throws {
        let source = Script { .audio(packets: UInt64(50 * $0), at: Double($0) * 1000) }
        let seen = Mutex<[RecordedReport]>([])
        var configuration = configuration()
        configuration.onReport = { report in seen.withLock { $0.append(report) } }
        let monitor = CallMonitor(source, configuration: configuration)
        monitor.setIntent(MediaIntent(role: .subscriber, routing: .relayed), for: .subscriber)
        monitor.setRemoteMetrics(RemoteMetrics(senderStatsTrack: true))
        var observations = monitor.observations().makeAsyncIterator()
        monitor.start()
        _ = await observations.next()
        _ = await observations.next()
        let reports = seen.withLock { $0 }
        #expect(reports.map(\.intent?.role) == [.publisher, .subscriber])
        #expect(reports.map(\.intent?.routing) == [nil, .relayed])
        #expect(reports.allSatisfy { $0.time == 1000 && $0.remote?.senderStatsTrack == true })
        #expect(reports.allSatisfy { $0.stream == nil && $0.view == nil && $0.peerConnection == "call" })
        monitor.stop()
    }

    @Test("A monitor that is released stops, and its sequences end")
    func letGo() async {
        var monitor: CallMonitor? = CallMonitor(
            Script { StatsReport(timestamp: Double($0)) }, configuration: configuration())
        let observations = monitor?.observations()
        monitor?.start()
        await eventually("the monitor sleeps") { clock.sleepers == 1 }
        monitor = nil
        await eventually("no one sleeps") { clock.sleepers == 0 }
        if let observations { _ = await all(of: observations) }
    }
}

extension CallMonitorEvent {
    fileprivate var subscriber: SubscriberObservation? {
        if case .observed(.subscriber(let value)) = self { value } else { nil }
    }
    fileprivate var error: SightlineError? { if case .unavailable(let error) = self { error } else { nil } }
}
