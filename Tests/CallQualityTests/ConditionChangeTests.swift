// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing

@Suite("Network condition changed")
struct ConditionChangeTests {
    private static func changes(_ events: [StreamEvent]) -> [NetworkConditionChange] {
        events.compactMap { if case .networkConditionChanged(let change) = $0 { change } else { nil } }
    }

    @Test("The first value is no change; the next one says from what, to what, why and whose")
    func firstValue() throws {
        var scenario = CallScenario.publisher()
        scenario.run(.init(15))
        #expect(scenario.conditions.last == .excellent)
        #expect(Self.changes(scenario.published.flatMap(\.events)).isEmpty)
        scenario.run(.init(10, loss: 0.2))
        let change = try #require(Self.changes(scenario.published.flatMap(\.events)).last)
        #expect(change.to == .critical && change.localCondition == .critical)
        #expect(change.from > change.to && change.isAlarm)
        #expect(change.side == .local && change.reason == .packetLoss)
        #expect(change.remoteCondition == .unknown)
        scenario.run(.init(60, loss: 0))
        let end = try #require(Self.changes(scenario.published.flatMap(\.events)).last)
        #expect(end.to == .excellent && end.reason == .networkConditionChange && !end.isAlarm)
    }

    @Test("A condition that is unknown for a while has not changed")
    func unknownMeanwhile() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(10))
        let publisher = { (condition: NetworkCondition?) in
            condition.map {
                Aged(PublisherMetrics(transport: TransportStats(networkCondition: $0)), age: 0.2)
            }
        }
        for condition in [NetworkCondition.good, nil, .good, nil, .warning] {
            scenario.remote.publisher = publisher(condition)
            scenario.run(.init(2))
        }
        let changes = Self.changes(scenario.subscribed.flatMap(\.events)).filter { $0.side == .remote }
        #expect(changes.map(\.from) == [.good] && changes.map(\.to) == [.warning])
    }

    @Test(
        "A subscriber learns of its publisher's condition whether or not it is shown its figures",
        arguments: [false, true])
    func remoteSide(isShown: Bool) throws {
        var scenario = CallScenario.subscriber()
        scenario.remote.senderStatsTrack = isShown
        for condition in [NetworkCondition.excellent, .critical] {
            scenario.remote.publisher = Aged(
                PublisherMetrics(
                    transport: TransportStats(
                        networkCondition: condition,
                        networkConditionReason: condition == .critical ? .bandwidth : .none)), age: 0.2)
            scenario.run(.init(10))
        }
        let change = try #require(
            Self.changes(scenario.subscribed.flatMap(\.events)).first { $0.side == .remote })
        #expect(change.from == .excellent && change.to == .critical && change.reason == .bandwidth)
        #expect(change.localCondition == .excellent && change.remoteCondition == .critical)
        let last = try #require(scenario.subscribed.last)
        #expect((last.remotePublisherTransport != nil) == isShown, "a condition is no figure")
    }
}
