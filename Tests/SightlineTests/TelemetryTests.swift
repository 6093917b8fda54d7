// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire
import Synchronization
import Testing
import WebRTCStats

@testable import Sightline

@Suite("Telemetry", .timeLimit(.minutes(1)))
struct TelemetryTests {
    private func event(_ number: Int) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(number)", capturedAt: Double(number), leg: "pub-1", sample: StreamSample())
    }

    @Test("Each leg's tick is sent once, with an id of its own and the time of the tick")
    func cadence() async throws {
        let call = Call()
        _ = try await call.publish()
        _ = try await call.subscribe()
        await eventually("the first ticks") { call.server.telemetry.count == 2 }
        for second in 1...4 {
            await call.pass(.seconds(1), sleepers: 2)
            await eventually("tick \(second)") { call.server.telemetry.count == 2 * (second + 1) }
        }
        await call.session.disconnect()
        let sent = call.server.telemetry
        #expect(Set(sent.map(\.eventId)).count == 10)
        #expect(Set(sent.map(\.leg)) == ["pub-1", "sub-2"])
        let times: [Double] = [1_000_000, 1_001_000, 1_002_000, 1_003_000, 1_004_000]
        #expect(sent.filter { $0.leg == "pub-1" }.map(\.capturedAt) == times)
        #expect(sent.allSatisfy { $0.sample != nil })
    }

    @Test("An app can keep its figures to itself")
    func switchedOff() async throws {
        let call = Call { $0.sendsTelemetry = false }
        let (publisher, _) = try await call.publish()
        var observations = publisher.observations().makeAsyncIterator()
        await call.pass(.seconds(1), sleepers: 1)
        _ = await observations.next()
        await call.session.disconnect()
        #expect(call.server.telemetry.isEmpty)
    }

    @Test("A session's recorder gets the reports of all streams, under the streams' ids")
    func recorder() async throws {
        let seen = Mutex<[RecordedReport]>([])
        let call = Call { $0.onReport = { report in seen.withLock { $0.append(report) } } }
        let (publisher, _) = try await call.publish()
        _ = try await call.subscribe()
        await eventually("both ends sent a report") {
            Set(seen.withLock { $0 }.map(\.intent?.role)) == [.publisher, .subscriber]
        }
        let reports = seen.withLock { $0 }
        await call.session.disconnect()
        let own = publisher.stream?.streamId
        for report in reports where report.intent?.role == .publisher {
            #expect(report.stream == nil || report.stream == own)
        }
        #expect(reports.last { $0.intent?.role == .subscriber }?.stream == "theirs")
        #expect(reports.allSatisfy { $0.intent?.routing == .routed })
    }

    @Test("While one message is under way the next events gather, the oldest of too many are dropped")
    func bounded() {
        var queue = TelemetryQueue()
        for number in 0..<10 { queue.add(event(number)) }
        #expect(queue.next()?.events.count == 10)
        #expect(queue.next() == nil)
        for number in 10..<1010 { queue.add(event(number)) }
        #expect(queue.waiting.count == TelemetryQueue.limit)
        #expect(queue.dropped == 1000 - TelemetryQueue.limit)
        #expect(queue.waiting.last?.eventId == "1009")
        queue.acknowledge()
        #expect(queue.next()?.events.count == Telemetry.limit)
    }

    @Test("What no one acknowledged is sent again with its ids; what was refused is not")
    func retries() {
        var queue = TelemetryQueue()
        queue.add(event(1))
        _ = queue.next()
        queue.retry()
        queue.add(event(2))
        #expect(queue.next()?.events.map(\.eventId) == ["1", "2"])
        queue.discard()
        #expect(queue.next() == nil)
        #expect(queue.dropped == 2)
    }

    @Test("Retried events make room for newer ones when there are too many")
    func retryOverflow() {
        var queue = TelemetryQueue()
        for number in 0..<Telemetry.limit { queue.add(event(number)) }
        _ = queue.next()
        for number in 0..<TelemetryQueue.limit { queue.add(event(1000 + number)) }
        queue.retry()
        #expect(queue.waiting.count == TelemetryQueue.limit)
        #expect(queue.waiting.first?.eventId == "1000")
        #expect(queue.dropped == Telemetry.limit)
    }

    @Test("Of each leg what has changed is sent, and all of it again after a doubt")
    func changes() {
        var queue = TelemetryQueue()
        func next(_ number: Int) -> TelemetryEvent? {
            queue.add(event(number))
            return queue.next()?.events.last
        }
        guard case .sample(_, 1)? = next(1)?.content else {
            Issue.record("the first is no whole sample")
            return
        }
        queue.acknowledge()
        let second = next(2)
        #expect(second?.content == .figures([2], events: nil))
        queue.retry()
        let again = queue.next()?.events
        #expect(again?.map(\.eventId) == ["2"] && again?.first?.wholeSample != nil)
        queue.discard()
        #expect(next(3)?.wholeSample != nil)
    }

    /// The seconds of which the samples are sent, for estimates of consecutive seconds.
    private func sent(_ estimates: [Double?], isUnsent: (Int) -> Bool = { _ in false }) -> [Int] {
        var pace = TelemetryPace(threshold: 100_000)
        return estimates.indices.filter {
            pace.tick(StreamSample(), estimate: estimates[$0], isUnsent: isUnsent($0)) != nil
        }
    }

    @Test("On a poor uplink every second sample is sent, on a worse one every fifth, and soon all again")
    func thinned() {
        #expect(sent(Array(repeating: nil, count: 5)) == [0, 1, 2, 3, 4])
        #expect(sent(Array(repeating: 99_000, count: 8)) == [1, 3, 5, 7])
        #expect(sent(Array(repeating: 49_000, count: 12)) == [4, 9])
        let recovered = sent(Array(repeating: 49_000, count: 10) + Array(repeating: 200_000, count: 20))
        #expect(recovered.suffix(10) == Array(20..<30))
        // What does not leave is a poor uplink too.
        #expect(sent(Array(repeating: 1e6, count: 12)) { $0 < 8 }.count < 8)
    }

    @Test("What happens in seconds whose samples are not sent is sent with the next")
    func eventsOfThinned() {
        var pace = TelemetryPace(threshold: 100_000)
        var first = StreamSample()
        first.events = [.videoQualityChanged(VideoQualityChange(.codecChange))]
        let sent = [first, StreamSample(), StreamSample(), StreamSample()].map {
            pace.tick($0, estimate: 60_000, isUnsent: false)
        }
        #expect(sent.map { $0 != nil } == [false, true, false, true])
        #expect(sent[1]?.events == first.events && sent[3]?.events == nil && pace.interval == 2)
    }

    @Test("Samples that are measured less often say so, so that the server keeps them until the next is due")
    func slowReports() {
        for (tick, interval) in [(0.2, nil), (1, nil), (5, 5), (10, 10)] as [(Double, Double?)] {
            var pace = TelemetryPace(threshold: 100_000, tick: tick)
            #expect(pace.tick(StreamSample(), estimate: nil, isUnsent: false) != nil)
            #expect(pace.interval == interval)
        }
    }

    @Test(
        "On a poor uplink slow samples are sent as they are, and quick ones no more often than others")
    func thinnedByTime() {
        for (tick, count, interval) in [(5, 4, 5), (0.2, 4, 5), (4, 2, 8)] {
            var pace = TelemetryPace(threshold: 100_000, tick: tick)
            let sent = (0..<Int(20 / tick)).filter { _ in
                pace.tick(StreamSample(), estimate: 40_000, isUnsent: false) != nil
            }
            #expect(sent.count == count && pace.interval == Double(interval))
        }
    }

    @Test("A session that measures every five seconds says so in its telemetry")
    func intervalOfSession() async throws {
        let call = Call { $0.statisticsInterval = .seconds(5) }
        _ = try await call.publish()
        await eventually("the first tick") { call.server.telemetry.count == 1 }
        #expect(call.server.telemetry.first?.interval == 5)
        await call.session.disconnect()
    }
}
