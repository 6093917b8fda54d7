// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire
import Testing

@testable import SessionCore

@Suite("How often a client may ask")
struct RateTests {
    @Test("a burst at once, then at the rate, each subject by itself", arguments: LimitedRequest.allCases)
    func book(request: LimitedRequest) {
        var book = TokenBuckets()
        let start = Duration.seconds(5)
        let burst = Int(request.rate.burst)
        #expect(!book.allows(request, of: 1, cost: burst + 1, at: start))
        func take(_ subject: UInt64, _ cost: Int, _ time: Duration) -> Bool {
            book.take(request, of: subject, cost: cost, at: time)
        }
        #expect(take(1, burst, start) == true)
        #expect(take(1, 1, start) == false)
        #expect(take(2, 1, start) == true)
        let wait = Duration.seconds(1 / request.rate.perSecond)
        #expect(take(1, 1, start + wait * 0.9) == false)
        #expect(take(1, 1, start + wait * 1.01) == true)
        #expect(take(1, 1, start + wait * 1.02) == false)
    }

    @Test(
        "who may wait has a turn: the earlier first, none before its time, and no one waits longer than that")
    func turns() {
        var rates = TokenBuckets()
        let start = Duration.seconds(5)
        let rate = LimitedRequest.observedBytes.rate
        func turn(_ cost: Double) -> Duration? {
            rates.turn(.observedBytes, of: 1, cost: Int(cost), within: .seconds(10), at: start)
        }
        #expect(turn(rate.burst) == .zero)
        #expect(turn(2 * rate.perSecond) == .seconds(2) && turn(rate.perSecond) == .seconds(3))
        #expect(turn(8 * rate.perSecond) == nil && turn(7 * rate.perSecond) == .seconds(10))
        #expect(turn(1) == nil)
        #expect(!rates.allows(.observedBytes, of: 1, at: start + .seconds(9)))
        #expect(rates.allows(.observedBytes, of: 1, at: start + .seconds(11)))
    }

    @Test("buckets that are full are forgotten")
    func forgets() {
        var book = TokenBuckets()
        for number in 0..<10_000 {
            let isTaken = book.take(.telemetry, of: UInt64(number), at: .milliseconds(number * 10))
            #expect(isTaken && book.count <= 129)
        }
    }

    @Test("quality is sent at once, and then once a second however often it is asked for")
    func quality() {
        var scenario = CoreScenario()
        for client in ["alice", "bob"] { scenario.join(client) }
        _ = scenario.inbox("bob")
        func notified() -> Int {
            scenario.bodies("bob").count { if case .networkQuality = $0 { true } else { false } }
        }
        scenario.send("bob", .networkQuality(.init(remote: .minimal)))
        #expect(notified() == 1)
        for _ in 0..<200 {
            scenario.send("bob", .networkQuality(.init(remote: .none)))
            scenario.send("bob", .networkQuality(.init(remote: .detailed)))
        }
        #expect(notified() == 0)
        scenario.pass(.milliseconds(800))
        #expect(notified() == 0)
        scenario.pass(.milliseconds(400))
        #expect(notified() == 1)
    }

    @Test("of many updates of a stream others are notified twice a second, and the last one at the end")
    func updates() {
        var scenario = CoreScenario()
        for client in ["alice", "bob"] { scenario.join(client) }
        scenario.publish("alice", "cam")
        for client in ["alice", "bob"] { _ = scenario.inbox(client) }
        var sizes: [Int] = []
        for number in 1...100 {
            let content = StreamContent(
                hasAudio: true, hasVideo: true, videoDimensions: .init(width: number, height: 1))
            scenario.send("alice", .update(.init(leg: "cam", content: content)))
        }
        #expect(scenario.bodies("alice") == Array(repeating: .done, count: 100))
        for _ in 0..<3 {
            scenario.pass(.seconds(1))
            sizes += scenario.bodies("bob").compactMap {
                if case .streamUpdated(let stream) = $0 { stream.content.videoDimensions?.width } else { nil }
            }
        }
        #expect(sizes == [1, 2, 100])
        #expect(scenario.core.pendingUpdates.isEmpty)
    }

    @Test(
        "telemetry that has waited is taken, a flood of it is refused, and other legs are not touched by that"
    )
    func telemetry() {
        var scenario = CoreScenario()
        scenario.join("alice")
        for leg in ["cam", "screen"] as [LegName] { scenario.publish("alice", leg) }
        var number = 0
        func send(_ count: Int, _ leg: LegName) -> ServerError.Code? {
            let events = (0..<count).map { _ in
                number += 1
                return TelemetryEvent(eventId: "e\(number)", capturedAt: 0, leg: leg, sample: .init())
            }
            scenario.send("alice", .telemetry(.init(events: events)))
            return scenario.errors("alice").last ?? .internal
        }
        // As much as the SDK keeps, and a minute of it after that.
        for _ in 0..<8 { #expect(send(30, "cam") == nil) }
        for _ in 0..<60 {
            scenario.pass(.seconds(1))
            #expect(send(1, "cam") == nil)
        }
        var refusals = 0
        for _ in 0..<20 where send(32, "cam") == .tooMany { refusals += 1 }
        #expect(refusals >= 10)
        #expect(send(32, "screen") == nil)
        scenario.pass(.seconds(10))
        #expect(send(32, "cam") == nil)
    }

    @Test("what happened in a sample counts, also where only what has changed is sent")
    func happenings() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.publish("alice", "cam")
        func send(_ number: Int64, _ content: TelemetryEvent.Content) -> ServerError.Code? {
            let event = TelemetryEvent(eventId: "e\(number)", capturedAt: 0, leg: "cam", content)
            scenario.send("alice", .telemetry(.init(events: [event])))
            return scenario.errors("alice").last ?? .internal
        }
        #expect(send(1, .sample(.init(), number: 1)) == nil)
        let change = StreamEvent.videoQualityChanged(VideoQualityChange(.codecChange))
        let events = Array(repeating: change, count: StreamEvent.limit)
        let answers = (2...20).map { send($0, .figures([$0], events: events)) }
        #expect(answers == Array(repeating: nil, count: 4) + Array(repeating: .tooMany, count: 15))
    }

    @Test("telemetry of legs that are over is counted together")
    func oldLegs() {
        var scenario = CoreScenario()
        scenario.join("alice")
        for number in 0..<40 {
            scenario.publish("alice", "l\(number)")
            scenario.send("alice", .unpublish(.init(leg: "l\(number)")))
        }
        _ = scenario.inbox("alice")
        let events = (0..<30).map {
            TelemetryEvent(eventId: "e\($0)", capturedAt: 0, leg: "l\($0)", sample: .init())
        }
        for _ in 0..<11 { scenario.send("alice", .telemetry(.init(events: events))) }
        #expect(scenario.errors("alice") == Array(repeating: nil, count: 10) + [.tooMany])
    }

    @Test("what goes to many is written once, and numbered for each")
    func broadcasts() throws {
        var scenario = CoreScenario()
        var first = ResumableClient("first")
        _ = scenario.join(&first)
        for number in 0..<50 { scenario.join("guest \(number)") }
        let before = scenario.broadcasts
        scenario.join("late")
        #expect(scenario.broadcasts == before + 1)
        let message = ServerMessage(.streamDestroyed(.init(id: "s", reason: "left")))
        var wanted = message
        wanted.seq = 7
        let json = ServerMessage.number(7) + ServerMessage.unnumbered(try message.json())
        #expect(try ServerMessage(json: json) == wanted)
    }
}
