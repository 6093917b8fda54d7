// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("The diagnosis")
struct DiagnosisTests {
    /// A case: what happens after 15 clean seconds, and what is diagnosed 5 s later.
    struct Case: CustomTestStringConvertible {
        var name: String
        var step: CallScenario.Step
        var cause: Diagnosis.Cause
        var severity: Diagnosis.Severity?
        /// The subscriber's, where it is another one: it has fewer packets to be sure by.
        var atSubscriber: Diagnosis.Severity?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "clean", step: .init(6), cause: .none),
        Case(
            name: "loss 2 %", step: .init(6, loss: 0.02), cause: .packetLoss, severity: .noticeable,
            atSubscriber: .noticeable),
        Case(
            name: "loss 5 %", step: .init(6, loss: 0.05), cause: .packetLoss, severity: .disturbing,
            atSubscriber: .noticeable),
        Case(
            name: "loss 20 %", step: .init(6, loss: 0.2), cause: .packetLoss, severity: .bad,
            atSubscriber: .noticeable),
        Case(name: "round trip 199 ms", step: .init(6, roundTripTime: 0.199), cause: .none),
        Case(
            name: "round trip 200 ms", step: .init(6, roundTripTime: 0.2), cause: .latency,
            severity: .noticeable),
        Case(name: "round trip 600 ms", step: .init(6, roundTripTime: 0.6), cause: .latency, severity: .bad),
        Case(name: "jitter 19 ms", step: .init(10, jitter: 0.019), cause: .none),
        Case(name: "jitter 40 ms", step: .init(12, jitter: 0.04), cause: .jitter, severity: .disturbing),
        Case(name: "outage", step: .init(4, isFlowing: false), cause: .connection, severity: .unusable),
    ]

    @Test("Each impairment has its cause, direction and severity, at either end", arguments: cases)
    func causes(test: Case) throws {
        for var scenario in [CallScenario.publisher(), .subscriber()] {
            scenario.call.sent.indices.forEach { scenario.call.sent[$0].rtcpInterval = 1 }
            scenario.run([.init(15), test.step])
            let diagnosis = try #require(
                scenario.published.last?.diagnosis ?? scenario.subscribed.last?.diagnosis)
            #expect(diagnosis.cause == test.cause)
            let severity = scenario.published.isEmpty ? test.atSubscriber ?? test.severity : test.severity
            #expect(diagnosis.severity == severity)
            guard test.cause != .none else { continue }
            #expect(diagnosis.since ?? 0 > scenario.call.time - 1000 * Double(test.step.seconds + 1))
            #expect(diagnosis.evidence != nil)
            let own: NetworkDirection = scenario.published.isEmpty ? .downlink : .uplink
            #expect(diagnosis.direction == (test.cause == .latency ? .both : own))
            #expect(diagnosis.side == (scenario.published.isEmpty ? .local : nil))
        }
    }

    @Test(
        "A shortage with a queue is bandwidth; when it is over the estimate recovers, and nothing is alarming"
    )
    func bandwidth() throws {
        var scenario = CallScenario.publisher()
        scenario.run([
            .init(15), .init(4, estimate: 800_000, roundTripTime: 0.4, isLimited: true),
            .init(5, roundTripTime: 0.15),
        ])
        #expect(scenario.published[17].diagnosis.cause == .bandwidth)
        #expect(scenario.published.last?.diagnosis.direction == .uplink)
        scenario.run([.init(9, estimate: 800_000, roundTripTime: 0.02)])
        scenario.run([.init(3, estimate: 1_300_000)])
        #expect(scenario.published.last?.diagnosis.cause == .recovering)
        let alarms = scenario.published.suffix(3).flatMap(\.events).filter(\.isAlarm)
        #expect(alarms.isEmpty)
        scenario.run(.init(10, estimate: 4_000_000, isLimited: false))
        #expect(scenario.published.last?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test("Loss on the publisher's uplink is the remote side's, with its cause")
    func remote() throws {
        var scenario = CallScenario.subscriber()
        let uplink = TransportStats(networkCondition: .warning, networkConditionReason: .packetLoss)
        scenario.remote.publisher = Aged(PublisherMetrics(transport: uplink), age: 0.5)
        scenario.run(.init(10))
        let diagnosis = try #require(scenario.subscribed.last?.diagnosis)
        #expect(diagnosis.cause == .packetLoss && diagnosis.side == .remote && diagnosis.direction == .uplink)
        let sentences = DiagnosisSentences()
        #expect(
            sentences.sentence(for: diagnosis, to: .caller)
                == "The other side's network is losing parts of what they send. Ask them to move closer to their Wi-Fi."
        )
    }

    @Test("Video that is not wanted, or withheld, is not missing for want of the publisher's processor")
    func publisherProcessor() {
        func diagnoses(_ change: (inout CallScenario) -> Void) -> [Diagnosis] {
            var scenario = CallScenario.subscriber()
            scenario.remote.publisher = Aged(PublisherMetrics(cause: .cpu), age: 0.5)
            scenario.run(.init(15))
            for index in scenario.call.received.indices where scenario.call.received[index].kind == .video {
                scenario.call.received[index].isFlowing = false
            }
            change(&scenario)
            scenario.run(.init(10))
            return scenario.subscribed.suffix(10).map(\.diagnosis)
        }
        #expect(diagnoses { _ in }.contains { $0.cause == .cpu && $0.side == .remote })
        #expect(diagnoses { $0.intent.video?.enabled = false }.allSatisfy { $0.cause != .cpu })
        for reason in [LayerReason.off, .fallback, .bandwidth] {
            #expect(diagnoses { $0.remote.leg?.value.reason = reason }.allSatisfy { $0.cause != .cpu })
        }
    }

    @Test("Every diagnosis has a sentence for both audiences, and a table can be replaced")
    func sentences() throws {
        let english = DiagnosisSentences()
        for cause in Diagnosis.Cause.allCases {
            for direction in NetworkDirection.allCases {
                for side in NetworkDegradationSource.allCases {
                    for audience in DiagnosisSentences.Audience.allCases {
                        let diagnosis = Diagnosis(cause: cause, direction: direction, side: side)
                        #expect(english.sentence(for: diagnosis, to: audience) != nil)
                    }
                }
            }
        }
        let german = DiagnosisSentences(table: ["caller.none": "Alles in Ordnung."])
        #expect(german.sentence(for: Diagnosis(cause: .none), to: .caller) == "Alles in Ordnung.")
        #expect(german.sentence(for: Diagnosis(cause: .cpu), to: .caller) == nil)
    }

    @Test("Before there is data the diagnosis is unknown")
    func start() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(1))
        #expect(scenario.subscribed[0].diagnosis.cause == .unknown)
        #expect(scenario.subscribed[0].diagnosis.side == .unknown)
    }

    @Test("Recorded calls without problems raise no alarm")
    func recordings() throws {
        var publisher = PublisherObserver()
        for report in try Recordings.series("chromium_pub") {
            #expect(publisher.handle(report).events.filter(\.isAlarm).isEmpty)
        }
        var subscriber = SubscriberObserver()
        var last: SubscriberObservation?
        for report in try Recordings.series("chromium_sub") {
            last = subscriber.handle(report)
            #expect(last?.events.filter(\.isAlarm).isEmpty == true)
        }
        #expect(last?.diagnosis.cause == Diagnosis.Cause.none)
    }
}
