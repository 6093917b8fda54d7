// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("Network quality levels")
struct LevelTests {
    /// The level after some steps, of a publisher or a subscriber.
    static func level(_ scenario: CallScenario) -> NetworkQualityLevel {
        var observer = NetworkQualityObserver(verbosity: .detailed)
        _ = observer.handle(
            sent: scenario.published.last.map { [$0.levels] } ?? [],
            received: scenario.subscribed.last.map { [$0.levels] } ?? [])
        return observer.stats.level
    }

    @Test(
        "Round trip time",
        arguments: [
            (0.099, NetworkQualityLevel.five), (0.1, .four), (0.199, .four), (0.2, .three), (0.299, .three),
            (0.3, .two), (0.499, .two), (0.5, .one),
        ])
    func roundTrip(time: Double, expected: NetworkQualityLevel) {
        for var scenario in [CallScenario.publisher(), .subscriber()] {
            scenario.run(.init(12, roundTripTime: time))
            #expect(Self.level(scenario) == expected)
        }
    }

    @Test(
        "Jitter of audio; of video only where there is no audio, with doubled limits",
        arguments: [
            (0.0099, NetworkQualityLevel.five), (0.01, .four), (0.02, .three), (0.03, .two), (0.059, .two),
            (0.06, .one),
        ])
    func jitter(value: Double, expected: NetworkQualityLevel) {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(8, jitter: value))
        #expect(Self.level(scenario) == expected)
        var videoOnly = CallScenario.subscriber()
        videoOnly.call.received.removeFirst()
        videoOnly.run(.init(8, jitter: 2 * value))
        #expect(Self.level(videoOnly) == expected)
    }

    @Test(
        "Network loss",
        arguments: [
            (0.003, NetworkQualityLevel.five), (0.009, .four), (0.022, .three), (0.055, .two), (0.2, .one),
        ])
    func loss(value: Double, expected: NetworkQualityLevel) {
        for var scenario in [CallScenario.publisher(), .subscriber()] {
            scenario.call.sent.indices.forEach { scenario.call.sent[$0].packetRate *= 10 }
            scenario.call.received.indices.forEach { scenario.call.received[$0].packetRate *= 10 }
            scenario.run([.init(5), .init(20, loss: value)])
            #expect(Self.level(scenario) == expected)
        }
    }

    @Test(
        "Available bandwidth against what is wanted",
        arguments: [
            (1.0, NetworkQualityLevel.five), (0.8, .four), (0.6, .three), (0.3, .two), (0.2, .one),
        ])
    func bandwidth(ratio: Double, expected: NetworkQualityLevel) {
        var scenario = CallScenario.publisher()
        scenario.run([
            .init(12), .init(2, estimate: 2_192_000 * ratio, roundTripTime: 0.095, isLimited: ratio < 1),
            .init(6),
        ])
        #expect(Self.level(scenario) == expected)
    }

    @Test(
        "Nothing sent nor received is idle at 5, reconnecting is 0, no data is unknown; changes are reported once"
    )
    func special() {
        var observer = NetworkQualityObserver()
        #expect(observer.stats.level == .unknown)
        let change1 = observer.handle(sent: [], received: [])
        #expect(change1)
        #expect(observer.stats == NetworkQualityStats(level: .five, isIdle: true))
        let change2 = observer.handle(sent: [], received: [])
        #expect(!change2)
        let change3 = observer.handle(sent: [], received: [], isReconnecting: true)
        #expect(change3)
        #expect(observer.stats.level == .zero)
        let change4 = observer.handle(sent: [StreamLevels(audio: .init())], received: [])
        #expect(change4)
        #expect(observer.stats.level == .unknown && !observer.stats.isIdle)
    }

    @Test("Verbosity decides how much is notified, and can be changed in the call")
    func verbosity() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(8))
        var observer = NetworkQualityObserver()
        _ = observer.handle(sent: scenario.published.suffix(1).map(\.levels), received: [])
        #expect(observer.stats == NetworkQualityStats(level: .five))
        observer.verbosity = .moderate
        #expect(observer.stats.video?.send?.level == .five && observer.stats.video?.send?.latency == nil)
        observer.verbosity = .detailed
        #expect(observer.stats.video?.send?.latency?.rtt == 0.02)
        #expect(observer.stats.audio?.send?.bandwidth == nil && observer.stats.audio?.receive == nil)
        #expect(NetworkQualityConfiguration(local: .none).local == .minimal)
        #expect(NetworkQualityLevel.allCases.map(\.rawValue) == [-1, 0, 1, 2, 3, 4, 5])
    }

    @Test("One bad stream of several makes the level")
    func several() {
        var clean = CallScenario.publisher()
        var bad = CallScenario.subscriber()
        clean.run(.init(10))
        bad.run([.init(5), .init(10, loss: 0.2)])
        var observer = NetworkQualityObserver(verbosity: .detailed)
        _ = observer.handle(
            sent: clean.published.suffix(1).map(\.levels),
            received: bad.subscribed.suffix(1).map(\.levels) + [StreamLevels()])
        #expect(observer.stats.level == .one)
        #expect(observer.stats.video?.send?.level == .five && observer.stats.video?.receive?.level == .one)
    }
}
