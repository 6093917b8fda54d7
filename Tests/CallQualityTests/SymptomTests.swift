// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import TestSupport
import Testing
import WebRTCStats

/// A diagnosis rests on symptoms, and so do warnings; neither rests on the other.
@Suite("Symptoms")
struct SymptomTests {
    /// A rule, and a call in which its warning is raised.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var rule: any WritableKeyPath<WarningRules, WarningRule> & Sendable
        var kind: CallQualityWarning.Kind
        /// What the call's diagnosis is then, where the symptom makes it.
        var cause: Diagnosis.Cause?
        var isSubscriber: Bool
        var change: @Sendable (inout CallScenario) -> Void

        init(
            _ kind: CallQualityWarning.Kind,
            _ rule: any WritableKeyPath<WarningRules, WarningRule> & Sendable,

            _ cause: Diagnosis.Cause? = nil, atSubscriber isSubscriber: Bool = false,
            change: @escaping @Sendable (inout CallScenario) -> Void
        ) {
            testDescription = "\(kind)\(isSubscriber ? " at a subscriber" : "")"
            self.rule = rule
            self.kind = kind
            self.cause = cause
            self.isSubscriber = isSubscriber
            self.change = change
        }
    }

    static let cases = [
        Case(.highRemoteInboundRTT, \.highRemoteInboundRTT) { $0.call.roundTripTime = 0.4 },
        Case(.highInboundJitter, \.highInboundJitter, atSubscriber: true) {
            $0.call.received[0].jitter = 0.05
        },
        Case(.highInboundJitter, \.highInboundVideoJitter, atSubscriber: true) {
            $0.call.received[1].jitter = 0.08
        },
        Case(.highInboundPacketLoss, \.highInboundPacketLoss, atSubscriber: true) { $0.call.setLoss(0.2) },
        Case(.missingMediaStream, \.missingMediaStream) { $0.call.iceState = .disconnected },
        Case(.constantAudioLevel, \.constantAudioLevel) { $0.call.sent[0].audioLevel = 0.2 },
        Case(.zeroAudioLevel, \.zeroAudioLevel) { $0.call.sent[0].audioLevel = 0 },
        Case(.lowOSOutputVolumeLevel, \.lowOSOutputVolumeLevel, atSubscriber: true) {
            $0.intent.audio?.outputVolume = 0.1
        },
        Case(.lowMOS, \.lowMOS, atSubscriber: true) { $0.call.received[0].concealment = 0.3 },
        Case(.highOutboundPacketLoss, \.highOutboundPacketLoss) { $0.call.setLoss(0.2) },
        Case(.lowBandwidth, \.lowBandwidth) {
            $0.run(.init(6, estimate: 400_000, roundTripTime: 0.4, isLimited: true))
        },
        Case(.noMediaSent, \.noMedia, .media) {
            for index in 1..<4 { $0.call.sent[index].isActive = false }
        },
        Case(.noMediaReceived, \.noMedia, .media, atSubscriber: true) {
            $0.call.received[0].isActive = false
        },
        Case(.frozenVideo, \.frozenVideo, .media, atSubscriber: true) { $0.call.received[1].frameRate = 0 },
        Case(.cpuLimited, \.cpuLimited, .cpu) {
            for index in 1..<4 {
                $0.call.sent[index].codingShare = 0.95
                $0.call.sent[index].limitation = .cpu
            }
        },
        Case(.decoderOverloaded, \.decoderOverloaded, .cpu, atSubscriber: true) {
            $0.call.received[1].codingShare = 0.95
            $0.call.received[1].completeFrameRate = 40
        },
        Case(.highAudioConcealment, \.highAudioConcealment, atSubscriber: true) {
            $0.call.received[0].concealment = 0.05
        },
        Case(.silentMicrophone, \.silentMicrophone, .device) { $0.call.sent[0].audioLevel = 0 },
        Case(.lowCaptureRate, \.lowCaptureRate) { $0.call.capturedFrameRate = 10 },
        Case(.outOfSync, \.audioAhead, .outOfSync, atSubscriber: true) {
            $0.call.received[0].playedAfter = 0.1
            $0.call.received[1].playedAfter = 0.25
        },
        Case(.outOfSync, \.audioBehind, .outOfSync, atSubscriber: true) {
            $0.call.received[0].playedAfter = 0.4
            $0.call.received[1].playedAfter = 0.1
        },
        Case(.speakingWhileMuted, \.speakingWhileMuted) {
            $0.intent.audio?.muted = true
            $0.call.sent[0].audioLevel = 0.05
        },
    ]

    @Test("A warning that is switched off is not raised, and the diagnoses are the same", arguments: cases)
    func switchedOff(test: Case) {
        var configuration = QualityConfiguration.extended
        let expected = Self.run(test, configuration)
        #expect(WarningTests.warnings(expected, test.kind).contains { $0.phase == .trigger })
        if let cause = test.cause { #expect(expected.diagnoses.last?.cause == cause) }
        configuration.warnings[keyPath: test.rule].isEnabled = false
        let scenario = Self.run(test, configuration)
        #expect(WarningTests.warnings(scenario, test.kind).isEmpty || test.rule == \.highInboundVideoJitter)
        #expect(scenario.diagnoses == expected.diagnoses)
    }

    @Test(
        "What is wrong with a medium is over when the medium is switched off",
        arguments: cases.filter { ![.missingMediaStream, .lowOSOutputVolumeLevel].contains($0.kind) })
    func mediumSwitchedOff(test: Case) {
        var scenario = Self.run(test, QualityConfiguration.extended)
        #expect(WarningTests.warnings(scenario, test.kind).contains { $0.phase == .trigger })
        scenario.intent.audio?.enabled = false
        scenario.intent.video?.enabled = false
        for index in scenario.call.sent.indices { scenario.call.sent[index].isActive = false }
        for index in scenario.call.received.indices { scenario.call.received[index].isActive = false }
        scenario.run(.init(20))
        let warnings = Dictionary(grouping: WarningTests.warnings(scenario, test.kind), by: \.media)
        #expect(warnings.values.allSatisfy { $0.last?.phase == .recover }, "\(warnings)")
    }

    @Test(
        "Which warnings are raised, how early and how long, says nothing about the diagnoses",
        arguments: Seed.draw(24))
    func anySubset(seed: UInt64) {
        for isSubscriber in [false, true] {
            var generator = SeededRandom(seed: seed)
            var configuration = QualityConfiguration.extended
            for test in Self.cases {
                configuration.warnings[keyPath: test.rule].isEnabled = generator.chance(2)
                configuration.warnings[keyPath: test.rule].grace = Double.random(
                    in: 0...60, using: &generator)
                configuration.warnings[keyPath: test.rule].hold = Double.random(
                    in: 0...30, using: &generator)
            }
            var expected = Self.scenario(isSubscriber, QualityConfiguration.extended)
            var scenario = Self.scenario(isSubscriber, configuration)
            var (one, other) = (generator, generator)
            for _ in 0..<80 {
                expected.runByChance(&one)
                scenario.runByChance(&other)
            }
            #expect(scenario.diagnoses == expected.diagnoses)
            #expect(scenario.sources == expected.sources)
            #expect(Set(expected.diagnoses.map(\.cause)).count > 3, "not much happened")
        }
    }

    private static func scenario(_ isSubscriber: Bool, _ configuration: QualityConfiguration) -> CallScenario
    {
        var intent: MediaIntent = isSubscriber ? .subscription() : .simulcast()
        intent.video?.preferredFrameRate = 30
        var scenario: CallScenario = isSubscriber ? .subscriber(intent) : .publisher(intent)
        scenario.publisher = PublisherObserver(configuration: configuration)
        scenario.subscriber = SubscriberObserver(configuration: configuration)
        return scenario
    }

    private static func run(_ test: Case, _ configuration: QualityConfiguration) -> CallScenario {
        var scenario = scenario(test.isSubscriber, configuration)
        scenario.run(.init(12))
        test.change(&scenario)
        scenario.run(.init(35))
        return scenario
    }
}

extension CallScenario {
    fileprivate var diagnoses: [Diagnosis] { published.map(\.diagnosis) + subscribed.map(\.diagnosis) }
    fileprivate var sources: [NetworkDegradationSource] {
        subscribed.map(\.networkDegradationSource)
    }
}
